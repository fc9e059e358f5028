#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""test_listed.py ROOT: every C++ source is in a list of CMake's, or in a list (*.def) that CMake reads: one that is forgotten
would not be compiled, and nothing would say so."""
import pathlib
import sys

from sources import sources

FOLDERS = ("compiler/lib/", "runtime/src/", "schedules/", "tools/")
# Compiled by vitc when it runs.
EXCEPT = ("runtime/src/device/", "tools/runner/")


def is_listed(root, name):
    """Whether a list in the source's folder, or in one above, names it from there."""
    path = pathlib.PurePosixPath(name)
    for folder in path.parents:
        own = str(path.relative_to(folder))
        for listing in [root / folder / "CMakeLists.txt", *sorted((root / folder).glob("*.def")), *sorted((root / folder).glob("*/*.def"))]:
            if listing.exists() and own in listing.read_text().replace('"', " ").replace(")", " ").split():
                return True
    return False


def main(root):
    names = [name for name in sources(root) if name.endswith(".cpp") and name.startswith(FOLDERS) and not name.startswith(EXCEPT)]
    missing = [name for name in names if not is_listed(root, name)]
    for name in missing:
        print(f"{name}: in no CMakeLists.txt and in no list that one reads, so it is not compiled")
    print(f"{len(names) - len(missing)} of {len(names)} sources are listed")
    return int(bool(missing))


sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
