"""attention against numpy in double precision."""
from harness import *

rng = np.random.default_rng(4)


def check(batch, heads, tokens, head_dim, probabilities=False, separate=False, size=1.0, schedule=None):
    width = heads * head_dim
    ld = width + 3 if separate else round_up(3 * width, 16)
    ldo = round_up(width, 16) + 16
    map_stride = heads * tokens * tokens + 5
    spec = {"batch": batch, "heads": heads, "tokens": tokens, "head_dim": head_dim, "scale": head_dim**-0.5,
            "ldq": ld, "ldk": ld, "ldv": ld, "ldo": ldo, "probabilities": probabilities}
    if probabilities:
        spec["prob_batch_stride"] = map_stride
    what = f"attention {batch}x{heads} {tokens} tokens of {head_dim} probabilities {probabilities} size {size}"
    kernel = build("attention", spec, schedule)
    rows = batch * tokens
    qkv = (size * rng.standard_normal((3, rows, width))).astype(np.float32)
    qkv[2] /= np.float32(size)
    qkv[0, tokens - 1] = qkv[0, 0]

    def arguments():
        if separate:
            inputs = [place(part, (ld, 1), floats=rows * ld, alignment=4) for part in qkv]
        else:
            whole = place(qkv.transpose(1, 0, 2).reshape(rows, 3 * width), (ld, 1), floats=rows * ld)
            inputs = [whole[i * width:] for i in range(3)]
        scratch = guarded(batch * heads * head_dim * round_up(tokens, 32))
        maps = [guarded((batch - 1) * map_stride + heads * tokens**2, 4, fill=7)] if probabilities else []
        return inputs + [scratch] + maps + [guarded(rows * ldo, fill=7)]

    out = run_all_modes(what, kernel, arguments)
    got = view(out, (batch, tokens, heads, head_dim), (tokens * ldo, ldo, head_dim, 1))
    q, k, v = qkv.astype(np.float64).reshape(3, batch, tokens, heads, head_dim).transpose(0, 1, 3, 2, 4)
    scores = q @ k.transpose(0, 1, 3, 2) * head_dim**-0.5
    p = np.exp(scores - scores.max(axis=-1, keepdims=True))
    p /= p.sum(axis=-1, keepdims=True)
    expected = (p @ v).transpose(0, 2, 1, 3)
    # A score's rounding error becomes a relative error of its weight.
    score_error = 3 * EPS * (np.abs(q) @ np.abs(k).transpose(0, 1, 3, 2)).max() * head_dim**-0.5
    tolerance = 2 * (score_error + 3 * EPS) * (p @ np.abs(v)).transpose(0, 2, 1, 3) + 1e-7
    check_close(what, got, expected, tolerance)
    check_equal_bits(what + " (row's place)", got[0, tokens - 1].copy(), got[0, 0].copy())
    assert (view(out[width:], (rows, 16), (ldo, 1)) == 7).all(), what + ": wrote beyond the heads"
    if probabilities:
        maps = run_all_modes(what, kernel, arguments, out=-2)
        got = view(maps, p.shape, (map_stride, tokens**2, tokens, 1))
        check_close(what + " (maps)", got, p, 2 * (score_error + 3 * EPS) * p + 1e-9)
        assert batch == 1 or (maps[heads * tokens**2:map_stride] == 7).all(), what + ": wrote between the maps"


for probabilities in (False, True):
    check(1, 12, 197, 64, probabilities)
    check(2, 3, 17, 8, probabilities)
    check(2, 3, 37, 12, probabilities)
    check(1, 2, 50, 80, probabilities, separate=True)
    check(2, 2, 19, 5, probabilities, separate=True)
    check(1, 1, 1, 4, probabilities)
    check(3, 2, 2, 1, probabilities)
    check(1, 4, 197, 32, probabilities, size=12.0)  # saturated: exponents far below the float range
check(1, 2, 577, 64)
check(1, 1, 1025, 72, probabilities=True)
check(1, 1, 2305, 16)
check(1, 2, 64, 64)
check(1, 2, 197, 64, schedule={"parallel": 0, "tile_m": 4, "block_q": 24})
