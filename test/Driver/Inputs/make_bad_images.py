#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes files that are no images, or strange ones.

    make_bad_images.py OUT
"""

import os
import struct
import sys
import zlib

import numpy as np
from PIL import Image


def png(width, height, rows):
    """A PNG with the given size in its head, whatever `rows` hold."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def main():
    (out,) = sys.argv[1:]
    os.makedirs(out)
    path = lambda name: os.path.join(out, name)

    def write(name, data):
        with open(path(name), "wb") as file:
            file.write(data)

    good = np.arange(40 * 30 * 3, dtype=np.uint8).reshape(30, 40, 3)
    Image.fromarray(good).save(path("good.png"))
    Image.fromarray(good).save(path("good.jpg"))
    whole_png, whole_jpg = open(path("good.png"), "rb").read(), open(path("good.jpg"), "rb").read()

    write("text.png", b"this is no image\n")
    write("empty.png", b"")
    write("cut.png", whole_png[: len(whole_png) // 2])
    write("cut.jpg", whole_jpg[:300])
    write("zero-wide.png", png(0, 4, b""))
    write("zero.ppm", b"P6\n0 4\n255\n")
    write("huge.png", png(2000000000, 2000000000, b""))
    Image.fromarray(np.full((30000, 1, 3), 77, np.uint8)).save(path("1x30000.png"))
    Image.fromarray(np.full((1, 30000, 3), 77, np.uint8)).save(path("30000x1.png"))
    np.save(path("zero-wide.npy"), np.zeros((4, 0, 3), np.uint8))
    np.save(path("double.npy"), np.zeros((1, 3, 32, 32), np.float64))
    np.save(path("other-tensor.npy"), np.zeros((1, 3, 32, 31), np.float32))
    np.save(path("no-items.npy"), np.zeros((0, 3, 32, 32), np.float32))
    np.save(path("objects.npy"), np.array([{}], dtype=object), allow_pickle=True)
    tensor = open(path("other-tensor.npy"), "rb").read()
    write("cut.npy", tensor[:-1])


main()
