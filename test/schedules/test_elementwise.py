# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""activation, add, copy and pool against numpy in double precision."""
from harness import *

rng = np.random.default_rng(6)


@sampled
def check_activation(function, rows, cols, ldx, ldy, x, tolerance):
    what = f"activation {function} {rows}x{cols} strides {ldx} {ldy}"
    kernel = build("activation", {"rows": rows, "cols": cols, "ldx": ldx, "ldy": ldy, "function": function})
    x = np.asarray(x, np.float32).reshape(rows, cols)
    out = run_all_modes(what, kernel, lambda: [place(x, (ldx, 1), floats=rows * ldx), guarded(rows * ldy)])
    expected = ACTIVATIONS[function](x.astype(np.float64))
    check_close(what, view(out, (rows, cols), (ldy, 1)), expected, tolerance(np.abs(expected)))


for function in ACTIVATIONS:
    wide = np.linspace(-12, 12, 64 * 1024)
    check_activation(function, 64, 1024, 1024, 1024, wide, lambda y: 1e-6 * np.maximum(y, 1))
    small = np.logspace(-30, 0, 1024) * np.where(np.arange(1024) % 2, 1, -1)
    check_activation(function, 1, 1024, 1024, 1024, small, lambda y: 8 * EPS * y)
    with np.errstate(over="ignore"):
        large = np.array([1e30, -1e30, 1e4, -1e4, 300, -300, 100, -100, 20, -20], np.float64)
        check_activation(function, 1, 10, 16, 16, large, lambda y: 4 * EPS * y + 1e-6)
    for rows, cols, ldx, ldy in [(3, 7, 7, 7), (2, 10, 16, 10), (5, 1, 1, 1), (1, 33, 33, 48), (300, 500, 512, 512)]:
        x = rng.standard_normal((rows, cols))
        check_activation(function, rows, cols, ldx, ldy, x, lambda y: 8 * EPS * y + 4e-7)
# To the last bits of small values, too.
check_activation("sigmoid", 1, 1024, 1024, 1024, np.linspace(-86, 86, 1024), lambda y: 8 * EPS * y)


@sampled
def check_add(rows, cols, period, ld, alias=False):
    what = f"add {rows}x{cols} period {period} stride {ld} alias {alias}"
    kernel = build("add", {"rows": rows, "cols": cols, "lda": ld, "ldb": ld, "ldc": ld, "period": period})
    a = rng.standard_normal((rows, cols)).astype(np.float32)
    b = rng.standard_normal((min(period, rows), cols)).astype(np.float32)

    def arguments():
        source = place(a, (ld, 1), floats=rows * ld)
        return [source, place(b, (ld, 1), floats=len(b) * ld), source if alias else guarded(rows * ld)]

    out = run_all_modes(what, kernel, arguments)
    expected = a + b[np.arange(rows) % period]
    check_close(what, view(out, (rows, cols), (ld, 1)), expected, 1e-30)


for rows, cols, period, ld in [(197, 768, 197, 768), (394, 192, 197, 192), (6, 10, 1, 16), (7, 7, 3, 7), (1, 1, 1, 1),
                               (3, 21, 50, 21), (2, 1000, 2, 1008)]:
    for alias in (False, True):
        check_add(rows, cols, period, ld, alias)


@sampled
def check_copy(shape, src, dst):
    what = f"copy {shape} from {src} to {dst}"
    kernel = build("copy", {"shape": shape, "src_strides": src, "dst_strides": dst})
    floats = lambda strides: sum((n - 1) * s for n, s in zip(shape, strides)) + 1
    x = rng.standard_normal(floats(src)).astype(np.float32)
    out = run_all_modes(what, kernel, lambda: [place(x, (1,), alignment=4), guarded(floats(dst), alignment=4, fill=7)])
    expected = np.full(len(out), 7, np.float32)
    view(expected, shape, dst)[...] = view(x, shape, src)
    check_equal_bits(what, out, expected)
    print("ok", what)


check_copy([1, 1, 1, 1000], [0, 0, 0, 1], [1000, 1000, 1000, 1])
check_copy([4, 1, 1, 192], [0, 0, 0, 1], [198 * 192, 0, 0, 1])
check_copy([2, 3, 5, 7], [105, 35, 7, 1], [105, 35, 7, 1])
check_copy([2, 3, 5, 7], [105, 1, 3, 15], [105, 35, 7, 1])
check_copy([2, 3, 5, 7], [105, 35, 7, 1], [105, 1, 3, 15])
check_copy([2, 9, 4, 33], [2000, 200, 40, 1], [9 * 4 * 33, 4 * 33, 33, 1])
check_copy([1, 1, 1, 1], [0, 0, 0, 0], [1, 1, 1, 1])
check_copy([1, 1, 40, 10], [0, 0, 3, 120], [0, 0, 10, 1])
check_copy([8, 197, 1, 768], [197 * 768, 768, 0, 1], [198 * 784, 784, 0, 1])


@sampled
def check_pool(kind, batch, rows, cols, ldx, ldy, gap=0):
    what = f"pool {kind} {batch}x{rows}x{cols} strides {ldx} {ldy}"
    stride = rows * ldx + gap
    kernel = build("pool", {"kind": kind, "batch": batch, "rows": rows, "cols": cols, "ldx": ldx, "batch_stride": stride, "ldy": ldy})
    x = rng.standard_normal((batch, rows, cols)).astype(np.float32) + np.float32(0.5 if kind == "mean" else -9)
    out = run_all_modes(what, kernel, lambda: [place(x, (stride, ldx, 1), floats=(batch - 1) * stride + rows * ldx), guarded(batch * ldy)])
    exact = x.astype(np.float64)
    mean, most = exact.mean(axis=1), exact.max(axis=1)
    expected = {"mean": mean, "max": most, "mean_max": (mean + most) / 2}[kind]
    tolerance = 1e-30 if kind == "max" else 2 * EPS * np.abs(x).max() * max(1, np.log2(rows))
    check_close(what, view(out, (batch, cols), (ldy, 1)), expected, tolerance)


for kind in ("mean", "max", "mean_max"):
    for case in [(1, 196, 768, 768, 768), (4, 196, 384, 400, 384), (2, 1, 10, 16, 16), (3, 5, 7, 7, 7), (1, 3, 1, 1, 1),
                 (2, 1025, 192, 192, 192), (2, 16, 33, 48, 33)]:
        check_pool(kind, *case)
    check_pool(kind, 3, 20, 100, 112, 112, gap=48)
