# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""group_norm against numpy in double precision."""
from harness import *

rng = np.random.default_rng(13)


def check(batch, rows, cols, groups, activation="none", residual=False, alias=False, stride=None, mean=0.0, deviation=1.0,
          eps=1e-5, schedule=None):
    ld = stride or round_up(cols, 16)
    what = (f"group_norm {batch}x{rows}x{cols} in {groups} stride {ld} {activation} residual {residual} alias {alias} "
            f"mean {mean} deviation {deviation}")
    spec = {"batch": batch, "rows": rows, "cols": cols, "groups": groups, "ldx": ld, "ldy": ld, "eps": eps,
            "activation": activation, "residual": residual}
    if residual:
        spec["ldr"] = ld
    kernel = build("group_norm", spec, schedule)
    x = (mean + deviation * rng.standard_normal((batch, rows, cols))).astype(np.float32)
    x[-1] = x[0]  # equal images
    gain, bias = (rng.standard_normal(cols).astype(np.float32) for _ in range(2))
    r = rng.standard_normal((rows, cols)).astype(np.float32) * np.ones((batch, 1, 1), np.float32)

    def arguments():
        source = place(x.reshape(-1, cols), (ld, 1), floats=batch * rows * ld)  # NaN in the padding
        result = [source, padded(gain, round_up(cols, 16)), padded(bias, round_up(cols, 16))]
        if residual:
            result.append(place(r.reshape(-1, cols), (ld, 1), floats=batch * rows * ld))
        return result + [source if alias else guarded(batch * rows * ld)]

    out = run_all_modes(what, kernel, arguments)
    got = view(out, (batch, rows, cols), (rows * ld, ld, 1))
    exact = x.astype(np.float64).reshape(batch, rows, groups, -1)
    exact = exact - exact.mean(axis=(1, 3), keepdims=True)
    exact = (exact / np.sqrt((exact**2).mean(axis=(1, 3), keepdims=True) + eps)).reshape(batch, rows, cols)
    expected = ACTIVATIONS[activation](exact * gain + bias + (r if residual else 0))
    # As good as the input's own rounding lets it be: nothing depends on the mean.
    scale = np.abs(exact * gain) + np.abs(gain) + np.abs(bias) + np.abs(r)
    check_close(what, got, expected, 4 * EPS * (scale + 1) + 1e-6 * (activation not in ("none", "relu")))
    check_equal_bits(what + " (image's place)", got[-1].copy(), got[0].copy())


check(1, 196, 64, 32, activation="relu")
check(2, 49, 128, 32, residual=True, activation="relu")
check(1, 3136, 64, 32)
check(1, 12544, 16, 4)
check(1, 784, 256, 32, activation="silu", residual=True)
check(2, 50, 96, 1)
check(1, 37, 96, 96)
check(1, 197, 48, 6)
for batch, rows, cols, groups in [(1, 1, 1, 1), (2, 1, 8, 2), (1, 2, 6, 3), (3, 5, 21, 7), (2, 9, 21, 3), (1, 3, 33, 1),
                                  (2, 131, 40, 5), (1, 4, 1040, 2), (1, 17, 4096, 1)]:
    check(batch, rows, cols, groups, eps=1e-3)
check(1, 25, 64, 32, stride=80)
check(2, 25, 21, 7, stride=21)
check(2, 25, 12, 3, stride=13, residual=True)
check(1, 100, 64, 32, mean=1000.0)
check(1, 100, 64, 8, mean=-1000.0, deviation=0.01)
check(1, 100, 64, 8, deviation=1e4)
check(2, 100, 64, 32, alias=True)
check(2, 9, 21, 7, alias=True, residual=True)
check(2, 9, 21, 7, alias=True, stride=21)
for parallel in (0, 1):
    check(3, 64, 128, 32, schedule={"parallel": parallel})
for together in (1, 2, 8, 32):
    check(2, 65, 128, 32, schedule={"block_groups": together})
