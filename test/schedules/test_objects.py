# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Objects for every target: only the allowed symbols, and no vector register on the stack inside a product's loop."""
import re

from harness import *

STACK = 128 * 1024


class X86:
    comment, multiply, prefetch = "#", r"vfmadd", r"prefetcht1"
    branch = r"^j\w+\s+(\S+)$"
    # Moves to and from %rsp; %rbp is an ordinary register here. Broadcasts of scores are no spills.
    spill = r"vmov.*[xyz]mm.*\(%rsp|vmov.*\(%rsp.*[xyz]mm"

    @staticmethod
    def frames(assembly):
        return [int(size) for size in re.findall(r"subq\s+\$(\d+), %rsp", assembly)]


class Arm:
    comment, multiply, prefetch = "//", r"fmla", r"prfu?m\s+pldl2keep"
    branch = r"^(?:b\.\w+|cbn?z\s+\w+,|tbn?z\s+\w+, #\d+,)\s+(\S+)$"
    spill = r"(ld|st)[pu]?r?\s+q.*\[sp"

    @staticmethod
    def frames(assembly):
        return [int(size) << int(shift or 0) for size, shift in re.findall(r"sub\s+sp, sp, #(\d+)(?:, lsl #(\d+))?", assembly)]


def loops(assembly, syntax):
    """Innermost loops: the instructions from a label to the next branch back to it."""
    lines = [line.split(syntax.comment)[0].strip() for line in assembly.splitlines()]
    start, label = 0, None
    for number, line in enumerate(lines):
        if re.match(r"^\.?\w+:", line):
            start, label = number, line.split(":")[0]
        branch = re.match(syntax.branch, line)
        if branch and branch[1] == label:
            yield [line for line in lines[start + 1:number + 1] if line]


def check(family, spec, target, schedule=None, products=1):
    """Returns the loops of products and the files' prefix."""
    syntax = Arm if LEVELS[target]["architecture"] == "aarch64" else X86
    request = specification(family, spec, schedule, target)
    code, error, prefix = run_backend(request, "--emit-assembly", "--emit-stmt")
    assert code == 0, f"{request}: {error}"
    extra = undefined_symbols(prefix) - ALLOWED_SYMBOLS
    assert not extra, f"{request}: undefined symbols {extra}"
    assert os.path.getsize(prefix + ".stmt") > 0
    assembly = pathlib.Path(prefix + ".s").read_text()
    hot = [loop for loop in loops(assembly, syntax) if sum(bool(re.match(syntax.multiply, i)) for i in loop) >= 8]
    assert len(hot) >= products, f"{request}: {len(hot)} loops of products"
    if family == "conv":  # the last rows, once in a thousand tiles, may spill
        hot = [loop for loop in hot if len(loop) == max(map(len, hot))]
    for loop in hot if products else []:
        spills = [i for i in loop if re.match(syntax.spill, i)]
        assert not spills, f"{request}: the inner loop touches the stack: {spills[:3]}"
    frames = syntax.frames(assembly)
    assert max(frames, default=0) <= STACK, f"{request}: {max(frames)} bytes of stack"
    expected = json.loads(pathlib.Path(prefix + ".json").read_text())["schedule"].get("prefetch", 0)
    if family in ("gemm", "conv"):  # the last rows' own loop has none
        found = [sum(bool(re.match(syntax.prefetch, i)) for i in loop) for loop in hot]
        assert found and max(found) == expected, f"{request}: {found} prefetches in the inner loops, not {expected}"
    milliseconds = json.loads(pathlib.Path(prefix + ".json").read_text())["compile_ms"]
    print(f"ok {family} {target}: {len(hot) if products else 'no'} product loops without spills, compiled in {milliseconds} ms")
    return hot, prefix


def gemm(m, n, k, panel, activation="none", residual=False, strassen=False):
    spec = {"m": m, "n": n, "k": k, "lda": k, "ldc": n, "panel": panel, "bias": True, "activation": activation,
            "residual": residual, "strassen": strassen}
    return {**spec, "ldr": n} if residual else spec


