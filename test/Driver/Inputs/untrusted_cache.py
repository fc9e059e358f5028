#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles with kernel caches that other users could change, each in another way. vitc must refuse each with exit code 1 and one message
that names the place, and must go on working with a cache that is safe.

    untrusted_cache.py FOLDER vitc compile MODEL      adds -o itself
    untrusted_cache.py --root FOLDER vitc compile MODEL      with folders of other users, which only root can make
"""

import glob
import os
import shutil
import subprocess
import sys

NOBODY = 65534


class Scene:
    """A filled cache in two folders of its own."""

    def __init__(self, folder, filled, name):
        self.outer = os.path.join(folder, name)
        self.cache = os.path.join(self.outer, "inner", "cache")
        shutil.copytree(filled, self.cache)

    def entry(self, name):
        return sorted(glob.glob(f"{self.cache}/kernels/*/*/{name}"))[0]


def run(command, scene, cache=None):
    out = os.path.join(scene.outer, "out")
    environment = dict(os.environ, VITC_CACHE_DIR=cache or scene.cache)
    process = subprocess.run([*command, "-q", "-o", out], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    return process.returncode, process.stderr, out


def refuse(command, scene, what, place, cache=None):
    code, error, out = run(command, scene, cache)
    if code != 1 or error.count("error:") != 1 or not error.startswith(f"vitc: error: {place}: ") or os.path.exists(out):
        sys.exit(f"{what}: exit code {code}, expected 1 and one error about {place}; it said:\n{error}")
    print(f"{what}: {error}", end="")


def accept(command, scene, what, cache=None):
    code, error, out = run(command, scene, cache)
    if code or error:
        sys.exit(f"{what}: exit code {code}, expected 0 and no word; it said:\n{error}")
    shutil.rmtree(out)
    print(f"{what}: accepted")


def as_user(folder, filled, command):
    scene = Scene(folder, filled, "writable")
    os.chmod(scene.cache, 0o777)
    refuse(command, scene, "cache that all may write", scene.cache)
    os.chmod(scene.cache, 0o1777)
    refuse(command, scene, "sticky cache", scene.cache)
    os.chmod(scene.cache, 0o755)
    accept(command, scene, "mended cache")

    inner = os.path.dirname(scene.cache)
    os.chmod(inner, 0o757)
    refuse(command, scene, "parent that all may write", inner)
    os.chmod(inner, 0o1777)
    accept(command, scene, "sticky parent")
    os.chmod(inner, 0o755)

    adapter = scene.entry("kernel.cpp")
    os.chmod(adapter, 0o666)
    refuse(command, scene, "adapter that all may write", adapter)
    os.chmod(adapter, 0o644)
    os.chmod(os.path.dirname(adapter), 0o777)
    refuse(command, scene, "entry that all may write", os.path.dirname(adapter))
    os.chmod(os.path.dirname(adapter), 0o755)

    link = os.path.join(scene.outer, "link")
    os.symlink("inner/cache", link)
    accept(command, scene, "link", link)
    os.chmod(scene.cache, 0o777)
    refuse(command, scene, "link to a cache that all may write", scene.cache, link)
    os.chmod(scene.cache, 0o755)
    accept(command, scene, "way back and forth", os.path.join(scene.outer, "inner", "..", "link", ".", ""))

    loop = os.path.join(scene.outer, "loop")
    os.symlink("loop", loop)
    refuse(command, scene, "link to itself", loop, loop)

    # A umask that lets all write must not spoil the user's own cache.
    fresh = os.path.join(scene.outer, "fresh", "cache")
    before = os.umask(0)
    for _ in range(2):
        accept(command, scene, "cache made with umask 0", fresh)
    os.umask(before)


def as_root(folder, filled, command):
    scene = Scene(folder, filled, "foreign")
    os.chown(scene.cache, NOBODY, 0)
    refuse(command, scene, "cache of another user", scene.cache)
    os.chown(scene.cache, 0, NOBODY)
    os.chmod(scene.cache, 0o775)
    refuse(command, scene, "cache of another group", scene.cache)
    os.chmod(scene.cache, 0o755)
    accept(command, scene, "cache that another group reads")

    for place, what in ((os.path.dirname(scene.cache), "parent"), (f"{scene.cache}/kernels", "folder of kernels"),
                        (os.path.dirname(scene.entry("kernel.cpp")), "entry"), (scene.entry("kernel.o"), "object"),
                        (scene.entry("sha256sums"), "file of hashes")):
        os.chown(place, NOBODY, NOBODY)
        refuse(command, scene, f"{what} of another user", place)
        os.chown(place, 0, 0)

    # In a sticky folder a link may be anybody's.
    link = os.path.join(scene.outer, "link")
    os.symlink(scene.cache, link)
    os.chmod(scene.outer, 0o1777)
    accept(command, scene, "link in a sticky folder", link)
    os.lchown(link, NOBODY, NOBODY)
    refuse(command, scene, "link of another user", link, link)


def main():
    arguments = sys.argv[1:]
    root = arguments[0] == "--root"
    folder, *command = arguments[root:]
    os.makedirs(folder)
    filled = os.path.join(folder, "filled")
    process = subprocess.run([*command, "-q", "-o", os.path.join(folder, "warm")], env=dict(os.environ, VITC_CACHE_DIR=filled))
    if process.returncode:
        sys.exit("the cache could not be filled")
    (as_root if root else as_user)(folder, filled, command)


main()
