#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Everything that vitc writes for its user has the permissions that the umask leaves.

    permissions.py FOLDER vitc MODEL
"""

import os
import stat
import subprocess
import sys


def check(place, umask):
    paths = [place] + [os.path.join(path, name) for path, folders, names in os.walk(place) for name in folders + names]
    for path in paths:
        mode = os.lstat(path).st_mode
        runs = stat.S_ISDIR(mode) or path.endswith(".so")
        wanted = (0o777 if runs else 0o666) & ~umask
        if stat.S_IMODE(mode) != wanted:
            sys.exit(f"{path} has the mode {stat.S_IMODE(mode):04o}, expected {wanted:04o} with the umask {umask:03o}")
    return len(paths)


def main():
    folder, vitc, model = sys.argv[1:]
    os.makedirs(folder)
    for umask in (0o022, 0o027, 0o077):
        os.umask(umask)
        count = 0
        for emit in ("library", "source", "mlir", "kernels"):
            place = os.path.join(folder, f"{umask:03o}-{emit}")
            out = os.path.join(place, "new", "out")
            subprocess.run([vitc, "compile", model, "-q", "--emit", emit, "-o", out], check=True)
            count += check(place, umask)
        out = os.path.join(folder, f"{umask:03o}-library", "new", "out")
        results = os.path.join(folder, f"{umask:03o}-results")
        subprocess.run([vitc, "run", out, os.path.join(model, "input.npy"), "--save", os.path.join(results, "saved")], check=True,
                       stdout=subprocess.DEVNULL)
        count += check(results, umask)
        print(f"umask {umask:03o}: {count} files and folders")


main()
