# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""attention against numpy in double precision."""
from harness import *

rng = np.random.default_rng(4)
require_processor()


@sampled
def check(batch, heads, tokens, head_dim, probabilities=False, separate=False, size=1.0, schedule=None, queries=None,
          bias=False, masks=0, columns=0, winograd=False):
    width = heads * head_dim
    rows, key_rows = batch * (queries or tokens), batch * tokens
    ld = width + 3 if separate or queries else round_up(3 * width, 16)
    ldo, ldb = round_up(width, 16) + 16, round_up(tokens, 16) + columns
    spec = {"batch": batch, "heads": heads, "tokens": tokens, "head_dim": head_dim, "scale": head_dim**-0.5,
            "ldq": ld, "ldk": ld, "ldv": ld, "ldo": ldo, "probabilities": probabilities}
    spec |= {"queries": queries} if queries else {}
    spec |= {"winograd": True} if winograd else {}
    spec |= {"bias": True} if bias else {}
    spec |= {"masks": masks} if masks else {}
    spec |= {"ldb": ldb} if bias or masks else {}
    queries = queries or tokens
    map_stride = heads * queries * tokens + 5
    if probabilities:
        spec["prob_batch_stride"] = map_stride
    what = (f"attention {batch}x{heads} {queries} of {tokens} tokens of {head_dim} probabilities {probabilities} size {size} "
            f"bias {bias} masks {masks}")
    kernel = build("attention", spec, schedule)
    parts = [(size * rng.standard_normal((count, width))).astype(np.float32) for count in (rows, key_rows, key_rows)]
    parts[2] /= np.float32(size)
    images = parts[0].reshape(batch, queries, width)
    images[:, -1] = images[:, 0]
    # A mask shuts tokens out, the last one too, by so much that their weights underflow; a bias is a score's size.
    biases = (3 * rng.standard_normal((heads, queries, tokens))).astype(np.float32)
    shut = np.where(rng.random((max(masks, 1), queries, tokens)) < 0.4, np.float32(-100), np.float32(0))
    shut[:, :, 0], shut[0, :, -1] = 0, 0 if tokens == 1 else -100
    biases[:, -1], shut[:, -1] = biases[:, 0], shut[:, 0]
    tables = [(table, heads if table is biases else masks)
              for table, there in [(biases, bias), (shut, masks > 0)] if there]

    def arguments():
        if separate or queries != tokens:
            inputs = [place(part, (ld, 1), floats=len(part) * ld, alignment=4) for part in parts]
        else:
            whole = place(np.concatenate(parts, axis=1), (ld, 1), floats=rows * ld)
            inputs = [whole[i * width:] for i in range(3)]
        added = [place(table, (queries * ldb, ldb, 1), floats=count * queries * ldb, fill=0) for table, count in tables]
        maps = [guarded((batch - 1) * map_stride + heads * queries * tokens, 4, fill=7)] if probabilities else []
        return inputs + added + kernel.scratch() + maps + [guarded(rows * ldo, fill=7)]

    out = run_all_modes(what, kernel, arguments)
    got = view(out, (batch, queries, heads, head_dim), (queries * ldo, ldo, head_dim, 1))
    q, k, v = (part.astype(np.float64).reshape(batch, -1, heads, head_dim).transpose(0, 2, 1, 3) for part in parts)
    scores = q @ k.transpose(0, 1, 3, 2) * head_dim**-0.5
    # A score's rounding error becomes a relative error of its weight.
    score_error = 3 * EPS * (np.abs(q) @ np.abs(k).transpose(0, 1, 3, 2)).max() * head_dim**-0.5
    if bias:
        scores += biases
        score_error += 3 * EPS * np.abs(biases).max()
    if masks:
        scores += shut[np.arange(batch) % masks, None]
    p = np.exp(scores - scores.max(axis=-1, keepdims=True))
    p /= p.sum(axis=-1, keepdims=True)
    expected = (p @ v).transpose(0, 2, 1, 3)
    size = p @ np.abs(v)
    if kernel.report["schedule"].get("winograd"):  # all values take part in a Winograd sum
        size = size + np.abs(v).mean(2, keepdims=True)
    tolerance = 2 * (score_error + 3 * EPS) * size.transpose(0, 2, 1, 3) + 1e-7
    check_close(what, got, expected, tolerance)
    check_equal_bits(what + " (row's place)", got[:, -1].copy(), got[:, 0].copy())
    assert (view(out[width:], (rows, 16), (ldo, 1)) == 7).all(), what + ": wrote beyond the heads"
    if probabilities:
        maps = run_all_modes(what, kernel, arguments, out=-2)
        got = view(maps, p.shape, (map_stride, queries * tokens, tokens, 1))
        check_close(what + " (maps)", got, p, 2 * (score_error + 3 * EPS) * p + 1e-9)
        assert batch == 1 or (maps[heads * queries * tokens:map_stride] == 7).all(), what + ": wrote between the maps"


if on_device():  # fewer sizes: its compiler takes seconds for each kernel
    check(1, 3, 197, 64)
    check(2, 2, 19, 5, probabilities=True, separate=True)
    check(8, 3, 49, 32, bias=True, masks=4)
    check(2, 2, 33, 16, queries=7, bias=True)
    sys.exit()
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

for probabilities in (False, True):
    check(8, 3, 49, 32, probabilities)
    check(8, 3, 49, 32, probabilities, bias=True, masks=4)  # Swin's windows
    check(3, 2, 37, 12, probabilities, bias=True, masks=2, columns=16)
    check(2, 3, 5, 8, probabilities, bias=True)
    check(2, 2, 65, 16, probabilities, masks=2)
    check(1, 1, 1, 4, probabilities, bias=True, masks=1)
    check(2, 3, 50, 24, probabilities, queries=7)
    check(2, 2, 7, 16, probabilities, queries=50, bias=True, masks=3)
    check(3, 1, 33, 5, probabilities, queries=1, bias=True)
check(1, 2, 197, 64, bias=True)
check(1, 2, 400, 64, queries=1000)
check(1, 2, 197, 64, size=6.0, bias=True, masks=1)
check(4, 3, 49, 32, bias=True, masks=4, schedule={"block_h": 5, "parallel": 1})
check(7, 3, 4, 8, bias=True, schedule={"block_h": 4, "parallel": 1})
for tokens in (8, 9, 16, 24, 25, 40, 47, 48):  # a narrow tile of keys alone, after wide ones, or none
    check(2, 2, tokens, 16, bias=tokens % 2 == 1)
check(1, 1, 3500, 16)
if NAME == "halide":  # TVM's products are plain
    for winograd in (0, 1):
        check(1, 12, 197, 64, winograd=True, schedule={"winograd": winograd})
        check(1, 2, 197, 64, size=6.0, winograd=True, schedule={"winograd": winograd})
        check(2, 2, 230, 64, bias=True, masks=2, winograd=True, schedule={"winograd": winograd})
        check(1, 2, 400, 80, queries=33, probabilities=True, winograd=True, schedule={"winograd": winograd})
    check(1, 2, 577, 64, winograd=True)
    check(1, 2, 50, 64, winograd=True)  # too few tokens
else:
    check(1, 2, 197, 64, winograd=True)
