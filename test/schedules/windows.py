# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Windows that slide over a map, in numpy: what the tests of convolutions and pools have in common."""
import numpy as np

GEOMETRY = ("batch", "channels", "height", "width", "kernel_h", "kernel_w", "stride_h", "stride_w", "pad_top", "pad_left",
            "out_h", "out_w")


def geometry(batch, channels, height, width, kernel, stride=1, pad=(0, 0, 0, 0)):
    """`kernel` and `stride` are numbers or pairs, `pad` is top, left, bottom, right."""
    (kernel_h, kernel_w), (stride_h, stride_w) = (v if isinstance(v, tuple) else (v, v) for v in (kernel, stride))
    top, left, bottom, right = pad if isinstance(pad, tuple) else (pad,) * 4
    out_h = (height + top + bottom - kernel_h) // stride_h + 1
    out_w = (width + left + right - kernel_w) // stride_w + 1
    assert out_h > 0 and out_w > 0
    return dict(zip(GEOMETRY, (batch, channels, height, width, kernel_h, kernel_w, stride_h, stride_w, top, left, out_h,
                               out_w)))


def spans(g):
    """Height and width of what the windows cover together."""
    return (g["out_h"] - 1) * g["stride_h"] + g["kernel_h"], (g["out_w"] - 1) * g["stride_w"] + g["kernel_w"]


def windows(x, g, outside=0.0):
    """[batch, height, width, channels] to [batch, out_h, out_w, kernel_h, kernel_w, channels]."""
    high, wide = spans(g)
    around = np.full((g["batch"], max(high, g["pad_top"] + g["height"]), max(wide, g["pad_left"] + g["width"]),
                      g["channels"]), outside, np.float64)
    around[:, g["pad_top"]:g["pad_top"] + g["height"], g["pad_left"]:g["pad_left"] + g["width"]] = x
    result = np.empty((g["batch"], g["out_h"], g["out_w"], g["kernel_h"], g["kernel_w"], g["channels"]))
    for y in range(g["out_h"]):
        for x in range(g["out_w"]):
            top, left = y * g["stride_h"], x * g["stride_w"]
            result[:, y, x] = around[:, top:top + g["kernel_h"], left:left + g["kernel_w"]]
    return result


def describe(g):
    return (f"{g['batch']}x{g['height']}x{g['width']}x{g['channels']} by {g['kernel_h']}x{g['kernel_w']}"
            f"/{g['stride_h']}x{g['stride_w']} pad {g['pad_top']},{g['pad_left']} to {g['out_h']}x{g['out_w']}")