def winograd(spec, target):
    """Half of the arithmetic of the loops is additions, and no broadcast takes a slot of theirs; steps that are left over have
    a loop without."""
    hot, _ = check("gemm", {**spec, "winograd": True, "lds": spec["k"] + 16}, target, products=2)
    counts = [[sum(bool(re.match(kind, i)) for i in loop) for kind in ("vfmadd", r"v(add|sub)ps", "vbroadcastss")]
              for loop in hot]
    mixed = [multiplied for multiplied, added, _ in counts if added]
    assert len(mixed) >= 2 and all(added in (0, multiplied) and not broadcast for multiplied, added, broadcast in counts), \
        f"{spec}: products, sums and broadcasts {counts}"


def conv(size, channels, n, kernel, stride, panel, layout="nhwc"):
    spec = {"batch": 1, "channels": channels, "height": size, "width": size, "layout": layout, "kernel_h": kernel,
            "kernel_w": kernel, "stride_h": stride, "stride_w": stride, "pad_top": (kernel - 1) // 2,
            "pad_left": (kernel - 1) // 2, "out_h": size // stride, "out_w": size // stride, "n": n, "panel": panel,
            "ldc": n, "bias": True, "activation": "relu", "residual": False}
    return {**spec, "ldx": channels} if layout == "nhwc" else spec


def panels(target):
    """Those of the levels that it may share a library with."""
    return sorted({LEVELS[other]["panel"] for other in CPU_TARGETS if LEVELS[other]["architecture"] == LEVELS[target]["architecture"]})


