# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""conv against numpy in double precision."""
from harness import *
from windows import *

rng = np.random.default_rng(11)


def check(g, n, layout="nhwc", panel=16, bias=True, activation="none", residual=False, alias=False, ldx=None,
          schedule=None):
    ldx, ldc = ldx or round_up(g["channels"], 16), round_up(n, panel) + 16
    rows, k = g["batch"] * g["out_h"] * g["out_w"], g["kernel_h"] * g["kernel_w"] * g["channels"]
    spec = {**g, "layout": layout, "n": n, "panel": panel, "ldc": ldc, "bias": bias, "activation": activation,
            "residual": residual}
    if layout == "nhwc":
        spec["ldx"] = ldx
    if residual:
        spec["ldr"] = ldc
    what = f"conv {layout} {describe(g)}x{n} panel {panel} {activation} residual {residual} {schedule or ''}"
    kernel = build("conv", spec, schedule)
    columns, pixels = round_up(n, panel), g["batch"] * g["height"] * g["width"]
    x = rng.standard_normal((g["batch"], g["height"], g["width"], g["channels"])).astype(np.float32)
    x[-1] = x[0]  # equal images
    w = (rng.standard_normal((n, g["kernel_h"], g["kernel_w"], g["channels"])) / np.sqrt(k)).astype(np.float32)
    b = rng.standard_normal(n).astype(np.float32)
    r = np.tile(rng.standard_normal((rows // g["batch"], n)), (g["batch"], 1)).astype(np.float32)

    def arguments():
        if layout == "nhwc":
            source, packed = place(x.reshape(pixels, -1), (ldx, 1), floats=pixels * ldx), pack(w.reshape(n, k), panel)
        else:
            source = place(x.transpose(0, 3, 1, 2).ravel(), (1,), alignment=4)
            packed = pack(w.transpose(0, 3, 1, 2).reshape(n, k), panel)
        result = [source, place(packed, (1,))]
        if bias:
            result.append(padded(b, columns))
        out = guarded(rows * ldc, fill=7)
        if residual:
            target = out if alias else guarded(rows * ldc)
            view(target, (rows, n), (ldc, 1))[...] = r
            result.append(target)
        return result + kernel.scratch() + [out]

    out = run_all_modes(what, kernel, arguments)
    a, flat = windows(x, g).reshape(rows, k), w.reshape(n, k).T.astype(np.float64)
    start = b if bias else 0
    expected = ACTIVATIONS[activation](a @ flat + start) + (r if residual else 0)
    # The sums' rounding, an activation's slope of at most 1.2, and its own error.
    tolerance = 4 * EPS * (np.abs(a) @ np.abs(flat) + np.abs(start) + np.abs(expected)) + 1e-6 * (activation != "none")
    got = view(out, (rows, n), (ldc, 1))
    check_close(what, got, expected, tolerance)
    images = got.reshape(g["batch"], -1, n)
    check_equal_bits(what + " (image's place)", images[-1].copy(), images[0].copy())
    beyond = view(out[columns:], (rows, ldc - columns), (ldc, 1)) if rows > 1 else out[columns:]
    assert (beyond == 7).all(), what + ": wrote beyond the panel"


for layout in ("nhwc", "nchw"):
    check(geometry(1, 1, 1, 1, kernel=1), 1, layout)
    check(geometry(1, 1, 1, 1, kernel=3, pad=1), 1, layout)
    check(geometry(2, 3, 5, 7, kernel=3, pad=1), 17, layout)
    check(geometry(1, 3, 31, 29, kernel=7, stride=2, pad=3), 24, layout, activation="relu")
    check(geometry(2, 3, 16, 18, kernel=4, stride=2, pad=1), 10, layout)
    check(geometry(1, 3, 15, 16, kernel=3, stride=2, pad=(0, 1, 1, 0)), 40, layout)  # padding on one side
    check(geometry(2, 5, 4, 3, kernel=(7, 5), stride=(1, 2), pad=(3, 2, 4, 6)), 9, layout)  # larger than the map
    check(geometry(1, 4, 9, 10, kernel=2, stride=(3, 4)), 16, layout)  # pixels that no window sees
    check(geometry(3, 4, 9, 10, kernel=2, stride=5, pad=1), 16, layout)
    check(geometry(1, 2, 6, 6, kernel=3, pad=(0, 0, 2, 2)), 16, layout)
    check(geometry(1, 2, 6, 6, kernel=1, pad=2), 16, layout)  # windows that see nothing but zeros
    check(geometry(1, 2, 8, 6, kernel=(1, 5), stride=(2, 1)), 33, layout, bias=False)
    for residual, alias in ((False, False), (True, False), (True, True)):
        check(geometry(1, 8, 14, 13, kernel=3, pad=1), 48, layout, residual=residual, alias=alias, activation="relu")
check(geometry(1, 64, 28, 28, kernel=3, pad=1), 64)
check(geometry(2, 128, 7, 7, kernel=3, pad=1), 96, panel=32)
check(geometry(1, 64, 14, 14, kernel=3, stride=2, pad=1), 128, activation="silu")
check(geometry(2, 64, 14, 14, kernel=1, stride=2), 128)
check(geometry(2, 37, 9, 8, kernel=1), 20, ldx=37)
check(geometry(2, 37, 9, 8, kernel=3, pad=1), 20, ldx=37)
check(geometry(2, 24, 9, 8, kernel=3), 20, ldx=24)
check(geometry(2, 24, 9, 8, kernel=3), 20, ldx=48)
check(geometry(1, 12, 20, 20, kernel=3, pad=1), 20, panel=5)
check(geometry(1, 64, 20, 20, kernel=3, pad=1), 64, schedule={"parallel": 0})
check(geometry(1, 64, 20, 20, kernel=3, pad=1), 64, schedule={"tile_m": 4, "unroll_k": 4, "block_m": 60, "parallel": 1})
for prefetch in (0, 1, 3):
    check(geometry(1, 16, 12, 12, kernel=3, pad=1), 96, schedule={"prefetch": prefetch})
check(geometry(1, 3, 12, 12, kernel=3, pad=1), 96, "nchw", schedule={"prefetch": 2})
