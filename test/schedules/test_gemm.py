# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""gemm against numpy in double precision."""
import numpy as np

from narrow import *

rng = np.random.default_rng(1)


@sampled
def check(m, n, k, panel=16, bias=True, activation="none", residual=False, alias=False, lda=None, schedule=None,
          bias_mean=0, weights="f32"):
    ldc = round_up(n, panel) + 16
    lda = lda or k
    spec = {"m": m, "n": n, "k": k, "lda": lda, "ldc": ldc, "panel": panel, "bias": bias, "activation": activation,
            "residual": residual}
    if residual:
        spec["ldr"] = ldc
    spec |= {"weights": weights} if weights != "f32" else {}
    what = f"gemm {m}x{n}x{k} panel {panel} bias {bias} {activation} residual {residual} alias {alias} {weights} {schedule or ''}"
    kernel = build("gemm", spec, schedule)
    columns = round_up(n, panel)
    a = rng.standard_normal((m, k)).astype(np.float32)
    a[-1] = a[0]  # equal rows, in the first and in the last tile
    w = rng.standard_normal((n, k)).astype(np.float32) / np.float32(np.sqrt(k))
    w, bits, scales = stored(w, weights)
    b = rng.standard_normal(n).astype(np.float32) + np.float32(bias_mean)
    r = rng.standard_normal((m, n)).astype(np.float32)
    r[-1] = r[0]

    def arguments():
        result = [place(a, (lda, 1), floats=m * lda), placed(pack(bits, panel))]
        if scales is not None:
            result.append(padded(scales, columns))
        if bias:
            result.append(padded(b, columns))
        out = guarded(m * ldc, fill=7)
        if residual:
            target = out if alias else guarded(m * ldc)
            view(target, (m, n), (ldc, 1))[...] = r
            result.append(target)
        return result + [out]

    out = run_all_modes(what, kernel, arguments)
    got = view(out, (m, n), (ldc, 1))
    product = a.astype(np.float64) @ w.T.astype(np.float64)
    start = b if bias else 0
    expected = ACTIVATIONS[activation](product + start) + (r if residual else 0)
    # The sums' rounding, an activation's slope of at most 1.2, and its own error.
    tolerance = 3 * EPS * (np.abs(a) @ np.abs(w).T + np.abs(start) + np.abs(expected)) + 1e-6 * (activation != "none")
    check_close(what, got, expected, tolerance)
    check_equal_bits(what + " (row's place)", got[-1].copy(), got[0].copy())
    beyond = view(out[columns:], (m, ldc - columns), (ldc, 1)) if m > 1 else out[columns:]
    assert (beyond == 7).all(), what + ": wrote beyond the panel"


@sampled
def check_row_invariant(m, n, k, panel=32, activation="none", residual=False):
    """Each of rows that stand far apart has the bits that it has alone."""
    what = f"gemm of {m} row-invariant rows, {n}x{k} {activation} residual {residual}"
    columns, lda, ldc = round_up(n, panel), round_up(k, 16) + 480, round_up(n, panel) + 160
    spec = {"n": n, "k": k, "lda": lda, "ldc": ldc, "panel": panel, "bias": True, "activation": activation,
            "residual": residual}
    if residual:
        spec["ldr"] = ldc
    alone = build("gemm", {"m": 1, **spec})
    together = build("gemm", {"m": m, "row_invariant": True, **spec})
    a = rng.standard_normal((m, k)).astype(np.float32)
    w = rng.standard_normal((n, k)).astype(np.float32) / np.float32(np.sqrt(k))
    bias = rng.standard_normal(n).astype(np.float32)
    r = rng.standard_normal((m, n)).astype(np.float32)

    def arguments(rows):
        count = len(rows)
        result = [place(a[rows], (lda, 1), floats=count * lda), place(pack(w, panel), (1,)), padded(bias, columns)]
        out = guarded(count * ldc, fill=7)
        if residual:
            view(out, (count, n), (ldc, 1))[...] = r[rows]
            result.append(out)
        return result + [out]

    out = run_all_modes(what, together, lambda: arguments(list(range(m))))
    for row in range(m):
        one = run_all_modes(what, alone, lambda: arguments([row]))
        check_equal_bits(f"{what}, row {row}", view(out, (m, n), (ldc, 1))[row].copy(), one[:n].copy())
    view(out, (m, columns), (ldc, 1))[...] = 7
    assert (out == 7).all(), what + ": wrote beyond the panel"
    print("ok", what)


if on_device():  # fewer sizes: its compiler takes a second for each kernel
    for m, n, k in [(50, 48, 588), (1, 1000, 384), (13, 33, 37), (1025, 7, 64)]:
        check(m, n, k, panel=64)
    check(20, 70, 40, panel=5)
    check(197, 96, 64, panel=32, residual=True, alias=True, activation="gelu")
    check(19, 96, 64, bias=False, activation="silu")
    check(23, 32, 100, lda=102)
    check(70, 64, 96, panel=32, schedule={"tile_n": 16, "tile_m": 64, "thread_m": 8, "thread_n": 2, "block_k": 16})
    sys.exit()
for m, n, k in [(197, 768, 768), (197, 64, 192), (50, 48, 588), (1, 1000, 384), (1, 1, 1), (2, 10, 7), (6, 16, 8),
                (7, 17, 13), (11, 40, 12), (13, 33, 37), (256, 10, 192), (1025, 7, 64)]:
    check(m, n, k)
for panel in (8, 24, 32, 48, 64):
    check(20, 70, 40, panel=panel)
check(20, 70, 40, panel=12)
# A large bias must not cost the sum its precision.
check(50, 48, 588, bias_mean=1000)
check(1, 48, 588, bias_mean=1000)
check(20, 70, 40, panel=5)
for activation in ACTIVATIONS:
    check(19, 96, 64, activation=activation)
for bias in (False, True):
    check(197, 96, 64, bias=bias, residual=True)
    check(197, 96, 64, bias=bias, residual=True, alias=True, activation="gelu")
check(1, 96, 64, residual=True, alias=True)
check(23, 32, 100, lda=112)
check(23, 64, 96, panel=32, schedule={"tile_n": 16, "tile_m": 5, "unroll_k": 4})
check(197, 64, 96, panel=32, schedule={"tile_m": 6, "block_m": 30, "parallel": 1, "tile_n": 16})
check(197, 64, 96, panel=32, schedule={"parallel": 0})
if NAME == "halide":  # TVM's gemm takes a sum in one pass
    check(197, 64, 96, panel=32, residual=True, alias=True, schedule={"block_k": 32})
    check(23, 64, 96, activation="gelu", schedule={"block_k": 48})
check(700, 64, 768, panel=32)  # with AVX-512 in blocks of rows that stay in the cache
check(197, 32, 1536, panel=32, residual=True, alias=True)  # and in two passes
for prefetch in (0, 1, 3):
    check(50, 96, 40, panel=48, schedule={"prefetch": prefetch})
for m, n, k in [(8, 1000, 384), (2, 33, 37), (3, 64, 1536), (40, 48, 100)]:
    check_row_invariant(m, n, k)
check_row_invariant(5, 96, 64, residual=True, activation="gelu")
if NAME == "halide" and not on_device():  # weights of fewer bits, which are widened
    for weights in ("f16", "bf16", "i8"):
        check(1, 1000, 768, panel=32, weights=weights)
        check(1, 40, 33, weights=weights)
        check(50, 96, 100, activation="gelu", residual=True, weights=weights)
        check(197, 384, 384, panel=32, weights=weights)
        check(13, 10, 7, weights=weights)
