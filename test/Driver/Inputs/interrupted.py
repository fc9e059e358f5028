#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Interrupts `vitc compile` at several moments with several signals. It must end as by that signal, at once, and leave nothing behind:
no file beside OUT, in the folder for temporary files or unfinished in the kernel cache, and no process.

    interrupted.py FOLDER vitc compile MODEL      adds -o itself
"""

import os
import signal
import subprocess
import sys
import time

PATIENCE = 60


def processes(word):
    """Command lines of all processes that have the word in theirs, but for vitc's own."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                arguments = file.read().decode(errors="replace").split("\0")
        except OSError:  # it has ended
            continue
        if any(word in argument for argument in arguments) and "compile" not in arguments and int(pid) != os.getpid():
            found.append(" ".join(arguments))
    return found


def files(folder):
    return sorted(os.path.join(path, name) for path, folders, names in os.walk(folder) for name in folders + names)


def wait_until(ready, process, what):
    start = time.monotonic()
    while not ready():
        if process.poll() is not None:
            sys.exit(f"vitc ended with {process.returncode} before {what}:\n{process.stderr.read()}")
        if time.monotonic() - start > PATIENCE:
            process.kill()
            sys.exit(f"nothing is seen of {what} for {PATIENCE} s")
        time.sleep(0.001)


def attempt(folder, command, number, cold, ready, what):
    """With `cold`, the kernels are not in the cache."""
    name = signal.Signals(number).name
    place = os.path.join(folder, f"{name}-{what.replace(' ', '-')}")
    beside, temporary, cache = (os.path.join(place, part) for part in ("beside", "temporary", "cache"))
    for part in (beside, temporary, cache):
        os.makedirs(part)
    environment = dict(os.environ, TMPDIR=temporary)
    if cold:
        environment["VITC_CACHE_DIR"] = cache
    # Who runs the tests in the background may have SIGINT ignored.
    process = subprocess.Popen(
        [*command, "-o", os.path.join(beside, "new", "out")], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment,
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL))
    wait_until(lambda: ready(place), process, what)
    process.send_signal(number)
    start = time.monotonic()
    _, error = process.communicate(timeout=PATIENCE)
    if time.monotonic() - start > PATIENCE / 4:
        sys.exit(f"{name} {what}: it took {time.monotonic() - start:.0f} s to end")
    if process.returncode != -number or "error" in error:
        sys.exit(f"{name} {what}: ended with {process.returncode}, expected {-number} and no error; it said:\n{error}")
    if processes(place):
        sys.exit(f"{name} {what}: still running: {processes(place)}")
    left = files(beside) + files(temporary) + [file for file in files(cache) if ".vitc-" in file]
    if left:
        sys.exit(f"{name} {what}: left behind: {left}")
    print(f"{name} {what}: nothing left")


def compiling_kernels(place):
    return any("vitc-halide" in line for line in processes(os.path.join(place, "cache")))


def building(place):
    return any("cc1plus" in line or "-c" in line.split() for line in processes(os.path.join(place, "beside")))


def staged(place):
    return files(os.path.join(place, "beside"))


def main():
    folder, *command = sys.argv[1:]
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        attempt(folder, command, number, True, compiling_kernels, "while kernels are compiled")
    attempt(folder, command, signal.SIGTERM, False, staged, "at the start")
    # Under a name that no object in the cache was compiled for.
    fresh = [*command, "--name", f"m{time.time_ns()}"]
    attempt(folder, fresh, signal.SIGTERM, False, building, "while the library is built")

    # Who starts it with nohup wants SIGHUP ignored.
    beside = os.path.join(folder, "nohup")
    os.makedirs(beside)
    process = subprocess.Popen([*command, "-q", "-o", os.path.join(beside, "out")],
                               preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    wait_until(lambda: files(beside), process, "its start")
    process.send_signal(signal.SIGHUP)
    if process.wait(timeout=PATIENCE) or os.listdir(beside) != ["out"]:
        sys.exit(f"with SIGHUP ignored it ended with {process.returncode} and wrote {os.listdir(beside)}")
    print("an ignored signal stays ignored")


main()
