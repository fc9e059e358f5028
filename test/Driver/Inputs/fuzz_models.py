#!/usr/bin/env python3
"""Gives vitc many damaged versions of one model. It must compile up to the import or refuse with a message: never crash, hang or report an error of its own.

    fuzz_models.py --vitc BUILD/bin/vitc [--rounds N] [--seed S] MODEL

The seed is printed; with it a failure comes back. The damaged model of a failure is kept.
"""

import argparse
import os
import random
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile

FILES = ("config.json", "preprocessor_config.json", "model.safetensors")
NUMBER = re.compile(rb"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
NUMBERS = (b"0", b"-1", b"1", b"2", b"65537", b"4294967296", b"9223372036854775807", b"18446744073709551616", b"1e300", b"0.5", b"null", b"true", b'"7"', b"[]")
WORDS = (b"{", b"}", b"[", b"]", b'"', b":", b",", b"null", b"\\ud800", b"\xff", b"\0", b"NaN")


# Of processor time, so that a busy machine does not count; a whole import takes 0.03 s.
CPU_SECONDS = 20
WALL_SECONDS = 600


def damage_text(text, chance):
    """One to three small changes."""
    for _ in range(chance.randint(1, 3)):
        place = chance.randrange(len(text) + 1)
        kind = chance.randrange(6)
        if kind <= 1:
            numbers = list(NUMBER.finditer(text))
            if numbers:
                number = chance.choice(numbers)
                text = text[: number.start()] + chance.choice(NUMBERS) + text[number.end() :]
        elif kind == 2:
            text = text[:place] + chance.choice(WORDS) + text[place:]
        elif kind == 3:
            text = text[:place] + text[place + chance.randint(1, 40) :]
        elif kind == 4 and text:
            place = min(place, len(text) - 1)
            text = text[:place] + bytes([text[place] ^ (1 << chance.randrange(8))]) + text[place + 1 :]
        else:
            text = text[:place] + text[chance.randrange(len(text) + 1) :][: chance.randint(1, 60)] + text[place:]
    return text


def damage(name, data, chance):
    if chance.random() < 0.05:
        return data[: chance.randrange(len(data))]
    if name != "model.safetensors":
        return damage_text(data, chance)
    (length,) = struct.unpack("<Q", data[:8])
    header = damage_text(data[8 : 8 + length], chance)
    # Mostly the length is right, so that the header itself is read.
    stated = len(header) if chance.random() < 0.9 else chance.choice((0, 1, length, 1 << 20, 1 << 63))
    return struct.pack("<Q", stated) + header + data[8 + length :]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vitc", required=True)
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("model")
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}", flush=True)
    originals = {name: open(os.path.join(arguments.model, name), "rb").read() for name in FILES}
    taken = refused = 0
    folder = tempfile.mkdtemp(prefix="vitc-fuzz-")
    for round_ in range(arguments.rounds):
        chance = random.Random(f"{arguments.seed}/{round_}")
        broken = chance.choice(FILES)
        for name, data in originals.items():
            with open(os.path.join(folder, name), "wb") as file:
                file.write(damage(name, data, chance) if name == broken else data)
        command = [arguments.vitc, "compile", folder, "--until-after", "import"]
        problem, error = None, ""
        try:
            process = subprocess.run(
                command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=WALL_SECONDS,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS)))
            error = process.stderr.decode(errors="backslashreplace")
            if process.returncode == -signal.SIGKILL or process.returncode == -signal.SIGXCPU:
                problem = f"no answer after {CPU_SECONDS} s"
            elif process.returncode not in (0, 1):
                problem = f"exit code {process.returncode}"
            elif process.returncode == 1 and not (error.startswith("vitc: error: ") and len(error.splitlines()) == 1 and folder in error):
                problem = "not one message that names the file"
        except subprocess.TimeoutExpired:
            problem = f"no answer after {WALL_SECONDS} s"
        if problem:
            sys.exit(f"FAIL round {round_}, {broken}: {problem}\n{error}\nthe damaged model is in {folder}")
        taken += process.returncode == 0
        refused += process.returncode == 1
    shutil.rmtree(folder)
    print(f"{arguments.rounds} damaged models: {taken} taken, {refused} refused")
    # Damage that vitc hardly ever sees would test nothing.
    sys.exit(refused < arguments.rounds // 4)


main()