for target in CPU_TARGETS:
    for panel in panels(target):
        check("gemm", gemm(197, 768, 768, panel), target)
        check("gemm", gemm(197, 3072, 768, panel, activation="gelu"), target)
        check("gemm", gemm(197, 768, 3072, panel, residual=True), target)
        check("gemm", gemm(197, 3072, 768, panel, activation="gelu", strassen=True), target)
        check("gemm", gemm(197, 768, 3072, panel, residual=True, strassen=True), target)
    if LEVELS[target]["separate_adders"]:
        for m, n, k in [(197, 768, 768), (197, 3072, 768), (197, 768, 3072), (577, 1024, 1024), (50, 384, 384)]:
            winograd(gemm(m, n, k, 32), target)
    check("gemm", gemm(577, 1024, 1024, 32, strassen=True), target)
    check("gemm", gemm(577, 1024, 1024, 32), target)
    check("gemm", gemm(50, 768, 768, 32), target)
    check("gemm", gemm(197, 768, 768, 32), target, schedule={"prefetch": 0})
    check("gemm", {**gemm(8, 768, 3072, 32, residual=True), "row_invariant": True}, target)
    check("patch_embed", {"batch": 1, "channels": 3, "height": 224, "width": 224, "patch_h": 16, "patch_w": 16, "n": 768,
                          "panel": 32, "bias": True, "position": True, "ldc": 768, "batch_stride": 768 * 196,
                          "ldp": 768}, target)
    for size, channels, stride, panel in [(56, 64, 1, 16), (28, 128, 1, 32), (14, 256, 1, 32), (56, 128, 2, 16),
                                          (14, 512, 2, 32)]:
        check("conv", conv(size, channels, channels, 3, stride, panel), target)
    check("conv", conv(56, 256, 512, 1, 2, 32), target)
    for kernel in (7, 4, 3):
        check("conv", conv(224, 3, 64, kernel, 2, 32, "nchw"), target)
    # With the channels first, LLVM takes the weights out of the loop over a line and reads them back from the stack: the
    # same loads from another place.
    for size, channels, kernel, products in [(56, 144, 3, 1), (14, 576, 3, 0), (14, 384, 7, 0)]:
        check("depthwise", {"batch": 1, "channels": channels, "height": size, "width": size, "kernel_h": kernel,
                            "kernel_w": kernel, "stride_h": 1, "stride_w": 1, "pad_top": kernel // 2,
                            "pad_left": kernel // 2, "out_h": size, "out_w": size, "ldx": channels, "ldc": channels,
                            "ldw": channels, "bias": True, "activation": "relu"}, target, products=products)
    for probabilities in (False, True):
        attention = {"batch": 1, "heads": 12, "tokens": 197, "head_dim": 64, "scale": 0.125, "ldq": 2304, "ldk": 2304,
                     "ldv": 2304, "ldo": 768, "probabilities": probabilities}
        if probabilities:
            attention["prob_batch_stride"] = 12 * 197 * 197
        check("attention", attention, target, products=2)
        if LEVELS[target]["separate_adders"]:
            for tokens in (197, 577, 1025, 3500):  # no more stack than others
                fewer = {**attention, "tokens": tokens, "winograd": True}
                if probabilities:
                    fewer["prob_batch_stride"] = 12 * tokens * tokens
                check("attention", fewer, target, products=1)
    swin = {"batch": 64, "heads": 3, "tokens": 49, "head_dim": 32, "scale": 1.0, "ldq": 288, "ldk": 288, "ldv": 288,
            "ldo": 96, "probabilities": False, "bias": True, "masks": 64, "ldb": 64}
    check("attention", swin, target, products=2)
    check("attention", {**swin, "tokens": 36, "ldb": 48}, target, products=2)
    check("attention", {**swin, "queries": 1, "heads": 1, "ldb": 64}, target)
    for tokens in (8, 577, 3500):
        check("attention", {**swin, "tokens": tokens, "head_dim": 64, "ldq": 768, "ldk": 768, "ldv": 768, "ldo": 768,
                            "ldb": round_up(tokens, 16)}, target)
    check("attention", {"batch": 2, "heads": 2, "tokens": 1025, "head_dim": 80, "scale": 1.0, "ldq": 160, "ldk": 160,
                        "ldv": 160, "ldo": 160, "probabilities": False}, target)
    check("single_query_attention", {"batch": 1, "heads": 12, "tokens": 197, "head_dim": 64, "channels": 768, "scale": 0.125,
                                     "ldx": 768, "batch_stride": 768 * 197, "ldq": 768, "ldk": 768, "ldo": 768,
                                     "panel": 32}, target, products=4)
    norm = {"rows": 197, "cols": 768, "ldx": 768, "ldy": 768, "eps": 1e-6, "affine": True}
    for kind in ("layer", "rms", "l2"):
        check("norm", {**norm, "kind": kind}, target, products=0)
        check("norm", {**norm, "kind": kind, "groups": 96}, target, products=0)
    rotate = {"rows": 394, "tokens": 197, "heads": 12, "head_dim": 64, "table_heads": 1, "ldx": 2304, "ldy": 768, "ldt": 64}
    for pairing in ("halves", "interleaved"):
        check("rotate", {**rotate, "pairing": pairing}, target, products=0)
    window = {"images": 1, "grid_h": 56, "grid_w": 56, "window_h": 7, "window_w": 7, "shift_h": 3, "shift_w": 3, "cols": 96,
              "ldx": 96, "ldy": 96}
    for direction in ("partition", "merge"):
        for order in ("window", "grid"):
            check("window", {**window, "direction": direction, "order": order}, target, products=0)
    for family, spec in {
            "group_norm": {"batch": 1, "rows": 3136, "cols": 256, "groups": 32, "ldx": 256, "ldy": 256, "eps": 1e-5,
                           "activation": "relu", "residual": False},
            "softmax": {"rows": 4, "cols": 1000, "ldx": 1008, "ldy": 1008},
            "activation": {"rows": 197, "cols": 3072, "ldx": 3072, "ldy": 3072, "function": "gelu"},
            "add": {"rows": 197, "cols": 768, "lda": 768, "ldb": 768, "ldc": 768, "period": 197},
            "affine": {"rows": 197, "cols": 768, "ldx": 768, "ldy": 768, "shift": True, "activation": "sigmoid"},
            "gate": {"rows": 196, "cols": 768, "ldx": 768, "ldg": 768, "ldy": 768, "rows_per_gate": 49, "function": "sigmoid"},
            "scale": {"rows": 197, "cols": 768, "ldx": 768, "ldy": 768, "factor": 0.5},
            "space_to_depth": {"images": 1, "grid_h": 7, "grid_w": 56, "block_h": 2, "block_w": 2, "cols": 96, "ldx": 96,
                               "ldy": 384, "order": "columns"},
            "spatial_pool": {"batch": 1, "channels": 64, "height": 112, "width": 112, "kernel_h": 3, "kernel_w": 3, "stride_h": 2,
                             "stride_w": 2, "pad_top": 1, "pad_left": 1, "out_h": 56, "out_w": 56, "ldx": 64, "ldc": 64,
                             "kind": "max", "pad_zero": False},
            "resize": {"batch": 1, "height": 14, "width": 14, "out_h": 28, "out_w": 28, "cols": 256, "ldx": 256, "ldy": 256},
            "copy": {"shape": [2, 3, 197, 77], "src_strides": [0, 80, 240, 1], "dst_strides": [99999, 16000, 80, 1]},
            "pool": {"batch": 2, "rows": 196, "cols": 768, "ldx": 768, "batch_stride": 150528, "ldy": 768, "kind": "mean_max"},
    }.items():
        check(family, spec, target, products=0)

