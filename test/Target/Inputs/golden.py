#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the texts that vitc writes for a small model with those in test/Target/golden, line by line. vitc's version is VERSION there.

    build/venv/bin/python test/Target/Inputs/golden.py build/bin/vitc [FILE]...     all files if none is named
    build/venv/bin/python test/Target/Inputs/golden.py build/bin/vitc --renew       after a change of the texts that is meant
"""
import difflib
import pathlib
import subprocess
import sys
import tempfile

TEST = pathlib.Path(__file__).resolve().parents[1]
MODEL = TEST.parent / "numerics" / "golden" / "hf_vit_cls_p8"
# Where OUT has each file, by its name in golden/.
FILES = {
    "golden_net.h": "include/golden_net.h",
    "golden_netConfig.cmake": "lib/cmake/golden_net/golden_netConfig.cmake",
    "golden_net.pc": "lib/pkgconfig/golden_net.pc",
    "example.cpp": "example/main.cpp",
    "example.cmake": "example/CMakeLists.txt",
}


def main(vitc, *names):
    renew = names == ("--renew",)
    version = subprocess.run([vitc, "--version"], check=True, capture_output=True, text=True).stdout.split()[1]
    different = False
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out"
        subprocess.run([vitc, "compile", MODEL, "-o", out, "--name", "golden_net", "--target", "x86-64-avx2", "--quiet"], check=True)
        for name in FILES if renew or not names else names:
            text = (out / FILES[name]).read_text().replace(version, "VERSION")
            golden = TEST / "golden" / name
            if renew:
                golden.parent.mkdir(exist_ok=True)
                golden.write_text(text)
                continue
            lines = list(difflib.unified_diff(golden.read_text().splitlines(True), text.splitlines(True), str(golden), "vitc's " + name))
            sys.stdout.writelines(lines)
            different |= bool(lines)
    if different:
        sys.exit(f"\nother texts than in {TEST / 'golden'}; if that is meant: {sys.executable} {__file__} {vitc} --renew")


main(*sys.argv[1:])
