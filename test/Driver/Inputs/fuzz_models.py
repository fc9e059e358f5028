#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gives vitc many damaged versions of one model. It must compile up to the import or refuse with a message: never crash, hang or report an error of its own.

    fuzz_models.py --vitc BUILD/bin/vitc [--rounds N] [--seed S] MODEL

The seed is printed; with it a failure comes back. The damaged model of a failure is kept.
"""

import argparse
import io
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
import warnings
import zipfile

CONFIGS = ("config.json", "preprocessor_config.json")
ARCHIVES = (".npz", ".pth")
WEIGHTS = (".safetensors", *ARCHIVES)
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


def damage_bytes(data, chance, span):
    """Some bytes of the first or the last of them, where archives say what they hold."""
    changed = bytearray(data)
    for _ in range(chance.randint(1, 4)):
        place = chance.randrange(min(span, len(changed)))
        if chance.random() < 0.5:
            place = len(changed) - 1 - place
        changed[place] = chance.choice((0, 1, 0x7F, 0xFF, changed[place] ^ (1 << chance.randrange(8))))
    return bytes(changed)


def damage_archive(data, chance):
    """The archive's own structure, or what one of its files says, with sums that are right."""
    if chance.random() < 0.4:
        return damage_bytes(data, chance, span=2000)
    source, result = zipfile.ZipFile(io.BytesIO(data)), io.BytesIO()
    # The pickle of a PyTorch file, else any array.
    members = source.namelist()
    chosen = next((name for name in members if name.endswith(".pkl")), chance.choice(members))
    with zipfile.ZipFile(result, "w", chance.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))) as target:
        for name in members:
            text = source.read(name)
            if name == chosen:
                # An array says what it is in its first line.
                head = len(text) if name.endswith(".pkl") else text.find(b"\n") + 1
                change = damage_text if chance.random() < 0.5 else lambda part, chance: damage_bytes(part, chance, span=len(part))
                text = change(text[:head], chance) + text[head:]
                name = chance.choice((name, name, name, name, "../" + name, members[0]))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # two files of one name are meant
                target.writestr(name, text)
    return result.getvalue()


def damage(name, data, chance):
    if chance.random() < 0.05:
        return data[: chance.randrange(len(data))]
    if name in CONFIGS:
        return damage_text(data, chance)
    if name.endswith(ARCHIVES):
        return damage_archive(data, chance)
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
    names = sorted(name for name in os.listdir(arguments.model) if name in CONFIGS or name.endswith(WEIGHTS))
    originals = {name: open(os.path.join(arguments.model, name), "rb").read() for name in names}
    taken = refused = 0
    folder = tempfile.mkdtemp(prefix="vitc-fuzz-")
    for round_ in range(arguments.rounds):
        chance = random.Random(f"{arguments.seed}/{round_}")
        broken = chance.choice(names)
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
