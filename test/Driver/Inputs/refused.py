#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a program that must refuse its input: exit code 1, one message on standard error, and nothing written in FOLDER.

    refused.py FOLDER PROGRAM ARGUMENT...      prints the message
"""

import os
import subprocess
import sys


def listing(folder):
    return sorted(os.path.join(path, name) for path, folders, files in os.walk(folder) for name in folders + files)


folder, *command = sys.argv[1:]
before = listing(folder)
process = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
error = process.stderr.decode(errors="backslashreplace")
# Progress may come first; the error is the last line, and there is one.
lines = [line for line in error.splitlines() if not line.startswith("vitc: computing")]
problems = []
if process.returncode != 1:
    problems.append(f"exit code {process.returncode}, expected 1")
if sum("error:" in line for line in lines) != 1 or "error:" not in lines[-1]:
    problems.append("expected one line with an error, the last")
if process.stdout:
    problems.append(f"standard output has {process.stdout[:200]}")
written = [path for path in listing(folder) if path not in before]
if written:
    problems.append(f"left behind: {written}")
print(error, end="")
if problems:
    sys.exit("refused.py: " + "; ".join(problems))
