# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""resize against numpy in double precision."""
from harness import *

rng = np.random.default_rng(15)


def matrix(inputs, outputs):
    """What each output takes of each input."""
    result = np.zeros((outputs, inputs))
    for i in range(outputs):
        position = max((i + 0.5) * inputs / outputs - 0.5, 0.0)
        before = min(int(position), inputs - 1)
        result[i, before] += 1 - (position - before)
        result[i, min(before + 1, inputs - 1)] += position - before
    return result


def check(batch, height, width, out_h, out_w, cols, ldx=None, ldy=None, schedule=None):
    wide = round_up(cols, 16)
    ldx, ldy, rows = ldx or wide, ldy or wide, batch * out_h * out_w
    what = f"resize {batch}x{height}x{width}x{cols} to {out_h}x{out_w} strides {ldx} {ldy} {schedule or ''}"
    kernel = build("resize", {"batch": batch, "height": height, "width": width, "out_h": out_h, "out_w": out_w,
                              "cols": cols, "ldx": ldx, "ldy": ldy}, schedule)
    x = rng.standard_normal((batch, height, width, cols)).astype(np.float32)
    x[-1] = x[0]  # equal images
    out = run_all_modes(what, kernel, lambda: [place(x.reshape(-1, cols), (ldx, 1), floats=batch * height * width * ldx),
                                               guarded(rows * ldy, fill=7)])
    got = view(out, (batch, out_h, out_w, cols), (out_h * out_w * ldy, out_w * ldy, ldy, 1))
    expected = np.einsum("yh,xw,bhwc->byxc", matrix(height, out_h), matrix(width, out_w), x.astype(np.float64))
    check_close(what, got, expected, 4 * EPS * (1 + np.abs(x).max()))
    check_equal_bits(what + " (image's place)", got[-1].copy(), got[0].copy())
    if (height, width) == (out_h, out_w):
        check_equal_bits(what + " (the same grid)", got.copy(), x)
    end = wide if ldy % 16 == 0 else cols
    if ldy > end:
        beyond = view(out[end:], (rows, ldy - end), (ldy, 1)) if rows > 1 else out[end:]
        assert (beyond == 7).all(), what + ": wrote beyond the row"


check(1, 1, 1, 1, 1, 1)
check(1, 1, 1, 3, 5, 7)
check(2, 14, 14, 28, 28, 96)
check(1, 16, 16, 24, 20, 21)
check(1, 37, 37, 16, 16, 33)
check(3, 5, 9, 9, 5, 1)
check(1, 2, 300, 3, 1001, 16)
check(2, 7, 6, 7, 6, 40)
check(1, 3, 4, 2, 9, 150)
for ldx, ldy in [(21, 21), (32, 21), (21, 48), (48, 32)]:
    check(2, 5, 4, 7, 9, 21, ldx=ldx, ldy=ldy)
check(3, 14, 14, 28, 28, 64, schedule={"parallel": 1, "block_rows": 5})
check(3, 14, 14, 28, 28, 64, schedule={"parallel": 0})
