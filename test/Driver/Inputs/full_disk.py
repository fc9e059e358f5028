#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles where there is too little space, of several sizes, so that it runs out at different stages.

    full_disk.py files FOLDER vitc compile MODEL      limits the size of files, which needs no right to mount anything
    full_disk.py out FOLDER vitc compile MODEL        OUT is on a small disk
    full_disk.py cache FOLDER vitc compile MODEL      the kernel cache is
    full_disk.py read-only FOLDER vitc compile MODEL  both are, one after the other, on a disk that cannot be written; a full cache works so

Each attempt must end with exit code 1 and one error that names the folder and the true reason, and leave nothing unfinished.
"""

import os
import resource
import subprocess
import sys

# From less than the weights to all but the last files.
DISK_SIZES = ("20k", "100k", "200k", "300k", "400k")
FILE_SIZES = (1000, 20000, 60000, 100000)
# From not even the folders to some kernels.
CACHE_SIZES = ("4k", "12k", "16k", "20k", "64k", "200k")
REASONS = ("No space left on device", "no space left on the disk", "File too large", "Read-only file system")


def files(folder):
    return [os.path.join(path, name) for path, folders, names in os.walk(folder) for name in folders + names]


def attempt(command, out, place, limit=None, cache=None):
    """`place` is the folder that the error must name."""
    def restrict():
        if limit:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    environment = dict(os.environ, **({"VITC_CACHE_DIR": cache} if cache else {}))
    process = subprocess.run(command + ["-o", out], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=restrict,
                             env=environment)
    errors = [line for line in process.stderr.splitlines() if "error:" in line]
    print("\n".join(errors))
    if process.returncode != 1 or len(errors) != 1:
        sys.exit(f"exit code {process.returncode}, expected 1 and one error; it said:\n{process.stdout}{process.stderr}")
    if not errors[0].startswith(f"vitc: error: {place}: ") or ".vitc-" in errors[0]:
        sys.exit(f"the error does not name {place}")
    if not any(reason in errors[0] for reason in REASONS):
        sys.exit("the error does not say why")
    if os.path.exists(out) or any(".vitc-" in file for file in files(os.path.dirname(out))):
        sys.exit(f"left behind: {files(os.path.dirname(out))}")
    if cache and any(".vitc-" in file for file in files(cache)):
        sys.exit(f"left behind: {files(cache)}")


class Disk:
    def __init__(self, folder, size, options=""):
        self.folder, self.options = folder, f"size={size},mode=755{options}"

    def __enter__(self):
        subprocess.run(["mount", "-t", "tmpfs", "-o", self.options, "vitc-test", self.folder], check=True)

    def __exit__(self, *_):
        subprocess.run(["umount", self.folder], check=True)


def main():
    kind, folder, *command = sys.argv[1:]
    disk, elsewhere = os.path.join(folder, "disk"), os.path.join(folder, "elsewhere")
    os.makedirs(disk)
    os.makedirs(elsewhere)
    if kind == "files":
        for size in FILE_SIZES:
            attempt(command, os.path.join(disk, "out"), os.path.join(disk, "out"), limit=size)
    elif kind == "out":
        for size in DISK_SIZES:
            with Disk(disk, size):
                attempt(command, os.path.join(disk, "out"), os.path.join(disk, "out"))
    elif kind == "cache":
        for size in CACHE_SIZES:
            with Disk(disk, size):
                attempt(command, os.path.join(elsewhere, "out"), disk, cache=disk)
    else:
        with Disk(disk, "1m", ",ro"):
            attempt(command, os.path.join(disk, "out"), os.path.join(disk, "out"))
            attempt(command, os.path.join(elsewhere, "out"), os.path.join(disk, "cache"), cache=os.path.join(disk, "cache"))
        # A cache that has everything need not be written.
        with Disk(disk, "100m"):
            for name in ("filled", "used"):
                subprocess.run([*command, "-q", "-o", os.path.join(elsewhere, name)], check=True, env=dict(os.environ, VITC_CACHE_DIR=disk))
                subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
    print(f"{kind}: every attempt was refused")


main()
