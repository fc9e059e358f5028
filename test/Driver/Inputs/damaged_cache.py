#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Damages entries of a kernel cache without changing the size of a file.

    damaged_cache.py CACHE objects      64 zeros in every object
    damaged_cache.py CACHE adapters     another text in every kernel's adapter
    damaged_cache.py CACHE sums         no hashes, none and too few in three entries
"""

import glob
import os
import sys

cache, what = sys.argv[1:]
if what == "objects":
    files = glob.glob(f"{cache}/objects/*/*/object.o") + glob.glob(f"{cache}/kernels/*/*/kernel.o")
    for path in files:
        with open(path, "r+b") as file:
            file.seek(os.path.getsize(path) // 2)
            file.write(bytes(64))
    assert len(files) > 20, files
elif what == "adapters":
    files = glob.glob(f"{cache}/kernels/*/*/kernel.cpp")
    for path in files:
        with open(path, "r+b") as file:
            file.write(b"#error damaged\n")
    assert len(files) > 5, files
else:
    files = glob.glob(f"{cache}/kernels/*/*/sha256sums")
    os.remove(files[0])
    os.truncate(files[1], 0)
    with open(files[2], "r+") as file:
        kept = [line for line in file if "kernel.o" not in line]
        file.seek(0)
        file.writelines(kept)
        file.truncate()
