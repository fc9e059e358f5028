#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""test_licence.py ROOT: every source names its licence within its first three lines, and the licence is there."""
import pathlib
import subprocess
import sys

IDENTIFIER = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
SUFFIXES = {".c", ".cc", ".cmake", ".cpp", ".def", ".h", ".in", ".inc", ".py", ".sh", ".td"}
SCRIPTS = {"tools/check", "tools/quickstart", "tools/setup", ".ci/run"}
SKIPPED_FOLDERS = ("build", ".git", "test/numerics/golden", "test/Target/golden")


def tracked(root):
    """The files of the project: git's where there is a checkout, else all outside build folders."""
    listing = subprocess.run(["git", "-C", root, "ls-files", "-co", "--exclude-standard"], capture_output=True, text=True)
    if listing.returncode == 0:
        return listing.stdout.splitlines()
    return [str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()]


def is_source(name):
    path = pathlib.PurePosixPath(name)
    return not name.startswith(SKIPPED_FOLDERS) and (
        path.suffix in SUFFIXES or path.name == "CMakeLists.txt" or name in SCRIPTS)


def main(root):
    sources = [name for name in tracked(root) if is_source(name) and (root / name).exists()]
    nameless = [name for name in sources
                if not any(IDENTIFIER in line for line in (root / name).read_text(errors="replace").splitlines()[:3])]
    for name in nameless:
        print(f"{name}: no line '{IDENTIFIER}' within the first three lines")
    licence = (root / "LICENSE").read_text()
    complete = "Apache License" in licence and "LLVM Exceptions" in licence and (root / "NOTICE").exists()
    if not complete:
        print("LICENSE must hold the Apache License with the LLVM Exceptions, and NOTICE must stand beside it")
    if len(sources) < 400:
        print(f"only {len(sources)} sources found: the search is broken")
    print(f"{len(sources) - len(nameless)} of {len(sources)} sources name their licence")
    return int(bool(nameless) or not complete or len(sources) < 400)


sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
