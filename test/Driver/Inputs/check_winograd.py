# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads weights as Winograd products do: check_winograd.py PLANNED-IR WEIGHTS-FILE. Says how many layers have the sums that their panels give."""
import re
import sys

import numpy as np

text = open(sys.argv[1]).read()
places = {(name, layout): ([int(extent) for extent in shape.split("x")], int(offset)) for layout, name, shape, offset in re.findall(
    r"kernel\.constant @\S+ #kernel\.(panels|winograd_sums)<\d+> of @(\S+) : memref<([\dx]+)xf32> at (\d+)", text)}
floats = np.fromfile(sys.argv[2], np.float32)[64 // 4:]


def constant(name, layout):
    shape, offset = places[name, layout]
    return floats[offset // 4:offset // 4 + int(np.prod(shape))].reshape(shape).astype(np.float64)


checked = 0
for name, layout in places:
    if layout != "winograd_sums":
        continue
    panels, stored = constant(name, "panels"), constant(name, "winograd_sums")
    y = panels.transpose(0, 2, 1).reshape(-1, panels.shape[1])  # [columns][k]
    g = np.arange(y.shape[1] // 192 * 64)
    sums = (y[:, 3 * g] * y[:, 3 * g + 1] * np.where(g // 32 % 2 == 0, 1, -1)).sum(1)
    size = np.abs(y).sum() / np.count_nonzero(np.abs(y).sum(1))
    np.testing.assert_allclose(stored[:-16], sums, rtol=1e-6, atol=1e-7, err_msg=name)
    np.testing.assert_allclose(stored[-16], size, rtol=1e-6, err_msg=name)
    assert not stored[-15:].any(), name
    checked += 1
print(checked, "layers have Winograd's sums")
