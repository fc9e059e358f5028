#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Breaks each promise of docs/Promises.md on purpose, and checks that its test fails.

    break_promises.py [--only NAME]... [--list] BUILD

BUILD is a configured build folder of this checkout, with everything built. Each break is one edit of one source: it is made, what the
test needs is built, the test is run and must fail, and the edit is taken back. A test that passes while its promise is broken is an error.
`--list` shows the breaks, and fails if a source has no place for one of them any more.
Breaks are made in a copy of the sources (BUILD/promises), never in the checkout itself.
"""
import argparse
import json
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BREAKS = json.loads((pathlib.Path(__file__).parent / "breaks.json").read_text())


def run(command, folder, log):
    with open(log, "ab") as stream:
        stream.write(f"$ {' '.join(map(str, command))}\n".encode())
        stream.flush()
        return subprocess.run(command, cwd=folder, stdout=stream, stderr=subprocess.STDOUT).returncode


class Copy:
    """The sources in a folder of their own, with a build folder."""

    def __init__(self, build):
        self.folder = build / "promises"
        self.log = build / "promises.log"
        self.log.unlink(missing_ok=True)
        names = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True,
                               text=True).stdout.splitlines()
        for name in names:
            source, target = ROOT / name, self.folder / name
            if not source.exists():
                continue
            if not target.exists() or target.read_bytes() != source.read_bytes():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, target)
        venv = self.folder / "build" / "venv"
        venv.parent.mkdir(exist_ok=True)
        if not venv.exists():
            venv.symlink_to(build / "venv")
        self.require(["cmake", "--preset", "release"])

    def require(self, command):
        if run(command, self.folder, self.log):
            sys.exit(f"{' '.join(command)} failed; see {self.log}")

    def build(self):
        return run(["cmake", "--build", "--preset", "release"], self.folder, self.log) == 0

    def passes(self, test):
        """Whether a test passes: the name of a ctest test, or of a lit file."""
        if test.endswith((".test", ".mlir")):
            lit = subprocess.run(["llvm-config-22", "--bindir"], capture_output=True, text=True).stdout.strip() or "/usr/lib/llvm-22/bin"
            return run([f"{lit}/lit", "-v", "build/test", "--filter", test.replace(".", "[.]")], self.folder, self.log) == 0
        return run(["ctest", "--preset", "release", "--no-tests=error", "-R", f"^{test}([.]|$)"], self.folder, self.log) == 0


def misses(folder, entry):
    """What is wrong with the place of a break, if anything."""
    count = (folder / entry["file"]).read_text().count(entry["find"])
    return f"{entry['file']} has {count} places like {entry['find']!r}, expected 1: mend test/promises/breaks.json" if count != 1 else None


def try_break(copy, entry):
    if problem := misses(copy.folder, entry):
        return problem
    path = copy.folder / entry["file"]
    text = path.read_text()
    try:
        path.write_text(text.replace(entry["find"], entry["replace"]))
        if not copy.build():
            return f"the broken code does not build; see {copy.log}"
        passing = [test for test in entry["tests"] if copy.passes(test)]
    finally:
        path.write_text(text)
    return f"still pass: {', '.join(passing)}" if passing else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", nargs="?", default=str(ROOT / "build"))
    parser.add_argument("--only", action="append", help="the breaks with this in their names")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    chosen = [entry for entry in BREAKS if not options.only or any(word in entry["promise"] for word in options.only)]
    if options.list:
        for entry in BREAKS:
            print(f"{entry['promise']}: {entry['file']}: {', '.join(entry['tests'])}")
        problems = [problem for entry in BREAKS if (problem := misses(ROOT, entry))]
        print("\n".join(problems), end="", file=sys.stderr)
        return int(bool(problems))
    if not chosen:
        sys.exit(f"--only {options.only}: no such promise; --list shows them")
    copy = Copy(pathlib.Path(options.build).resolve())
    if not copy.build():
        sys.exit(f"the unbroken code does not build; see {copy.log}")
    whole = sorted({test for entry in chosen for test in entry["tests"]})
    failing = [test for test in whole if not copy.passes(test)]
    if failing:
        sys.exit(f"fail although nothing is broken: {', '.join(failing)}; see {copy.log}")
    failures = 0
    for entry in chosen:
        problem = try_break(copy, entry)
        failures += bool(problem)
        print(f"{'FAIL' if problem else 'ok  '} {entry['promise']}: {problem or 'broken, and ' + ', '.join(entry['tests']) + ' failed'}", flush=True)
    print(f"{len(chosen) - failures} passed, {failures} failed")
    return int(failures > 0)


sys.exit(main())
