# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The sources of the project, for the tests of this folder."""
import pathlib
import subprocess

SUFFIXES = {".c", ".cc", ".cmake", ".cpp", ".def", ".h", ".in", ".inc", ".py", ".sh", ".td"}
SCRIPTS = {"tools/check", "tools/quickstart", "tools/setup", ".ci/run"}
SKIPPED_FOLDERS = ("build", ".git", "test/numerics/golden", "test/Target/golden")
FEWEST = 400


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


def sources(root):
    """Names of all that people wrote, sorted."""
    names = sorted(name for name in tracked(root) if is_source(name) and (root / name).exists())
    if len(names) < FEWEST:
        raise SystemExit(f"only {len(names)} sources found: the search is broken")
    return names
