# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""int8_gemm and bf16_gemm against numpy: sums of integers are exact, the rest is rounded as float32 is."""
from narrow import *

require_processor()
rng = np.random.default_rng(12)
PANEL = LEVELS[TARGET]["panel"]


@sampled
def check(family, m, n, k, bias=True, activation="none", residual=False, alias=False, schedule=None, x=None, weights=None):
    width = round_up(n, PANEL)
    what = f"{family} {m}x{n}x{k} bias {bias} {activation} residual {residual} alias {alias}"
    x = (rng.standard_normal((m, k)) if x is None else np.asarray(x)).astype(np.float32)
    offsets = rng.standard_normal(n).astype(np.float32)
    added = rng.standard_normal((m, n)).astype(np.float32)
    if family == "int8_gemm":
        lda = row_bytes(k)
        v = rng.integers(-127, 128, (n, k)) if weights is None else weights
        column_scale = (np.exp(rng.standard_normal(n)) / 400).astype(np.float32)
        memory, q, scale, least = quantized_rows(x)
        packed = placed(grouped_panels(v.astype(np.int8), PANEL, 4))
        sums = column_scale * v.sum(axis=1)
        scales = np.zeros((2, width), np.float32)
        scales[0, :n], scales[1, :n] = column_scale, sums
        weight_arguments = [packed, placed(scales)]
        expected = column_scale * (scale[:, None].astype(np.float64) * (q @ v.T) + least[:, None] * v.sum(axis=1))
        sizes = column_scale * (scale[:, None].astype(np.float64) * np.abs(q @ v.T) + np.abs(least[:, None] * v.sum(axis=1)))
        if SIGNED_ROWS:
            sizes += column_scale * scale[:, None] * 256 * np.abs(v.sum(axis=1))
        rounding, approximation = 4 * EPS, 5e-4 if activation == "gelu" else 2e-6
    else:
        lda = round_up(k, 32)
        v = from_bf16(to_bf16(rng.standard_normal((n, k)).astype(np.float32) / np.sqrt(k)))
        memory = bf16_rows(x)
        x64 = from_bf16(to_bf16(x)).astype(np.float64)
        weight_arguments = [placed(grouped_panels(to_bf16(v), PANEL, 2))]
        expected, sizes = x64 @ v.T.astype(np.float64), np.abs(x64) @ np.abs(v.T.astype(np.float64))
        rounding, approximation = 2 * EPS * np.sqrt(k), 2e-6
    ld = width
    spec = {"m": m, "n": n, "k": k, "panel": PANEL, "lda": lda, "ldc": ld, "bias": bias, "residual": residual, "activation": activation}
    spec |= {"ldr": ld} if residual else {}
    kernel = build("int8_gemm", spec, schedule) if family == "int8_gemm" else build("bf16_gemm", spec, schedule)

    def arguments():
        out = place(added, (ld, 1), floats=m * ld, fill=0) if alias else guarded(m * ld)
        return [memory, *weight_arguments, *([padded(offsets, width)] if bias else []),
                *([out if alias else place(added, (ld, 1), floats=m * ld, fill=0)] if residual else []), out]

    out = run_all_modes(what, kernel, arguments)
    if bias:
        expected, sizes = expected + offsets, sizes + np.abs(offsets)
    expected = ACTIVATIONS[activation](expected)
    if residual:
        expected, sizes = expected + added, sizes + np.abs(added)
    check_close(what, view(out, (m, n), (ld, 1)), expected, rounding * (sizes + 1e-3) + approximation * (activation != "none"))


for family in ("int8_gemm", "bf16_gemm"):
    for m, n, k in [(197, 768, 768), (50, 96, 192), (1, 64, 64), (12, 48, 30), (3, 10, 7), (25, 33, 130)]:
        check(family, m, n, k)
    check(family, 197, 3072, 768, activation="gelu")
    check(family, 197, 768, 3072, residual=True)
    check(family, 65, 96, 96, residual=True, alias=True)
    check(family, 65, 96, 96, bias=False, activation="silu", residual=True)
    check(family, 40, 64, 128, schedule={"parallel": 1, "block_m": 10, "tile_m": 5})
check("int8_gemm", 30, 64, 64, x=np.full((30, 64), 2.5))
check("int8_gemm", 30, 64, 64, weights=np.where(np.arange(64)[:, None] % 3 == 0, 0, 127) * np.ones((1, 64), int))
check("int8_gemm", 13, 64, 4096, x=np.where(np.arange(13 * 4096).reshape(13, 4096) % 4096 < 4095, 1, 0),
      weights=np.full((64, 4096), -127))
