# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""single_query_attention against numpy in double precision, by way of the keys and values that it never forms."""
from narrow import *

rng = np.random.default_rng(7)


@sampled
def check(batch, heads, tokens, head_dim, channels, panel=16, size=1.0, padded_rows=True, schedule=None, weights="f32"):
    width = heads * head_dim
    columns = round_up(width, panel)
    ldx = round_up(channels, 16) + 16 if padded_rows else channels
    ldk = round_up(channels, 16) if padded_rows else channels
    ldq, ldo = round_up(width, 16) + 16, columns + 16
    batch_stride = tokens * ldx + 32
    scale = head_dim**-0.5
    spec = {"batch": batch, "heads": heads, "tokens": tokens, "head_dim": head_dim, "channels": channels, "scale": scale,
            "ldx": ldx, "batch_stride": batch_stride, "ldq": ldq, "ldk": ldk, "ldo": ldo, "panel": panel}
    what = (f"single_query_attention {batch}x{heads} {tokens} tokens of {head_dim}, {channels} channels panel {panel} "
            f"size {size} padded rows {padded_rows} {schedule or ''}")
    spec |= {"weights": weights} if weights != "f32" else {}
    kernel = build("single_query_attention", spec, schedule)
    x = rng.standard_normal((batch, tokens, channels)).astype(np.float32)
    x[-1] = x[0]  # equal images, with equal queries
    query = (size * rng.standard_normal((batch, width))).astype(np.float32)
    query[-1] = query[0]
    key, value = (rng.standard_normal((2, width, channels)) / np.sqrt(channels)).astype(np.float32)
    (key, key_bits, key_scales), (value, value_bits, value_scales) = stored(key, weights), stored(value, weights)

    def rows_of(bits, stride):
        memory = guarded(len(bits) * stride, fill=np.nan if bits.dtype == np.float32 else 3, dtype=bits.dtype)
        view(memory, bits.shape, (stride, 1))[...] = bits
        return memory

    def arguments():
        return [place(x, (batch_stride, ldx, 1), floats=(batch - 1) * batch_stride + tokens * ldx),
                place(query, (ldq, 1), floats=batch * ldq), rows_of(key_bits, ldk),
                *([padded(key_scales, columns)] if key_scales is not None else []), placed(pack(value_bits, panel)),
                *([padded(value_scales, columns)] if value_scales is not None else []),
                *kernel.scratch(), guarded(batch * ldo, fill=7)]

    out = run_all_modes(what, kernel, arguments)
    got = view(out, (batch, width), (ldo, 1))
    x, q, key, value = (part.astype(np.float64) for part in (x, query.reshape(batch, heads, head_dim), key, value))
    # [image][head][token][dimension of the head]
    keys, values = ((x @ w.T).reshape(batch, tokens, heads, head_dim).transpose(0, 2, 1, 3) for w in (key, value))
    scores = (keys @ q[..., None])[..., 0] * scale
    p = np.exp(scores - scores.max(axis=-1, keepdims=True))
    p /= p.sum(axis=-1, keepdims=True)
    expected = (p[:, :, None] @ values).reshape(batch, width)
    # A score's rounding error becomes a relative error of its weight. Rounding errors add up like random steps, so a sum's
    # error is reckoned from the root of the sum of its squares.
    square = lambda part: part.reshape(-1, heads, head_dim, channels)[0]**2
    score_error = 4 * EPS * scale * np.sqrt(np.einsum("bhd,hdc,btc->bht", q**2, square(key), x**2).max())
    mixed = np.einsum("bht,btc->bhc", p, np.abs(x))**2
    sums = np.sqrt(np.einsum("bhc,hdc->bhd", mixed, square(value))).reshape(batch, width)
    check_close(what, got, expected, 2 * (score_error + 4 * EPS) * sums + 1e-7)
    check_equal_bits(what + " (image's place)", got[-1].copy(), got[0].copy())
    assert (view(out[columns:], (batch, 16), (ldo, 1)) == 7).all(), what + ": wrote beyond the panel"


check(1, 12, 197, 64, 768)
check(1, 12, 197, 64, 768, panel=32)
check(8, 6, 50, 64, 384, panel=32)
check(5, 3, 197, 64, 192)
check(2, 16, 257, 80, 1280, panel=32)
check(3, 2, 19, 5, 10)
check(2, 3, 37, 12, 36)
check(2, 3, 37, 12, 36, panel=24)
check(1, 2, 17, 7, 13, padded_rows=False)
check(2, 7, 50, 3, 21, panel=5)
check(2, 5, 50, 16, 80)
check(1, 1, 1, 4, 4)
check(3, 1, 2, 1, 1)
check(1, 4, 197, 32, 128, size=300.0)  # saturated: exponents far below the float range
check(1, 2, 16001, 8, 32)
check(2, 12, 197, 64, 768, schedule={"parallel": 0, "tile_h": 4})
if NAME == "halide" and not on_device():  # weights of fewer bits, which are widened
    for weights in ("f16", "bf16", "i8"):
        check(1, 12, 197, 64, 768, panel=32, weights=weights)
        check(2, 3, 37, 12, 36, weights=weights)
