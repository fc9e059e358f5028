#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""make_inputs.py DIR IMAGES.npy: arrays and images, good and bad, for the tests of `vitc run`. Needs no NumPy.

IMAGES.npy is uint8 [items, 28, 28]; its first image becomes boot.png and boot.pgm.
"""
import os, struct, sys, zlib


def npy(name, descr, shape, data):
    head = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (descr, shape)
    head += " " * (-(len(head) + 11) % 64) + "\n"
    with open(os.path.join(folder, name), "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + data)


def png(name, width, height, rows):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    lines = b"".join(b"\0" + rows[i * width:(i + 1) * width] for i in range(height))
    with open(os.path.join(folder, name), "wb") as f:
        f.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)) +
                chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b""))


folder, images = sys.argv[1:]
os.makedirs(folder, exist_ok=True)
with open(images, "rb") as f:
    pixels = f.read()[-500 * 784:]
boot = pixels[:784]
png("boot.png", 28, 28, boot)
with open(os.path.join(folder, "boot.pgm"), "wb") as f:
    f.write(b"P5 28 28 255\n" + boot)

# The same image in every form that is taken.
tensor = struct.pack("<784f", *[(p / 255 - 0.286) / 0.353 for p in boot])
npy("boot_grey.npy", "|u1", (28, 28), boot)
npy("boot_channel.npy", "|u1", (28, 28, 1), boot)
npy("boot_rgb.npy", "|u1", (28, 28, 3), bytes(p for p in boot for _ in range(3)))
npy("boot_tensor.npy", "<f4", (1, 28, 28), tensor)
npy("five_grey.npy", "|u1", (5, 28, 28), pixels[:5 * 784])
npy("five_channel.npy", "|u1", (5, 28, 28, 1), pixels[:5 * 784])
npy("three_tensors.npy", "<f4", (3, 1, 28, 28), 3 * tensor)
npy("labels3.npy", "<i8", (3,), struct.pack("<3q", 9, 9, 1))
npy("labels3_large.npy", "<i8", (3,), struct.pack("<3q", 9, 9, 10))

# What is not taken.
npy("wrong_shape.npy", "<f4", (1, 3, 28, 28), bytes(4 * 3 * 784))
npy("doubles.npy", "<f8", (1, 1, 28, 28), bytes(8 * 784))
npy("integers.npy", "<i8", (4,), bytes(32))
npy("other_size.npy", "|u1", (40, 50), bytes(2000))
npy("five_channels.npy", "|u1", (2, 28, 28, 5), bytes(2 * 5 * 784))
npy("nothing.npy", "|u1", (0, 28, 28), b"")
