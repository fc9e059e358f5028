# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""depthwise against numpy in double precision."""
from harness import *
from windows import *

rng = np.random.default_rng(12)


def check(g, bias=True, activation="none", ldx=None, ldc=None, schedule=None):
    channels, wide = g["channels"], round_up(g["channels"], 16)
    ldx, ldc, ldw = ldx or wide, ldc or wide, wide + 16
    rows, taps, pixels = g["batch"] * g["out_h"] * g["out_w"], g["kernel_h"] * g["kernel_w"], g["height"] * g["width"]
    spec = {**g, "ldx": ldx, "ldc": ldc, "ldw": ldw, "bias": bias, "activation": activation}
    what = f"depthwise {describe(g)} strides {ldx} {ldc} {activation} {schedule or ''}"
    kernel = build("depthwise", spec, schedule)
    x = rng.standard_normal((g["batch"], g["height"], g["width"], channels)).astype(np.float32)
    x[-1] = x[0]  # equal images
    w = (rng.standard_normal((taps, channels)) / np.sqrt(taps)).astype(np.float32)
    b = rng.standard_normal(channels).astype(np.float32)

    def arguments():
        result = [place(x.reshape(-1, channels), (ldx, 1), floats=g["batch"] * pixels * ldx),
                  place(w, (ldw, 1), floats=taps * ldw)]
        if bias:
            result.append(padded(b, wide))
        return result + kernel.scratch() + [guarded(rows * ldc, fill=7)]

    out = run_all_modes(what, kernel, arguments)
    a, flat = windows(x, g).reshape(rows, taps, channels), w.astype(np.float64)
    start = b if bias else 0
    expected = ACTIVATIONS[activation]((a * flat).sum(axis=1) + start)
    tolerance = 4 * EPS * (np.abs(a * flat).sum(axis=1) + np.abs(start)) + 1e-6 * (activation != "none")
    got = view(out, (rows, channels), (ldc, 1))
    check_close(what, got, expected, tolerance)
    images = got.reshape(g["batch"], -1, channels)
    check_equal_bits(what + " (image's place)", images[-1].copy(), images[0].copy())
    end = wide if ldc % 16 == 0 else channels
    if ldc > end:
        beyond = view(out[end:], (rows, ldc - end), (ldc, 1)) if rows > 1 else out[end:]
        assert (beyond == 7).all(), what + ": wrote beyond the row"


check(geometry(1, 1, 1, 1, kernel=1))
check(geometry(1, 1, 1, 1, kernel=3, pad=1))
check(geometry(2, 7, 5, 9, kernel=3, pad=1))
check(geometry(1, 48, 14, 14, kernel=3, pad=1), activation="relu")
check(geometry(2, 96, 7, 7, kernel=7, pad=3), activation="gelu")
check(geometry(1, 40, 15, 13, kernel=3, stride=2, pad=(0, 0, 1, 1)))
check(geometry(1, 32, 11, 6, kernel=(5, 2), stride=(1, 2), pad=(2, 0, 1, 1)))
check(geometry(1, 20, 3, 2, kernel=(7, 5), pad=(4, 3, 3, 2)))  # larger than the map
check(geometry(2, 20, 9, 10, kernel=2, stride=(3, 4)))  # pixels that no window sees
check(geometry(2, 20, 9, 10, kernel=2, stride=5, pad=1))
check(geometry(1, 16, 4, 4, kernel=1, pad=1), bias=False)
check(geometry(1, 24, 3, 40, kernel=11, pad=5))
for ldx, ldc in [(21, 21), (32, 21), (21, 32), (48, 64), (23, 25)]:
    check(geometry(2, 21, 6, 7, kernel=3, pad=1), ldx=ldx, ldc=ldc)
    check(geometry(2, 21, 6, 7, kernel=3), ldx=ldx, ldc=ldc)
for first in (0, 1):
    check(geometry(2, 64, 28, 28, kernel=3, pad=1), schedule={"channels_first": first, "block": 2, "parallel": 1})
    check(geometry(2, 64, 28, 27, kernel=3, pad=1), schedule={"channels_first": first, "tile_m": 5, "tile_n": 32})
check(geometry(2, 64, 28, 28, kernel=3, pad=1), schedule={"parallel": 0})
