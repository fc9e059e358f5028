#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""test_licence.py ROOT: every source names its licence within its first three lines, and the licence is there."""
import pathlib
import sys

from sources import sources

IDENTIFIER = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"


def main(root):
    names = sources(root)
    nameless = [name for name in names
                if not any(IDENTIFIER in line for line in (root / name).read_text(errors="replace").splitlines()[:3])]
    for name in nameless:
        print(f"{name}: no line '{IDENTIFIER}' within the first three lines")
    licence = (root / "LICENSE").read_text()
    complete = "Apache License" in licence and "LLVM Exceptions" in licence and (root / "NOTICE").exists()
    if not complete:
        print("LICENSE must hold the Apache License with the LLVM Exceptions, and NOTICE must stand beside it")
    print(f"{len(names) - len(nameless)} of {len(names)} sources name their licence")
    return int(bool(nameless) or not complete)


sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
