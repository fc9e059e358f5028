# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""patch_embed against numpy in double precision."""
from narrow import *

rng = np.random.default_rng(2)


@sampled
def check(batch, channels, height, width, patch_h, patch_w, n, panel=16, bias=True, position=True, schedule=None,
          bias_mean=0, weights="f32"):
    rows, columns = height // patch_h, width // patch_w
    patches, k = rows * columns, channels * patch_h * patch_w
    ldc = round_up(n, panel)
    stride = (patches + 1) * ldc  # room for a class token
    spec = {"batch": batch, "channels": channels, "height": height, "width": width, "patch_h": patch_h,
            "patch_w": patch_w, "n": n, "panel": panel, "bias": bias, "position": position, "ldc": ldc,
            "batch_stride": stride}
    if position:
        spec["ldp"] = ldc
    what = f"patch_embed {batch}x{channels}x{height}x{width} by {patch_h}x{patch_w} to {n} bias {bias} position {position}"
    spec |= {"weights": weights} if weights != "f32" else {}
    kernel = build("patch_embed", spec, schedule)
    image = rng.standard_normal((batch, channels, height, width)).astype(np.float32)
    w = (rng.standard_normal((n, k)) / np.sqrt(k)).astype(np.float32)
    w, bits, scales = stored(w, weights)
    b = rng.standard_normal(n).astype(np.float32) + np.float32(bias_mean)
    p = rng.standard_normal((patches, n)).astype(np.float32)

    def arguments():
        result = [place(image.ravel(), (1,), alignment=4), placed(pack(bits, panel))]
        if scales is not None:
            result.append(padded(scales, ldc))
        if bias:
            result.append(padded(b, ldc))
        if position:
            result.append(place(p, (ldc, 1), floats=patches * ldc))
        return result + [guarded((batch - 1) * stride + patches * ldc, fill=7)]

    out = run_all_modes(what, kernel, arguments)
    cut = image[:, :, :rows * patch_h, :columns * patch_w].astype(np.float64)
    a = cut.reshape(batch, channels, rows, patch_h, columns, patch_w).transpose(0, 2, 4, 1, 3, 5).reshape(-1, k)
    expected = (a @ w.T.astype(np.float64)).reshape(batch, patches, n) + (b if bias else 0) + (p if position else 0)
    scale = (np.abs(a) @ np.abs(w).T).reshape(batch, patches, n) + 4 + abs(bias_mean)
    check_close(what, view(out, (batch, patches, n), (stride, ldc, 1)), expected, 5 * EPS * scale)
    if batch > 1:
        assert (out[patches * ldc:stride] == 7).all(), what + ": wrote between the images"


if on_device():  # fewer sizes: its compiler takes a second for each kernel
    check(1, 3, 224, 224, 32, 32, 96, panel=64)
    check(2, 3, 60, 45, 14, 14, 40, position=False)
    check(1, 3, 17, 23, 5, 7, 33)
    sys.exit()
check(1, 3, 224, 224, 16, 16, 768)
check(1, 3, 224, 224, 32, 32, 96, panel=32)
check(2, 3, 60, 45, 14, 14, 40, position=False)
check(3, 1, 32, 32, 8, 8, 10, bias=False)
check(1, 3, 17, 23, 5, 7, 33)
check(1, 1, 1, 1, 1, 1, 1)
check(1, 3, 32, 32, 16, 16, 40, bias_mean=1000)  # a large bias must not cost the sum its precision
check(2, 2, 9, 4, 3, 4, 7, bias=False, position=False)
check(4, 3, 32, 32, 4, 4, 192, schedule={"parallel": 0})
if NAME == "halide":  # weights of fewer bits, which are widened
    for weights in ("f16", "bf16", "i8"):
        check(1, 3, 64, 64, 16, 16, 96, panel=32, weights=weights)
        check(2, 3, 17, 23, 5, 7, 33, weights=weights)
