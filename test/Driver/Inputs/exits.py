#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a program that must end with a certain exit code, and prints what it wrote to standard error.

    exits.py CODE PROGRAM ARGUMENT...
"""

import subprocess
import sys

code, *command = sys.argv[1:]
process = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
print(process.stderr, end="")
if process.returncode != int(code):
    sys.exit(f"exits.py: exit code {process.returncode}, expected {code}; standard output has: {process.stdout[:400]}")
