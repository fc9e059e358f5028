# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes numpy.npz, which NpzTest reads. Run in this folder: python make_numpy_npz.py"""

import numpy as np

count = np.arange(12, dtype=np.float32).reshape(3, 4)
np.savez_compressed(
    "numpy.npz",
    **{
        "plain": count,
        # bfloat16, as NumPy stores what JAX gives it.
        "block/half": (count.view(np.uint32) >> 16).astype(np.uint16).view("V2"),
        "block/transposed": np.asfortranarray(count),
        "index": np.array([[3, 1], [4, 1]], np.int64),
    },
)
