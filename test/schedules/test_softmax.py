# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""softmax against numpy in double precision."""
from harness import *

rng = np.random.default_rng(5)


@sampled
def check(rows, cols, stride=None, x=None):
    ld = stride or round_up(cols, 16)
    what = f"softmax {rows}x{cols} stride {ld}"
    kernel = build("softmax", {"rows": rows, "cols": cols, "ldx": ld, "ldy": ld})
    if x is None:
        x = (3 * rng.standard_normal((rows, cols))).astype(np.float32)

    def arguments():
        return [place(x, (ld, 1), floats=rows * ld), guarded(rows * ld)]

    out = run_all_modes(what, kernel, arguments)
    exact = x.astype(np.float64)
    difference = exact - exact.max(axis=1, keepdims=True)
    p = np.exp(difference)
    p /= p.sum(axis=1, keepdims=True)
    # Relative, down to where e^x leaves the floats. The difference from the maximum is rounded, too, and so is the sum.
    check_close(what, view(out, (rows, cols), (ld, 1)), p, EPS * (8 + np.abs(difference) + 0.1 * cols**0.5) * p + 1e-37)


for rows, cols in [(1, 1000), (1, 10), (4, 7), (3, 1), (197, 197), (2, 21843)]:
    check(rows, cols)
check(3, 7, stride=7)
check(5, 33, stride=35)
check(2, 16, x=np.array([[1e4] + [-1e4] * 15, [88.0] * 15 + [-88.0]], np.float32))
check(1, 4096, x=np.linspace(-86, 0, 4096, dtype=np.float32)[None])
