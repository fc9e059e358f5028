# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""norm against numpy in double precision."""
from harness import *

rng = np.random.default_rng(3)


@sampled
def check(rows, cols, affine=True, stride=None, mean=0.0, deviation=1.0, eps=1e-6, alias=False, schedule=None,
          kind="layer", groups=1, shift=None, alignment=64):
    ld = stride or round_up(cols, 16)
    spec = {"rows": rows, "cols": cols, "ldx": ld, "ldy": ld, "eps": eps, "affine": affine}
    spec |= {"kind": kind} if kind != "layer" else {}
    spec |= {"groups": groups} if groups > 1 else {}
    spec |= {"shift": shift} if shift is not None else {}
    shift = affine if shift is None else shift
    what = (f"norm {kind} {rows}x{cols} groups {groups} stride {ld} affine {affine} shift {shift} mean {mean} "
            f"deviation {deviation} alias {alias}")
    kernel = build("norm", spec, schedule)
    x = (mean + deviation * rng.standard_normal((rows, cols))).astype(np.float32)
    x[-1] = x[0]
    gain, bias = (rng.standard_normal(cols).astype(np.float32) for _ in range(2))

    def arguments():
        # NaN in the padding, which columns of a wider buffer do not have
        source = place(x, (ld, 1), floats=rows * ld - (ld - cols) * (alignment == 4), alignment=alignment)
        parameters = [padded(part, round_up(cols, 16)) for part, there in [(gain, affine), (bias, shift)] if there]
        return [source, *parameters, source if alias else guarded(len(source), alignment)]

    out = run_all_modes(what, kernel, arguments)
    got = view(out, (rows, cols), (ld, 1))
    exact = x.astype(np.float64).reshape(rows, groups, cols // groups)
    if kind == "layer":
        exact = exact - exact.mean(axis=-1, keepdims=True)
    if kind == "l2":
        size = np.maximum(np.sqrt((exact**2).sum(axis=-1, keepdims=True)), eps)
    else:
        size = np.sqrt((exact**2).mean(axis=-1, keepdims=True) + eps)
    expected = (exact / size).reshape(rows, cols)
    scale, floor = np.abs(expected), 0 if kind == "l2" else 1
    if affine:
        expected, scale = expected * gain, scale * np.abs(gain)
    if shift:
        expected, scale = expected + bias, scale + np.abs(bias)
    # As good as the input's own rounding lets it be: nothing depends on the mean.
    check_close(what, got, expected, 4 * EPS * (scale + floor) + 1e-37)
    check_equal_bits(what + " (row's place)", got[-1].copy(), got[0].copy())


if on_device():  # fewer sizes: its compiler takes a second for each kernel
    for rows, cols in [(197, 768), (2, 7), (9, 1025)]:
        check(rows, cols)
    check(33, 768, mean=1000.0, affine=False)
    check(7, 10, alias=True)
    check(5, 96, kind="rms", groups=3, shift=False)
    sys.exit()
for rows, cols in [(197, 768), (197, 192), (50, 384), (1, 768), (3, 10), (2, 7), (5, 100), (9, 1025)]:
    for affine in (False, True):
        check(rows, cols, affine)
check(3, 1, eps=1e-3)
check(3, 7, stride=7)
check(4, 77, stride=79)
check(33, 768, mean=1000.0)
check(33, 768, mean=-1000.0, deviation=0.01)
check(33, 768, mean=1e6)
check(7, 100, mean=300.0)
check(40, 768, deviation=1e4)
check(197, 768, alias=True)
check(7, 10, alias=True)
check(7, 21, alias=True, stride=21)
check(197, 64, schedule={"block_rows": 10, "parallel": 1})
for kind in ("rms", "l2"):
    for rows, cols in [(197, 768), (1, 384), (3, 10), (2, 7), (9, 1025), (5, 1)]:
        for affine in (False, True):
            check(rows, cols, affine, kind=kind)
    check(33, 768, kind=kind, shift=False)
    check(7, 21, kind=kind, alias=True, stride=21)
    check(7, 100, kind=kind, deviation=1e-12, eps=1e-6)  # eps decides
    check(1, 16, kind=kind, deviation=0.0, eps=1e-6)
for kind in ("layer", "rms", "l2"):
    for rows, cols, groups in [(197, 768, 12), (49, 96, 3), (5, 36, 3), (3, 21, 3), (2, 24, 2), (1, 10, 10), (4, 1040, 2)]:
        check(rows, cols, groups=groups, kind=kind)
        check(rows, cols, affine=False, groups=groups, kind=kind, stride=2 * cols + 16, alignment=4, alias=True)
check(5, 21, stride=29, alignment=4)
check(197, 768, affine=True, shift=False)
check(3, 10, affine=True, shift=False, groups=2)
