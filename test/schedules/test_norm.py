"""norm against numpy in double precision."""
from harness import *

rng = np.random.default_rng(3)


def check(rows, cols, affine=True, stride=None, mean=0.0, deviation=1.0, eps=1e-6, alias=False, schedule=None):
    ld = stride or round_up(cols, 16)
    what = f"norm {rows}x{cols} stride {ld} affine {affine} mean {mean} deviation {deviation} alias {alias}"
    kernel = build("norm", {"rows": rows, "cols": cols, "ldx": ld, "ldy": ld, "eps": eps, "affine": affine}, schedule)
    x = (mean + deviation * rng.standard_normal((rows, cols))).astype(np.float32)
    x[-1] = x[0]
    gain, bias = (rng.standard_normal(cols).astype(np.float32) for _ in range(2))

    def arguments():
        source = place(x, (ld, 1), floats=rows * ld)  # NaN in the padding
        parameters = [padded(gain, round_up(cols, 16)), padded(bias, round_up(cols, 16))] if affine else []
        return [source, *parameters, source if alias else guarded(rows * ld)]

    out = run_all_modes(what, kernel, arguments)
    got = view(out, (rows, cols), (ld, 1))
    exact = x.astype(np.float64)
    exact = exact - exact.mean(axis=1, keepdims=True)
    expected = exact / np.sqrt((exact**2).mean(axis=1, keepdims=True) + eps)
    scale = np.abs(expected)
    if affine:
        expected, scale = expected * gain + bias, scale * np.abs(gain) + np.abs(bias)
    # As good as the input's own rounding lets it be: nothing depends on the mean.
    check_close(what, got, expected, 4 * EPS * (scale + 1))
    check_equal_bits(what + " (row's place)", got[-1].copy(), got[0].copy())


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
