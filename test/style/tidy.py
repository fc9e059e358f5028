#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tidy.py ROOT BUILD [--full | FILE...]: clang-tidy 22 with the repository's .clang-tidy.

Looks at the sources that changed since the branch left main, or in the last commit where this is main; a changed header is looked
at through a source that includes it. Stops after two minutes and says what it left. --full looks at every source, however long
that takes."""
import json
import os
import pathlib
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

PROGRAM = "clang-tidy-22"
SECONDS = 100
MAINS = ("main", "origin/main", "master", "origin/master")


def git(root, *arguments):
    result = subprocess.run(["git", "-C", root, *arguments], capture_output=True, text=True)
    return result.stdout.strip() if result.returncode == 0 else None


def base(root):
    """The commit to compare with; None where there is no earlier one."""
    head = git(root, "rev-parse", "HEAD")
    for main in MAINS:
        commit = git(root, "merge-base", "HEAD", main)
        if commit and commit != head:
            return commit
    return git(root, "rev-parse", "--verify", "HEAD~1")


def includer(root, header, sources):
    """A source that includes the header: that of its name, else the first."""
    name = pathlib.PurePath(header).name
    direct = [source for source in sources if f'/{name}"' in (root / source).read_text(errors="replace")
              or f'"{name}"' in (root / source).read_text(errors="replace")]
    alike = [source for source in direct if pathlib.PurePath(source).stem == pathlib.PurePath(header).stem]
    return (alike or direct or [None])[0]


def changed(root, sources):
    since = base(root)
    if not since:
        print("there is no earlier commit: clang-tidy has nothing to look at")
        return []
    names = (git(root, "diff", "--name-only", "--diff-filter=d", since) or "").splitlines()
    names += (git(root, "ls-files", "-o", "--exclude-standard") or "").splitlines()
    wanted = [name for name in names if name in sources]
    headers = [name for name in names if name.endswith(".h") and name.startswith(("compiler/", "runtime/", "schedules/", "tools/", "test/"))]
    wanted += [source for source in (includer(root, header, sources) for header in headers) if source]
    print(f"{len(names)} files changed since {since[:8]}")
    return sorted(set(wanted))


def main(root, build, arguments):
    commands = json.loads((build / "compile_commands.json").read_text())
    sources = sorted({str(pathlib.Path(os.path.realpath(command["file"])).relative_to(root)) for command in commands
                      if pathlib.Path(os.path.realpath(command["file"])).is_relative_to(root)
                      and not pathlib.Path(os.path.realpath(command["file"])).is_relative_to(build)})
    full = "--full" in arguments
    wanted = sources if full else arguments or changed(root, sources)
    end = time.monotonic() + SECONDS

    def look(name):
        """What clang-tidy says; None if there was no time."""
        left = end - time.monotonic()
        if not full and left < 5:
            return name, None
        try:
            # What GCC precompiled is not for Clang.
            result = subprocess.run([PROGRAM, "-p", build, "--quiet", "--extra-arg=-Wno-ignored-gch", root / name], cwd=root, text=True,
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=None if full else left)
        except subprocess.TimeoutExpired:
            return name, None
        return name, (result.returncode, result.stdout if result.stdout.strip() else result.stderr)

    faulty, left = [], []
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, outcome in pool.map(look, wanted):
            if outcome is None:
                left.append(name)
            elif outcome[0]:
                faulty.append(name)
                print(outcome[1], end="", flush=True)
    for name in left:
        print(f"{name}: not looked at, the time was up")
    print(f"clang-tidy: {len(wanted) - len(left) - len(faulty)} of {len(wanted)} sources are tidy, {len(left)} not looked at")
    return int(bool(faulty))


sys.exit(main(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve(), sys.argv[3:]))
