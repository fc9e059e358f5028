# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""rotate against numpy in double precision."""
from harness import *

rng = np.random.default_rng(8)


def check(rows, tokens, heads, head_dim, pairing, table_heads=1, columns=0, alias=False, schedule=None):
    width, ldt = heads * head_dim, round_up(head_dim, 16)
    ldx = width + columns
    ldy = ldx if alias else round_up(width, 16)
    what = f"rotate {pairing} {rows} rows of {tokens} tokens {heads}x{head_dim} tables {table_heads} stride {ldx} alias {alias}"
    kernel = build("rotate", {"rows": rows, "tokens": tokens, "heads": heads, "head_dim": head_dim, "table_heads": table_heads,
                              "ldx": ldx, "ldy": ldy, "ldt": ldt, "pairing": pairing}, schedule)
    x = rng.standard_normal((rows, heads, head_dim)).astype(np.float32)
    cos, sin = rng.standard_normal((2, table_heads, tokens, head_dim)).astype(np.float32)

    def arguments():
        floats = (rows - 1) * ldx + width  # columns of a wider buffer: the last row ends with them
        source = place(x.reshape(rows, width), (ldx, 1), floats=floats, alignment=4, fill=7)
        tables = [place(table, (tokens * ldt, ldt, 1), floats=table_heads * tokens * ldt) for table in (cos, sin)]
        return [source, *tables, source if alias else guarded((rows - 1) * ldy + width, alignment=4, fill=7)]

    out = run_all_modes(what, kernel, arguments)
    exact = x.astype(np.float64)
    if pairing == "halves":
        first, second = exact[..., :head_dim // 2], exact[..., head_dim // 2:]
        other = np.concatenate([-second, first], axis=-1)
    else:
        other = np.stack([-exact[..., 1::2], exact[..., ::2]], axis=-1).reshape(x.shape)
    token, table = np.arange(rows) % tokens, np.arange(heads) % table_heads
    c, s = (part[table][:, token].transpose(1, 0, 2) for part in (cos, sin))
    check_close(what, view(out, x.shape, (ldy, head_dim, 1)), exact * c + other * s,
                EPS * (np.abs(exact * c) + np.abs(other * s)))
    if rows > 1:
        assert (view(out[width:], (rows - 1, ldy - width), (ldy, 1)) == 7).all(), what + ": wrote beyond the heads"


for pairing in ("halves", "interleaved"):
    for alias in (False, True):
        check(394, 197, 12, 64, pairing, columns=2 * 768, alias=alias)
        check(50, 50, 3, 32, pairing, table_heads=3, alias=alias)
        check(7, 3, 2, 24, pairing, table_heads=2, columns=5, alias=alias)  # rows that are no multiple of the tokens
        check(5, 9, 3, 10, pairing, columns=1, alias=alias)
        check(3, 2, 1, 6, pairing, alias=alias)
        check(1, 1, 2, 2, pairing, alias=alias)
    check(9, 4, 2, 72, pairing, schedule={"block_rows": 2, "parallel": 1})