# Products of fewer bits are the processor's dot products.
for target, family, instruction in [("x86-64-avx512-vnni", "int8_gemm", "vpdpbusd"), ("x86-64-zen4", "int8_gemm", "vpdpbusd"),
                                    ("x86-64-zen4", "bf16_gemm", "vdpbf16ps"), ("arm-64-dotprod", "int8_gemm", "sdot")]:
    narrow = {"m": 197, "n": 768, "k": 768, "panel": LEVELS[target]["panel"], "lda": 832 if family == "int8_gemm" else 768, "ldc": 768,
              "bias": True, "activation": "gelu", "residual": False}
    request = specification(family, narrow, None, target)
    code, error, prefix = run_backend(request, "--emit-assembly")
    assert code == 0, f"{request}: {error}"
    assembly, syntax = pathlib.Path(prefix + ".s").read_text(), Arm if LEVELS[target]["architecture"] == "aarch64" else X86
    hot = [loop for loop in loops(assembly, syntax) if sum(i.startswith(instruction) for i in loop) >= 8]
    assert hot, f"{request}: no loop of {instruction}"
    for loop in hot:
        spills = [i for i in loop if re.match(syntax.spill, i)]
        assert not spills, f"{request}: the inner loop touches the stack: {spills[:3]}"
    print(f"ok {family} {target}: {len(hot)} loops of {instruction} without spills")

# Cascade Lake's are compiled as Zen 4's (schedules/targets/levels.h): of its instructions they have the dot products of bytes alone.
OTHERS = r"\s(vdpbf16ps|vcvtne\w*bf16\w*|vperm[it2]*b|vpmultishiftqb|vp(compress|expand)[bw]|vpsh[lr]d\w*|vpopcnt[bw]|vpshufbitqmb|vgf2\w+|vpmadd52\w+)\s"
for family, spec in {"int8_gemm": {"m": 50, "n": 96, "k": 100, "panel": 32, "lda": 192, "ldc": 96, "bias": True, "activation": "gelu", "residual": False},
                     "bf16_gemm": {"m": 50, "n": 96, "k": 100, "panel": 32, "lda": 128, "ldc": 96, "bias": True, "activation": "gelu", "residual": False},
                     "quantize": {"rows": 50, "cols": 100, "format": "u8", "ldx": 112, "ldy": 192},
                     "norm": {"rows": 50, "cols": 100, "ldx": 112, "format": "bf16", "ldy": 128, "eps": 1e-6, "affine": True},
                     "gemm": {**gemm(1, 96, 96, 32), "weights": "i8"}}.items():
    code, error, prefix = run_backend(specification(family, spec, None, "x86-64-avx512-vnni"), "--emit-assembly")
    assert code == 0, error
    found = re.findall(OTHERS, pathlib.Path(prefix + ".s").read_text())
    assert not found, f"{family}: x86-64-avx512-vnni has {found[0][0]}, which Cascade Lake lacks"
    print(f"ok {family} x86-64-avx512-vnni: no instruction that Cascade Lake lacks")
