#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a killed vitc leaves beside OUT and in the kernel cache is removed by the next one, but only if it is vitc's, old and not in use.

    stale_staging.py FOLDER vitc compile MODEL      adds -o itself
"""

import fcntl
import os
import signal
import subprocess
import sys
import time

PATIENCE = 120
TWO_DAYS = 2 * 24 * 60 * 60
NAME = "0123456789abcde"  # and one more


def make(path, mode=0o700, age=TWO_DAYS, kind="folder"):
    if kind == "folder":
        os.makedirs(os.path.join(path, "out"))
        os.chmod(path, mode)
    elif kind == "file":
        open(path, "w").close()
    else:
        os.symlink("/nowhere", path)
    then = time.time() - age
    os.utime(path, (then, then), follow_symlinks=False)
    return path


def staged(*folders):
    """Folders of unfinished work, as vitc names them."""
    return [os.path.join(folder, name) for folder in folders if os.path.isdir(folder) for name in os.listdir(folder) if ".vitc-" in name]


def compile_to(command, out, cache):
    subprocess.run([*command, "-q", "-o", out], check=True, env=dict(os.environ, VITC_CACHE_DIR=cache))


def check_rules(folder, command, cache):
    parent = os.path.join(folder, "rules")
    os.makedirs(parent)
    gone = [make(f"{parent}/.other.vitc-{NAME}f"), make(f"{parent}/x.npy.vitc-{NAME}0", kind="file"),
            make(f"{cache}/staging/drafts.vitc-{NAME}f")]
    stays = {
        "young": make(f"{parent}/.young.vitc-{NAME}f", age=3600),
        "of a short name": make(f"{parent}/.short.vitc-{NAME}"),
        "of a long name": make(f"{parent}/.long.vitc-{NAME}f0"),
        "of another name": make(f"{parent}/.other.vitc-{NAME}g"),
        "all name": make(f"{parent}/.vitc-{NAME}f"),
        "open to others": make(f"{parent}/.open.vitc-{NAME}f", mode=0o755),
        "a link": make(f"{parent}/.link.vitc-{NAME}f", kind="link"),
        "in use": make(f"{parent}/.used.vitc-{NAME}f"),
        "in use, in the cache": make(f"{cache}/staging/used.vitc-{NAME}f"),
    }
    if os.geteuid() == 0:
        stays["another user's"] = make(f"{parent}/.foreign.vitc-{NAME}f")
        os.chown(stays["another user's"], 65534, 65534)
    locks = [os.open(path, os.O_RDONLY) for what, path in stays.items() if what.startswith("in use")]
    for lock in locks:
        fcntl.flock(lock, fcntl.LOCK_EX)
    compile_to(command, os.path.join(parent, "out"), cache)
    for path in gone:
        if os.path.lexists(path):
            sys.exit(f"{path} was left")
    for what, path in stays.items():
        if not os.path.lexists(path):
            sys.exit(f"{path}, which is {what}, was removed")
    for lock in locks:
        os.close(lock)
    print("only what is stale was removed")


def check_killed(folder, command):
    """Killed while kernels are compiled: its folders are really found by the next one."""
    parent, cache = os.path.join(folder, "killed"), os.path.join(folder, "cold")
    os.makedirs(parent)
    places = (parent, os.path.join(cache, "staging"))
    process = subprocess.Popen([*command, "-q", "-o", os.path.join(parent, "out")], env=dict(os.environ, VITC_CACHE_DIR=cache))
    start = time.monotonic()
    while not all(staged(place) for place in places):
        if process.poll() is not None or time.monotonic() - start > PATIENCE:
            sys.exit("it ended before it was killed")
        time.sleep(0.001)
    for path in staged(*places):
        if os.stat(path).st_mode & 0o7777 != 0o700:
            sys.exit(f"{path} is open to others")
    # In use, however old it may look.
    process.send_signal(signal.SIGSTOP)
    used = staged(*places)
    for path in used:
        os.utime(path, (0, 0))
    compile_to(command, os.path.join(parent, "second"), cache)
    if staged(*places) != used:
        sys.exit(f"{used} are in use, and are now {staged(*places)}")
    process.send_signal(signal.SIGKILL)
    process.wait()
    left = staged(*places)
    if not left:
        sys.exit("nothing was left, so that the test shows nothing")
    for path in left:
        os.utime(path, (0, 0))
    compile_to(command, os.path.join(parent, "third"), cache)
    if staged(*places):
        sys.exit(f"left: {staged(*places)}")
    print("what was killed was removed")


def main():
    folder, *command = sys.argv[1:]
    os.makedirs(folder)
    cache = os.path.join(folder, "cache")
    compile_to(command, os.path.join(folder, "warm"), cache)
    check_rules(folder, command, cache)
    check_killed(folder, command)


main()
