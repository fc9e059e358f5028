# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""gate, affine and scale against numpy in double precision."""
from harness import *

rng = np.random.default_rng(9)


def check_gate(function, rows, cols, per_gate=1, gap=0, alias=False, schedule=None):
    """With a gap, x and g are columns of one buffer, as in SwiGLU."""
    gates = -(-rows // per_gate)
    ld = 2 * cols + gap if per_gate == 1 else cols + gap
    ldy = ld if alias else round_up(cols, 16)
    what = f"gate {function} {rows}x{cols} rows per gate {per_gate} stride {ld} alias {alias}"
    kernel = build("gate", {"rows": rows, "cols": cols, "ldx": ld, "ldg": ld, "ldy": ldy, "rows_per_gate": per_gate,
                            "function": function}, schedule)
    x = rng.standard_normal((rows, cols)).astype(np.float32)
    g = (3 * rng.standard_normal((gates, cols))).astype(np.float32)
    x[-1], g[-1] = x[0], g[0]

    def arguments():
        if per_gate == 1:
            whole = place(np.concatenate([x, g], axis=1), (ld, 1), floats=rows * ld - gap, alignment=4, fill=7)
            source, gate = whole, whole[cols:]
        else:
            source = place(x, (ld, 1), floats=rows * ld - gap, alignment=4, fill=7)
            gate = place(g, (ld, 1), floats=gates * ld - gap, alignment=4)
        return [source, gate, source if alias else guarded((rows - 1) * ldy + cols, alignment=4, fill=7)]

    out = run_all_modes(what, kernel, arguments)
    got = view(out, (rows, cols), (ldy, 1))
    opened = ACTIVATIONS[function](g.astype(np.float64))[np.arange(rows) // per_gate]
    check_close(what, got, x * opened, np.abs(x) * (8 * EPS * np.abs(opened) + 1e-6) + 1e-30)
    check_equal_bits(what + " (row's place)", got[-1].copy(), got[0].copy())
    if not alias and rows > 1:
        assert (view(out[cols:], (rows - 1, ldy - cols), (ldy, 1)) == 7).all(), what + ": wrote beyond the columns"


for function in ("none", "silu", "sigmoid", "gelu") if "gate" in FAMILIES else ():
    for alias in (False, True):
        check_gate(function, 197, 768, alias=alias)
        check_gate(function, 5, 21, gap=3, alias=alias)
        check_gate(function, 1, 1, alias=alias)
        check_gate(function, 196 * 2, 96, per_gate=196, gap=16, alias=alias)  # squeeze and excite
        check_gate(function, 12, 13, per_gate=4, alias=alias)
        check_gate(function, 10, 24, per_gate=4, alias=alias)  # the last gate's rows are cut off
    check_gate(function, 3, 5, per_gate=8)
    check_gate(function, 4, 10000, per_gate=2)
if "gate" in FAMILIES:
    check_gate("sigmoid", 40, 64, per_gate=20, schedule={"block_rows": 7, "parallel": 1})
    check_gate("none", 41, 64, per_gate=20, schedule={"block_rows": 7, "parallel": 1})


@sampled
def check_affine(rows, cols, shift, activation, stride=None, alias=False):
    ld = stride or round_up(cols, 16)
    what = f"affine {rows}x{cols} stride {ld} shift {shift} {activation} alias {alias}"
    kernel = build("affine", {"rows": rows, "cols": cols, "ldx": ld, "ldy": ld, "shift": shift, "activation": activation})
    x = rng.standard_normal((rows, cols)).astype(np.float32)
    scale, added = rng.standard_normal((2, cols)).astype(np.float32)

    def arguments():
        source = place(x, (ld, 1), floats=rows * ld)
        parameters = [padded(part, round_up(cols, 16)) for part in (scale, added)[:1 + shift]]
        return [source, *parameters, source if alias else guarded(rows * ld)]

    out = run_all_modes(what, kernel, arguments)
    term = x.astype(np.float64) * scale
    expected = ACTIVATIONS[activation](term + added if shift else term)
    check_close(what, view(out, (rows, cols), (ld, 1)), expected, 4 * EPS * (np.abs(term) + np.abs(added)) + 1e-6)


for rows, cols, stride in [(197, 768, None), (1, 10, None), (3, 7, 7), (5, 33, 35), (1, 1, 1), (4, 100, None)]:
    for shift in (False, True):
        check_affine(rows, cols, shift, "none", stride)
        check_affine(rows, cols, shift, "silu", stride, alias=True)


@sampled
def check_scale(rows, cols, factor, stride=None, alias=False):
    ld = stride or round_up(cols, 16)
    what = f"scale {rows}x{cols} by {factor} stride {ld} alias {alias}"
    kernel = build("scale", {"rows": rows, "cols": cols, "ldx": ld, "ldy": ld, "factor": factor})
    x = rng.standard_normal((rows, cols)).astype(np.float32)

    def arguments():
        source = place(x, (ld, 1), floats=rows * ld)
        return [source, source if alias else guarded(rows * ld)]

    out = run_all_modes(what, kernel, arguments)
    check_close(what, view(out, (rows, cols), (ld, 1)), x.astype(np.float64) * factor, EPS * np.abs(x * factor) + 1e-37)


for rows, cols, stride in [(197, 768, None), (1, 10, None), (3, 7, 7), (5, 33, 35), (1, 1, 1)]:
    check_scale(rows, cols, 0.3, stride)
    check_scale(rows, cols, -2, stride, alias=True)
