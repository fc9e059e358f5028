# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""gemm with `strassen`, one level of Strassen's algorithm, against numpy in double precision.

Strassen's error is bounded by norms, not element by element: a small result next to large ones is as wrong as those. The
tests use the bound's form, a small multiple of EPS * k * max|a| * max|w|, with room for k's random walk instead of k.
"""
from harness import *

rng = np.random.default_rng(8)


def check(m, n, k, panel=16, bias=True, activation="none", residual=False, alias=False, lda=None, half_stride=None,
          outliers=False, schedule=None):
    ldc = n + 16
    half_stride = half_stride or k // 2
    lda = lda or half_stride + k // 2
    spec = {"m": m, "n": n, "k": k, "lda": lda, "ldc": ldc, "panel": panel, "bias": bias, "activation": activation,
            "residual": residual, "strassen": True}
    if half_stride != k // 2:
        spec["half_stride"] = half_stride
    if residual:
        spec["ldr"] = ldc
    what = (f"strassen gemm {m}x{n}x{k} panel {panel} bias {bias} {activation} residual {residual} alias {alias} "
            f"outliers {outliers} {schedule or ''}")
    kernel = build("gemm", spec, schedule)
    a = rng.standard_normal((m, k)).astype(np.float32)
    w = (rng.standard_normal((n, k)) / np.sqrt(k)).astype(np.float32)
    if outliers:  # some channels and some weights a hundred times the usual
        a[:, rng.integers(0, k, 3)] *= 100
        w[rng.integers(0, n, 20), rng.integers(0, k, 20)] *= 100
    b = rng.standard_normal(n).astype(np.float32)
    r = rng.standard_normal((m, n)).astype(np.float32)

    def arguments():
        result = [place(a.reshape(m, 2, -1), (lda, half_stride, 1), floats=m * lda), place(pack_strassen(w, panel), (1,))]
        if bias:
            result.append(padded(b, n))
        out = guarded(m * ldc, fill=7)
        if residual:
            target = out if alias else guarded(m * ldc)
            view(target, (m, n), (ldc, 1))[...] = r
            result.append(target)
        return result + kernel.scratch() + [out]

    out = run_all_modes(what, kernel, arguments)
    got = view(out, (m, n), (ldc, 1))
    product = a.astype(np.float64) @ w.T.astype(np.float64)
    start = b if bias else 0
    expected = ACTIVATIONS[activation](product + start) + (r if residual else 0)
    # The largest rows' and columns' lengths bound all products, those of the combinations up to a factor.
    largest = np.sqrt((a.astype(np.float64)**2).sum(axis=1).max() * (w.astype(np.float64)**2).sum(axis=1).max())
    tolerance = 6 * EPS * (largest + np.abs(start) + np.abs(expected)) + 1e-6 * (activation != "none")
    check_close(what, got, expected, tolerance)
    beyond = view(out[n:], (m, 16), (ldc, 1))
    assert (beyond == 7).all(), what + ": wrote beyond the columns"


for m in (197, 198, 64, 65, 2, 1, 13):
    check(m, 64, 96)
check(197, 768, 768)
check(197, 768, 768, panel=32)
check(197, 768, 768, outliers=True)
check(197, 128, 3072, outliers=True, residual=True, alias=True)
check(577, 64, 128)
check(1027, 64, 40, residual=True, alias=True)
for activation in ACTIVATIONS:
    check(19, 96, 64, activation=activation)
for bias in (False, True):
    check(99, 64, 64, bias=bias, residual=True)
    check(99, 64, 64, bias=bias, residual=True, alias=True, activation="gelu")
check(23, 32, 100, lda=112)
check(23, 32, 14, lda=16)
check(23, 160, 50, panel=5)
check(50, 96, 64, panel=48, schedule={"tile_n": 16, "tile_m": 5, "unroll_k": 4})
# Several passes over k, several blocks of rows.
check(197, 64, 96, residual=True, alias=True, schedule={"block_k": 16})
check(197, 64, 96, activation="gelu", schedule={"block_k": 24, "block_m": 30})
check(59, 64, 96, residual=True, alias=True, activation="gelu", schedule={"block_m": 12, "parallel": 0})
# A part of a longer k: slices of both halves of the rows.
check(51, 64, 96, half_stride=144, lda=288)
