# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""quantize, and norm in narrow formats: rows of bytes with a scale and an offset, and rows of bfloat16."""
from narrow import *

require_processor()
rng = np.random.default_rng(11)
LARGEST = float(np.finfo(np.float32).max)


def check_bytes(what, out, expected, stride, tolerance=0.5):
    """Rows of bytes stand for `expected` to `tolerance` steps of their scale, beside float32's own rounding."""
    rows, cols = expected.shape
    got = out.reshape(rows, stride)
    line = round_up(cols, LINE)
    scale = got[:, line:line + 4].copy().view(np.float32)[:, 0].astype(np.float64)
    offset = got[:, line + 4:line + 8].copy().view(np.float32)[:, 0].astype(np.float64)
    q = (got[:, :cols] if not SIGNED_ROWS else got[:, :cols].view(np.int8)).astype(np.float64)
    assert (got[:, cols:line] == 0).all(), f"{what}: the padding is not zero"
    size = np.abs(expected).max(axis=1, keepdims=True)
    check_close(what, offset[:, None] + scale[:, None] * q, expected, (tolerance + 1e-3) * scale[:, None] + 4 * EPS * size + 1e-29)
    spread = (expected.max(axis=1) - expected.min(axis=1)) / MOST_BYTE
    check_close(what + " (scale)", scale, spread, 4 * EPS * (spread + size[:, 0] / MOST_BYTE) + 1e-29)


@sampled
def check(rows, cols, x=None, ldx=None, schedule=None, pad=0):
    ldx = ldx or round_up(cols, 16)
    x = (rng.standard_normal((rows, cols)) if x is None else np.asarray(x)).astype(np.float32)
    for form in ("u8", "bf16"):
        stride = (row_bytes(cols) if form == "u8" else round_up(cols, 32)) + pad
        what = f"quantize {form} {rows}x{cols} of {x.flat[0]:g} … stride {ldx}, {stride}"
        kernel = build("quantize", {"rows": rows, "cols": cols, "format": form, "ldx": ldx, "ldy": stride}, schedule)
        dtype = np.uint8 if form == "u8" else np.uint16
        out = run_all_modes(what, kernel, lambda: [place(x, (ldx, 1), alignment=4), guarded(rows * stride, fill=7, dtype=dtype)])
        if form == "u8":
            check_bytes(what, out, x.astype(np.float64), stride)
        else:
            got = out.reshape(rows, stride)
            assert np.array_equal(got[:, :cols], to_bf16(x)), f"{what}: not the nearest bfloat16"
            assert (got[:, cols:round_up(cols, 32)] == 0).all(), f"{what}: the padding is not zero"
            print("ok", what)


for rows, cols in [(197, 768), (50, 3072), (1, 768), (3, 10), (2, 7), (5, 100), (9, 1025), (4, 1), (7, 64)]:
    check(rows, cols)
check(5, 33, ldx=33)
check(33, 768, x=1000 + rng.standard_normal((33, 768)))
check(2, 64, x=np.zeros((2, 64)))                       # rows of one value are exact
check(2, 100, x=np.full((2, 100), -3.25))
check(2, 50, x=np.where(np.arange(100).reshape(2, 50) % 7 == 0, LARGEST, -LARGEST))  # the range is no float
check(2, 50, x=rng.standard_normal((2, 50)) * LARGEST / 8)
check(3, 50, x=rng.standard_normal((3, 50)) * 1e-25)
check(64, 192, schedule={"block_rows": 10, "parallel": 1}, pad=64)
massive = rng.standard_normal((20, 768))
massive[3, 17], massive[4, 100] = 1200, -800
check(20, 768, x=massive)


@sampled
def check_norm(rows, cols, form, kind="layer", affine=True, shift=None):
    shift = affine if shift is None else shift
    ld, stride = round_up(cols, 16), row_bytes(cols) if form == "u8" else round_up(cols, 32)
    what = f"norm {kind} {rows}x{cols} as {form}, affine {affine}, shift {shift}"
    spec = {"rows": rows, "cols": cols, "ldx": ld, "format": form, "ldy": stride, "eps": 1e-6, "affine": affine, "shift": shift, "kind": kind}
    kernel = build("norm", {key: value for key, value in spec.items() if (key, value) != ("kind", "layer") and (key, value) != ("shift", affine)})
    x = rng.standard_normal((rows, cols)).astype(np.float32)
    gain, bias = (rng.standard_normal(cols).astype(np.float32) for _ in range(2))
    parameters = [part for part, there in [(gain, affine), (bias, shift)] if there]
    dtype = np.uint8 if form == "u8" else np.uint16
    out = run_all_modes(what, kernel, lambda: [place(x, (ld, 1), floats=rows * ld), *(padded(part, round_up(cols, 16)) for part in parameters),
                                               guarded(rows * stride, fill=7, dtype=dtype)])
    exact = x.astype(np.float64)
    exact = exact - exact.mean(axis=1, keepdims=True) if kind == "layer" else exact
    expected = exact / np.sqrt((exact**2).mean(axis=1, keepdims=True) + 1e-6)
    expected = expected * (gain if affine else 1) + (bias if shift else 0)
    if form == "u8":
        check_bytes(what, out, expected, stride)
    else:
        check_close(what, from_bf16(out.reshape(rows, stride)[:, :cols]), expected, 2.0**-8 * np.abs(expected) + 1e-5)


for form in ("u8", "bf16"):
    for rows, cols in [(197, 768), (50, 384), (3, 10), (1, 100), (9, 1025), (2, 9000)]:
        check_norm(rows, cols, form)
    check_norm(197, 768, form, affine=False)
    check_norm(33, 768, form, shift=False)
    check_norm(5, 96, form, kind="rms", shift=False)
