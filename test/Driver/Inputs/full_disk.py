#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles into a disk that is too small, of several sizes, so that it runs full at different stages.

    full_disk.py FOLDER vitc compile MODEL      adds -o itself

Each attempt must end with exit code 1, one error that names the folder asked for, and an empty disk.
A limit on the size of files stops the same writes with another reason, and needs no right to mount anything.
"""

import os
import resource
import subprocess
import sys

# From less than the weights to all but the last files.
DISK_SIZES = ("20k", "100k", "200k", "300k", "400k")
FILE_SIZES = (1000, 20000, 60000, 100000)


def attempt(command, folder, limit=None):
    def restrict():
        if limit:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    out = os.path.join(folder, "out")
    process = subprocess.run(command + ["-o", out], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=restrict)
    errors = [line for line in process.stderr.splitlines() if "error:" in line]
    print("\n".join(errors))
    if process.returncode != 1 or len(errors) != 1:
        sys.exit(f"exit code {process.returncode}, expected 1 and one error; it said:\n{process.stdout}{process.stderr}")
    if not errors[0].startswith(f"vitc: error: {out}: ") or ".vitc-" in errors[0]:
        sys.exit(f"the error does not name {out}")
    if os.listdir(folder):
        sys.exit(f"left behind: {os.listdir(folder)}")


def main():
    folder, *command = sys.argv[1:]
    os.makedirs(folder)
    for size in FILE_SIZES:
        attempt(command, folder, limit=size)
    for size in DISK_SIZES:
        mount = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "vitc-test", folder], stderr=subprocess.PIPE, text=True)
        if mount.returncode:
            print(f"skipped: cannot mount a small disk here ({mount.stderr.strip()}); only the size of files was limited")
            break
        try:
            attempt(command, folder)
        finally:
            subprocess.run(["umount", folder], check=True)
    print("every disk ran full")


main()
