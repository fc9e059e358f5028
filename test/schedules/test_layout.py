# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""window and space_to_depth, bit for bit."""
from harness import *

rng = np.random.default_rng(10)


def check_window(images, grid, window, shift, cols, order, ldx=None, ldy=None):
    (height, width), (wh, ww), (sh, sw) = grid, window, shift
    ny, nx = -(-height // wh), -(-width // ww)
    ldx, ldy = ldx or round_up(cols, 16), ldy or round_up(cols, 16)
    what = f"window {images} of {grid} windows {window} shift {shift} of {cols} {order} strides {ldx} {ldy}"
    spec = {"images": images, "grid_h": height, "grid_w": width, "window_h": wh, "window_w": ww, "shift_h": sh, "shift_w": sw,
            "cols": cols, "order": order}
    maps = rng.standard_normal((images, height, width, cols)).astype(np.float32)
    # Row by row, as the protocol's formulas have it.
    rows = images * ny * nx * wh * ww
    windows = np.zeros((rows, cols), np.float32)
    for b, wy, wx, ty, tx in np.ndindex(images, ny, nx, wh, ww):
        y, x = (wy * wh + ty + sh) % (ny * wh), (wx * ww + tx + sw) % (nx * ww)
        row = ((b * ny + wy) * nx + wx) * wh * ww + ty * ww + tx
        if order == "grid":
            row = ((b * wh + ty) * ww + tx) * ny * nx + wy * nx + wx
        if y < height and x < width:
            windows[row] = maps[b, y, x]
    flat = maps.reshape(-1, cols)
    for direction, source, expected in [("partition", flat, windows), ("merge", windows, flat)]:
        kernel = build("window", {**spec, "ldx": ldx, "ldy": ldy, "direction": direction})
        arguments = lambda: [place(source, (ldx, 1), floats=len(source) * ldx), guarded(len(expected) * ldy)]
        out = run_all_modes(what, kernel, arguments)
        check_equal_bits(f"{what} {direction}", view(out, expected.shape, (ldy, 1)).copy(), expected)
        print("ok", what, direction)


for order in ("window", "grid"):
    check_window(1, (56, 56), (7, 7), (3, 3), 96, order)
    check_window(2, (16, 14), (7, 7), (0, 0), 32, order)
    check_window(2, (9, 10), (4, 3), (2, 1), 10, order)
    check_window(1, (5, 3), (8, 8), (4, 4), 7, order, ldx=7, ldy=7)
    check_window(3, (4, 6), (2, 2), (0, 0), 33, order, ldx=33, ldy=48)
    check_window(1, (1, 1), (1, 1), (0, 0), 1, order, ldx=1, ldy=1)
    check_window(2, (6, 6), (3, 2), (7, 13), 24, order)  # shifts beyond the map
    check_window(1, (12, 24), (12, 12), (6, 6), 512, order)


def check_depth(images, grid, block, cols, order, ldx=None, ldy=None):
    (height, width), (bh, bw) = grid, block
    out_h, out_w = -(-height // bh), -(-width // bw)
    ldx, ldy = ldx or round_up(cols, 16), ldy or round_up(bh * bw * cols, 16)
    what = f"space_to_depth {images} of {grid} by {block} of {cols} {order} strides {ldx} {ldy}"
    kernel = build("space_to_depth", {"images": images, "grid_h": height, "grid_w": width, "block_h": bh, "block_w": bw,
                                      "cols": cols, "ldx": ldx, "ldy": ldy, "order": order})
    x = rng.standard_normal((images, height, width, cols)).astype(np.float32)
    whole = np.zeros((images, out_h * bh, out_w * bw, cols), np.float32)
    whole[:, :height, :width] = x
    parts = whole.reshape(images, out_h, bh, out_w, bw, cols)
    expected = parts.transpose((0, 1, 3, 2, 4, 5) if order == "rows" else (0, 1, 3, 4, 2, 5)).reshape(-1, bh * bw * cols)
    arguments = lambda: [place(x.reshape(-1, cols), (ldx, 1), floats=images * height * width * ldx),
                         guarded(len(expected) * ldy)]
    out = run_all_modes(what, kernel, arguments)
    check_equal_bits(what, view(out, expected.shape, (ldy, 1)).copy(), expected)
    print("ok", what)


for order in ("rows", "columns"):
    check_depth(1, (56, 56), (2, 2), 96, order)
    check_depth(2, (7, 9), (2, 2), 20, order)
    check_depth(2, (7, 8), (3, 2), 5, order, ldx=5, ldy=30)
    check_depth(1, (1, 1), (1, 1), 1, order, ldx=1, ldy=1)
    check_depth(3, (3, 3), (4, 4), 13, order)
    check_depth(2, (8, 6), (1, 3), 64, order, ldy=208)
    check_depth(8, (14, 14), (2, 2), 384, order)
