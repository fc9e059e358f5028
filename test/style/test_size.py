#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""test_size.py ROOT: no source that people write has more than 500 lines; it would have a second subject. Data that a program
wrote (.inc) may be longer."""
import pathlib
import sys

from sources import sources

MOST = 500


def main(root):
    lengths = {name: len((root / name).read_text(errors="replace").splitlines())
               for name in sources(root) if not name.endswith(".inc")}
    long = {name: lines for name, lines in lengths.items() if lines > MOST}
    for name, lines in long.items():
        print(f"{name}:{MOST + 1}: {lines} lines, expected at most {MOST}: move a subject of its own to another file")
    print(f"{len(lengths) - len(long)} of {len(lengths)} sources have at most {MOST} lines; the longest has {max(lengths.values())}")
    return int(bool(long))


sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
