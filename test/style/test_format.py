#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""test_format.py ROOT [--write]: C and C++ are as clang-format 22 writes them with the repository's .clang-format; --write makes
them so."""
import pathlib
import shutil
import subprocess
import sys

from sources import sources

PROGRAM = "clang-format-22"


def main(root, write):
    if not shutil.which(PROGRAM):
        print(f"{PROGRAM} is missing: tools/setup --tests installs it")
        return 1
    names = [name for name in sources(root) if name.endswith((".c", ".cpp", ".h"))]
    result = subprocess.run([PROGRAM, "-i"] + names if write else [PROGRAM, "--dry-run", "-Werror", "--ferror-limit=1"] + names,
                            cwd=root, stderr=subprocess.PIPE, text=True)
    print(result.stderr, end="")
    if result.returncode:
        print("to mend all: python3 test/style/test_format.py . --write")
    print(f"{len(names)} files looked at")
    return int(bool(result.returncode))


sys.exit(main(pathlib.Path(sys.argv[1]).resolve(), "--write" in sys.argv[2:]))
