# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""spatial_pool against numpy in double precision."""
from harness import *
from windows import *

rng = np.random.default_rng(14)


def check(g, kind, pad_zero=False, ldx=None, ldc=None, schedule=None):
    channels, wide = g["channels"], round_up(g["channels"], 16)
    ldx, ldc = ldx or wide, ldc or wide
    rows = g["batch"] * g["out_h"] * g["out_w"]
    what = f"spatial_pool {kind} {describe(g)} pad_zero {pad_zero} strides {ldx} {ldc} {schedule or ''}"
    kernel = build("spatial_pool", {**g, "kind": kind, "pad_zero": pad_zero, "ldx": ldx, "ldc": ldc}, schedule)
    x = (rng.standard_normal((g["batch"], g["height"], g["width"], channels)) - 1).astype(np.float32)
    x[-1] = x[0]  # equal images
    floats = g["batch"] * g["height"] * g["width"] * ldx
    out = run_all_modes(what, kernel, lambda: [place(x.reshape(-1, channels), (ldx, 1), floats=floats),
                                               guarded(rows * ldc, fill=7)])
    if kind == "max":
        expected, tolerance = windows(x, g, 0.0 if pad_zero else -np.inf).max(axis=(3, 4)), 0
    else:
        count = windows(np.ones_like(x), g, float(pad_zero)).sum(axis=(3, 4))
        expected = windows(x, g).sum(axis=(3, 4)) / count
        tolerance = 4 * EPS * (1 + windows(np.abs(x), g).sum(axis=(3, 4)) / count)
    got = view(out, (g["batch"], g["out_h"], g["out_w"], channels),
               (g["out_h"] * g["out_w"] * ldc, g["out_w"] * ldc, ldc, 1))
    check_close(what, got, expected, tolerance + 1e-30)
    check_equal_bits(what + " (image's place)", got[-1].copy(), got[0].copy())
    end = wide if ldc % 16 == 0 else channels
    if ldc > end:
        beyond = view(out[end:], (rows, ldc - end), (ldc, 1)) if rows > 1 else out[end:]
        assert (beyond == 7).all(), what + ": wrote beyond the row"


for kind in ("max", "mean"):
    for pad_zero in (False, True):
        check(geometry(1, 1, 1, 1, kernel=1), kind, pad_zero)
        check(geometry(1, 1, 1, 1, kernel=3, pad=1), kind, pad_zero)
        check(geometry(2, 64, 20, 21, kernel=3, stride=2, pad=1), kind, pad_zero)
        check(geometry(1, 24, 13, 8, kernel=3, stride=2, pad=(0, 0, 1, 1)), kind, pad_zero)  # padding on one side
        check(geometry(2, 7, 3, 2, kernel=(5, 4), pad=(2, 2, 3, 2)), kind, pad_zero)  # larger than the map
        check(geometry(1, 33, 10, 11, kernel=2, stride=(3, 4)), kind, pad_zero)  # pixels that no window sees
        check(geometry(2, 48, 6, 6, kernel=2, stride=2), kind, pad_zero)
    for ldx, ldc in [(21, 21), (32, 21), (21, 48), (48, 32)]:
        check(geometry(2, 21, 5, 6, kernel=3, pad=1), kind, ldx=ldx, ldc=ldc)
    check(geometry(3, 64, 28, 28, kernel=3, stride=2, pad=1), kind, schedule={"parallel": 1, "block_rows": 3})
    check(geometry(3, 64, 28, 28, kernel=3, stride=2, pad=1), kind, schedule={"parallel": 0})
