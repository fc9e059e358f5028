# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""gemm with `winograd` against numpy in double precision: Winograd's product, and the plain one."""
import numpy as np

from harness import *

rng = np.random.default_rng(5)
require_processor()


def winograd_sums(w, panel):
    """What a Winograd product needs of its weights [n][k] beside their panels."""
    n, k = w.shape
    g = np.arange(k // 192 * 64)
    y = w.astype(np.float64)
    columns = round_up(n, panel)
    result = guarded(columns + 16, fill=0)
    result[:n] = (y[:, 3 * g] * y[:, 3 * g + 1] * np.where(g // 32 % 2 == 0, 1, -1)).sum(1)
    result[columns] = np.abs(y).sum() / n
    return result


def check(m, n, k, panel=32, bias=True, activation="none", residual=False, in_place=False, schedule=None, left=None,
          weights=None):
    lda = lds = k + 16
    ldc = round_up(n, panel) + 16
    spec = {"m": m, "n": n, "k": k, "lda": lda, "lds": lds, "ldc": ldc, "panel": panel, "bias": bias,
            "activation": activation, "residual": residual, "winograd": True}
    if residual:
        spec["ldr"] = ldc
    what = f"gemm {m}x{n}x{k} panel {panel} winograd bias {bias} {activation} residual {residual} in place {in_place} {schedule}"
    kernel = build("gemm", spec, schedule)
    columns = round_up(n, panel)
    a = (rng.standard_normal((m, k)) if left is None else left).astype(np.float32)
    a[-1] = a[0]  # equal rows, in the first and in the last tile
    w = (rng.standard_normal((n, k)) / np.sqrt(k) if weights is None else weights).astype(np.float32)
    b = rng.standard_normal(n).astype(np.float32)
    r = rng.standard_normal((m, n)).astype(np.float32)
    r[-1] = r[0]

    def arguments():
        result = [place(a, (lda, 1), floats=m * lda), place(pack(w, panel), (1,))]
        if bias:
            result.append(padded(b, columns))
        result.append(winograd_sums(w, panel))
        out = guarded(m * ldc, fill=7)
        if residual:
            view(out, (m, n), (ldc, 1))[...] = r
            result.append(out)
        return result + ([result[0]] if in_place else kernel.scratch()) + [out]

    out = run_all_modes(what, kernel, arguments)
    got = view(out, (m, n), (ldc, 1))
    product = a.astype(np.float64) @ w.T.astype(np.float64)
    start = b if bias else 0
    expected = ACTIVATIONS[activation](product + start) + (r if residual else 0)
    # Of a Winograd product the norms of row and column bound the error, of others the sum of magnitudes.
    winograd = kernel.report["schedule"].get("winograd", 0)
    norms = np.linalg.norm(a, axis=1)[:, None] * np.linalg.norm(w, axis=1)[None]
    size = norms if winograd else np.abs(a) @ np.abs(w).T
    tolerance = 3 * EPS * (size + np.abs(start) + np.abs(expected)) + 1e-6 * (activation != "none")
    check_close(what, got, expected, tolerance)
    check_equal_bits(what + " (row's place)", got[-1].copy(), got[0].copy())
    beyond = view(out[columns:], (m, ldc - columns), (ldc, 1))
    assert (beyond == 7).all(), what + ": wrote beyond the panel"
    return np.sqrt(np.mean((got - expected)**2))


if NAME == "tvm":  # its products are plain, beside the arguments of Winograd's
    check(20, 96, 384)
    check(20, 96, 384, residual=True, in_place=True)
    sys.exit()
WINOGRAD, PLAIN = {"winograd": 1}, {"winograd": 0}
for m, n, k in [(197, 96, 768), (50, 130, 192), (23, 64, 400), (33, 96, 1024), (16, 32, 208)]:
    check(m, n, k, schedule=WINOGRAD)
check(20, 96, 384, schedule=PLAIN)
check(20, 96, 384, schedule=PLAIN, residual=True, in_place=True)
check(20, 96, 384, schedule=WINOGRAD, in_place=True)
check(20, 70, 192, panel=16, schedule=WINOGRAD, bias=False)
for activation in ("gelu", "silu"):
    check(19, 96, 192, schedule=WINOGRAD, activation=activation, residual=True)
check(37, 64, 768, schedule={**WINOGRAD, "block_k": 384}, residual=True)
check(37, 64, 768, schedule={**WINOGRAD, "block_k": 192}, activation="gelu")
check(37, 64, 384, schedule={**WINOGRAD, "tile_m": 1})
# Rows and columns of all sizes: each is scaled by itself.
sizes = 10.0 ** rng.integers(-12, 12, 40)
check(40, 64, 384, schedule=WINOGRAD, left=rng.standard_normal((40, 384)) * sizes[:, None])
check(40, 64, 384, schedule=WINOGRAD, left=np.zeros((40, 384)))
check(40, 64, 384, schedule=WINOGRAD, weights=rng.standard_normal((64, 384)) * 1e-10)
# The usual error does not grow: behind a norm, behind a GELU, and around a mean.
for name, left in {"normal": rng.standard_normal((99, 3072)), "mean": rng.standard_normal((99, 3072)) + 1,
                   "gelu": ACTIVATIONS["gelu"](rng.standard_normal((99, 3072)))}.items():
    w = rng.standard_normal((64, 3072)) * 0.02
    plain, winograd = (check(99, 64, 3072, bias=False, schedule={**schedule, "block_k": 3072}, left=left, weights=w)
                       for schedule in (PLAIN, WINOGRAD))
    print(f"{name}: error {plain:.2e} as it is, {winograd:.2e} Winograd")
    assert winograd < 2 * plain, f"{name}: a Winograd product is off by {winograd}, a plain one by {plain}"
