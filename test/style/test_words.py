#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""test_words.py ROOT: sources, docs and tests use the words of the field, not private ones that mean the same."""
import pathlib
import re
import sys

from sources import SKIPPED_FOLDERS, tracked

WORDS = {
    r"picture": "image",
    r"perceptron": "MLP",
    r"way of a model": "life of a model",
    r"open words": "vitc's own config format",
    r"paired[ _-]?products?|pair-products": "Winograd inner products, `winograd`",
    r"fast_?gemm|fast_?linear": "`strassen`",
    r"\blone[ _-]rows|lone_?rows\b": "row-invariant summation, `row_invariant`",
    r"join[_-]?rows": "batch tail, `batch-tail`",
    r"\brival": "baseline",
    r"addsAside|adds aside": "`hasSeparateAdders`",
    r"(?-i:sideBySide)": "`runConcurrently`",
}
REJECTED = {re.compile(word, re.IGNORECASE): instead for word, instead in WORDS.items()}
ITSELF = "test/style/test_words.py"
OTHERS = ("LICENSE",)  # not the project's own words
FEWEST = 800


def faults_of(name, text):
    """Line 0 is the file's name."""
    for number, line in enumerate([name, *text.splitlines()]):
        for word, instead in REJECTED.items():
            for match in word.finditer(line):
                yield f"{name}:{number}: \"{match[0]}\": say {instead}"


def main(root):
    faults, looked_at = [], 0
    for name in sorted(tracked(root)):
        path = root / name
        is_data = name.startswith(SKIPPED_FOLDERS) and not name.endswith(".md")
        if name == ITSELF or name.startswith(OTHERS) or is_data or not path.is_file():
            continue
        content = path.read_bytes()
        if b"\0" in content:
            continue
        looked_at += 1
        faults += faults_of(name, content.decode(errors="replace"))
    print(*faults, sep="\n")
    print(f"{looked_at} files looked at, {len(faults)} faults")
    if looked_at < FEWEST:
        print(f"expected at least {FEWEST}: the search is broken")
    return int(bool(faults) or looked_at < FEWEST)


sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
