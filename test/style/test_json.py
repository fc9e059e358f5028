#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""test_json.py ROOT: LLVM's JSON parser, which recurses without limit, is called in one place, behind the checks of Support/Json."""
import pathlib
import re
import sys

CALL = re.compile(r"\bjson::(parse|Path::Root)\b|\bparse<\s*llvm::json")
ONLY = "compiler/lib/Support/Json.cpp"


def main(root):
    calls = {}
    sources = [path for folder in ("compiler", "tools") for path in (root / folder).rglob("*")
               if path.suffix in {".cpp", ".h", ".inc"}]
    for path in sources:
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            if CALL.search(line.split("//")[0]):
                calls.setdefault(path.relative_to(root).as_posix(), []).append(number)
    faults = [f"{name}:{number}: use readJson, parseJson or parseJsonValue of vitc/Support/Json.h"
              for name, numbers in sorted(calls.items()) for number in numbers if name != ONLY]
    print(*faults, sep="\n")
    if len(calls.get(ONLY, [])) != 1 or len(sources) < 200:
        faults.append("")
        print(f"{ONLY} must have the one call (found {calls.get(ONLY)}, {len(sources)} sources searched)")
    return int(bool(faults))


sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
