#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes data/resize.fixtures: what Pillow and numpy make of known images.

Needs Pillow 13 or later and numpy. The images are made from a formula that ResizeTest.cpp repeats, so only
results are stored. Layout, all little-endian:

    float32[3][256]                 each pixel value rescaled and normalised, for three channels
    int32                           number of records
    record: int32[12]               filter, resize, resizeHeight, resizeWidth, centerCrop,
                                    channels, height, width           (as in vitc::rt::Preprocessing)
                                    image width, height, channels, seed
            uint8[channels][height][width]
"""

import pathlib

import numpy as np
from PIL import Image

NEAREST, LANCZOS, BILINEAR, BICUBIC, BOX, HAMMING = range(6)
FILTERS = range(6)
NONE, EXACT, SHORTEST_EDGE = range(3)


def test_image(width, height, channels, seed):
    """Noise; for odd seeds only black and white, which makes filters with negative weights clip."""
    y, x, c = np.meshgrid(*(np.arange(n, dtype=np.uint64) for n in (height, width, channels)), indexing="ij")
    mixed = (x * 7919 + y * 104729 + c * 1299709 + seed * 15485863) % 2**32
    mixed = mixed * 2654435761 % 2**32
    mixed = (mixed ^ (mixed >> 15)) * 2246822519 % 2**32
    value = (mixed >> 24).astype(np.uint8)
    return np.where(value > 127, 255, 0).astype(np.uint8) if seed % 2 else value


def center_crop(image, height, width):
    """transformers.image_transforms.center_crop, for height x width x channels."""
    h, w = image.shape[:2]
    padded = np.zeros((max(h, height), max(w, width), image.shape[2]), np.uint8)
    top, left = -((h - len(padded)) // 2), -((w - padded.shape[1]) // 2)
    padded[top : top + h, left : left + w] = image
    top, left = (len(padded) - height) // 2, (padded.shape[1] - width) // 2
    return padded[top : top + height, left : left + width]


def resized_size(resize, resize_height, resize_width, width, height):
    if resize == NONE:
        return height, width
    if resize == EXACT:
        return resize_height, resize_width
    short, long = min(width, height), max(width, height)
    long = int(resize_height * long / short)
    return (long, resize_height) if width <= height else (resize_height, long)


def record(filter, size, resize, out, channels=3, image_channels=3, crop=False, seed=0):
    width, height = size
    resize_height, resize_width = resize[1:] if len(resize) == 3 else (resize[1], 0)
    image = Image.fromarray(test_image(width, height, image_channels, seed).squeeze(2)
                            if image_channels == 1 else test_image(width, height, image_channels, seed))
    image = image.convert("L" if channels == 1 else "RGB")
    h, w = resized_size(resize[0], resize_height, resize_width, width, height)
    result = np.asarray(image.resize((w, h), filter)).reshape(h, w, channels)
    if crop:
        result = center_crop(result, *out)
    assert result.shape[:2] == out, (result.shape, out)
    head = [filter, resize[0], resize_height, resize_width, crop, channels, *out, width, height, image_channels, seed]
    return np.array(head, "<i4").tobytes() + np.ascontiguousarray(result.transpose(2, 0, 1)).tobytes()


def exact(filter, size, out, **options):
    return record(filter, size, (EXACT, *out), out, **options)


def cropped(filter, size, edge, out, **options):
    return record(filter, size, (SHORTEST_EDGE, edge), out, crop=True, **options)


def records():
    for filter in FILTERS:
        for seed in (0, 1):
            yield exact(filter, (31, 23), (9, 14), seed=seed)  # down, odd sizes
            yield exact(filter, (9, 7), (17, 26), seed=seed)  # up
            yield exact(filter, (40, 8), (19, 11), seed=seed)  # narrower and higher
            yield exact(filter, (7, 50), (12, 18), seed=seed)  # wider and lower: vertically first
            yield exact(filter, (20, 90), (10, 15), seed=seed)  # both smaller, vertically first
        # The two sides of the rule for the order of the passes: 20 rows less for 10 columns, and 21.
        yield exact(filter, (30, 40), (20, 20), seed=3)
        yield exact(filter, (30, 41), (20, 20), seed=3)
        yield exact(filter, (13, 13), (13, 13))  # identity
        yield exact(filter, (13, 21), (21, 8), seed=1)  # one axis keeps its size
        yield exact(filter, (21, 13), (8, 21), seed=1)
        yield exact(filter, (1, 1), (5, 6))
        yield exact(filter, (17, 19), (1, 1), seed=1)
        yield exact(filter, (1, 37), (6, 5))
        yield exact(filter, (37, 1), (6, 5))
        yield exact(filter, (25, 17), (10, 12), channels=1, image_channels=1, seed=1)
        yield exact(filter, (25, 17), (10, 12), channels=1, image_channels=3)
        yield exact(filter, (17, 60), (10, 12), channels=1, image_channels=3)
        yield exact(filter, (25, 17), (10, 12), channels=3, image_channels=1)
        yield cropped(filter, (40, 30), 20, (16, 16))
        yield cropped(filter, (31, 53), 21, (14, 17), seed=1)
        yield cropped(filter, (53, 31), 21, (14, 17), seed=1)
        yield cropped(filter, (33, 20), 15, (18, 18))  # padding above and below, crop at the sides
        yield cropped(filter, (20, 33), 15, (19, 18))
        yield record(filter, (11, 8), (EXACT, 7, 5), (12, 9), crop=True)  # odd padding on all sides
        yield cropped(filter, (1, 30000), 12, (10, 10), seed=1)
        yield cropped(filter, (30000, 1), 12, (10, 10), seed=1)
        yield exact(filter, (2, 30000), (10, 10), seed=1)
        yield exact(filter, (30000, 2), (10, 10), seed=1)
    yield record(BILINEAR, (9, 11), (NONE, 0, 0), (11, 9))
    yield record(BILINEAR, (9, 11), (NONE, 0, 0), (6, 12), crop=True)
    # More weights than the table holds: several blocks of columns, then columns of more than a table.
    yield exact(LANCZOS, (30000, 3), (2, 40), seed=1)
    yield exact(LANCZOS, (150000, 2), (2, 3))
    yield exact(BICUBIC, (150000, 2), (3, 2), channels=1, image_channels=3)
    # Vertically first in several chunks and strips.
    yield exact(BICUBIC, (200, 900), (450, 4), channels=1, image_channels=1)
    yield exact(BICUBIC, (120, 900), (210, 7))
    # More rows than there is room for totals.
    yield exact(BILINEAR, (2, 9100), (9000, 1), channels=1, image_channels=1)
    yield exact(BILINEAR, (2, 8000), (9000, 1), channels=1, image_channels=1)
    # The nearest filter adds up its position; these sizes show the rounding.
    for width, out in ((100, 30), (7, 70), (1000, 333), (3, 300), (49, 98)):
        yield exact(NEAREST, (width, 3), (2, out), channels=1, image_channels=1)
        yield exact(NEAREST, (3, width), (out, 2), channels=1, image_channels=1)


def normalised():
    mean = np.array([0.485, 0.456, 0.406], np.float32)[:, None]
    std = np.array([0.229, 0.224, 0.225], np.float32)[:, None]
    rescaled = (np.arange(256).astype(np.float64) * (1 / 255)).astype(np.float32)
    return ((rescaled[None] - mean) / std).astype("<f4").tobytes()


def main():
    Image.MAX_IMAGE_PIXELS = None
    all_records = list(records())
    path = pathlib.Path(__file__).parent / "data" / "resize.fixtures"
    path.write_bytes(normalised() + np.int32(len(all_records)).tobytes() + b"".join(all_records))
    print(f"{path}: {len(all_records)} records, {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
