#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles twice at the same time into one empty kernel cache, with the same process number, as two containers may. Both must succeed.

    same_pid.py FOLDER vitc compile MODEL      adds -o itself
"""

import filecmp
import os
import subprocess
import sys

folder, *command = sys.argv[1:]
os.makedirs(folder)
environment = dict(os.environ, VITC_CACHE_DIR=os.path.join(folder, "cache"))
outs = [os.path.join(folder, f"out{i}") for i in range(2)]
# Number 2 in each: the shell that is number 1 must not replace itself.
processes = [subprocess.Popen(["unshare", "--fork", "--pid", "sh", "-c", 'echo "$$"; "$@"; exit $?', "sh", *command, "-q", "--name", "net", "-o", out],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment) for out in outs]
texts = [process.communicate()[0] for process in processes]
if any(process.returncode for process in processes) or texts != ["1\n", "1\n"]:
    sys.exit(f"exit codes {[process.returncode for process in processes]}, expected 0 and the number 1 alone; they said:\n" + "\n".join(texts))
if not filecmp.cmp(*(os.path.join(out, "lib", "libnet.so") for out in outs), shallow=False):
    sys.exit("the libraries differ")
left = [path for path, _, _ in os.walk(folder) if ".vitc-" in path]
if left:
    sys.exit(f"left behind: {left}")
print("both succeeded")
