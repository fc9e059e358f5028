"""Objects for every target: only the allowed symbols, and no vector register on the stack inside a product's loop."""
import re

from harness import *

ALLOWED = {"halide_do_par_for", "memcpy", "memset"}
TARGETS = ("x86-64-avx2", "x86-64-avx512")


def loops(assembly):
    """Innermost loops: the instructions from a label to the next branch back to it."""
    lines = [line.split("#")[0].strip() for line in assembly.splitlines()]
    start, label = 0, None
    for number, line in enumerate(lines):
        if re.match(r"^\.?\w+:", line):
            start, label = number, line.split(":")[0]
        branch = re.match(r"^j\w+\s+(\S+)$", line)
        if branch and branch[1] == label:
            yield lines[start + 1:number]


def check(family, spec, target, schedule=None, products=1):
    request = specification(family, spec, schedule, target)
    code, error, prefix = run_backend(request, "--emit-assembly", "--emit-stmt")
    assert code == 0, f"{request}: {error}"
    extra = undefined_symbols(prefix) - ALLOWED
    assert not extra, f"{request}: undefined symbols {extra}"
    assert os.path.getsize(prefix + ".stmt") > 0
    hot = [loop for loop in loops(pathlib.Path(prefix + ".s").read_text()) if sum("vfmadd" in i for i in loop) >= 8]
    assert len(hot) >= products, f"{request}: {len(hot)} loops of products"
    for loop in hot if products else []:
        # Spills are moves to and from %rsp; %rbp is an ordinary register here. Broadcasts of scores are no spills.
        spills = [i for i in loop if re.match(r"vmov.*[xyz]mm", i) and "(%rsp" in i]
        assert not spills, f"{request}: the inner loop touches the stack: {spills[:3]}"
    expected = json.loads(pathlib.Path(prefix + ".json").read_text())["schedule"].get("prefetch", 0)
    if family == "gemm":  # the last rows' own loop has none
        found = [sum(i.startswith("prefetcht1") for i in loop) for loop in hot]
        assert found and max(found) == expected, f"{request}: {found} prefetches in the inner loops, not {expected}"
    milliseconds = json.loads(pathlib.Path(prefix + ".json").read_text())["compile_ms"]
    print(f"ok {family} {target}: {len(hot) if products else 'no'} product loops without spills, compiled in {milliseconds} ms")


def gemm(m, n, k, panel, activation="none", residual=False, fast=False):
    spec = {"m": m, "n": n, "k": k, "lda": k, "ldc": n, "panel": panel, "bias": True, "activation": activation,
            "residual": residual, "fast": fast}
    return {**spec, "ldr": n} if residual else spec


for target in TARGETS:
    for panel in (16, 32):
        check("gemm", gemm(197, 768, 768, panel), target)
        check("gemm", gemm(197, 3072, 768, panel, activation="gelu"), target)
        check("gemm", gemm(197, 768, 3072, panel, residual=True), target)
        check("gemm", gemm(197, 3072, 768, panel, activation="gelu", fast=True), target)
        check("gemm", gemm(197, 768, 3072, panel, residual=True, fast=True), target)
    check("gemm", gemm(577, 1024, 1024, 32, fast=True), target)
    check("gemm", gemm(577, 1024, 1024, 32), target)
    check("gemm", gemm(50, 768, 768, 32), target)
    check("gemm", gemm(197, 768, 768, 32), target, schedule={"prefetch": 0})
    check("patch_embed", {"batch": 1, "channels": 3, "height": 224, "width": 224, "patch_h": 16, "patch_w": 16, "n": 768,
                          "panel": 32, "bias": True, "position": True, "ldc": 768, "batch_stride": 768 * 196,
                          "ldp": 768}, target)
    for probabilities in (False, True):
        attention = {"batch": 1, "heads": 12, "tokens": 197, "head_dim": 64, "scale": 0.125, "ldq": 2304, "ldk": 2304,
                     "ldv": 2304, "ldo": 768, "probabilities": probabilities}
        if probabilities:
            attention["prob_batch_stride"] = 12 * 197 * 197
        check("attention", attention, target, products=2)
    check("attention", {"batch": 2, "heads": 2, "tokens": 1025, "head_dim": 80, "scale": 1.0, "ldq": 160, "ldk": 160,
                        "ldv": 160, "ldo": 160, "probabilities": False}, target)
    check("single_query_attention", {"batch": 1, "heads": 12, "tokens": 197, "head_dim": 64, "channels": 768, "scale": 0.125,
                                     "ldx": 768, "batch_stride": 768 * 197, "ldq": 768, "ldk": 768, "ldo": 768,
                                     "panel": 32}, target, products=4)
    for family, spec in {
            "norm": {"rows": 197, "cols": 768, "ldx": 768, "ldy": 768, "eps": 1e-6, "affine": True},
            "softmax": {"rows": 4, "cols": 1000, "ldx": 1008, "ldy": 1008},
            "activation": {"rows": 197, "cols": 3072, "ldx": 3072, "ldy": 3072, "function": "gelu"},
            "add": {"rows": 197, "cols": 768, "lda": 768, "ldb": 768, "ldc": 768, "period": 197},
            "copy": {"shape": [2, 3, 197, 77], "src_strides": [0, 80, 240, 1], "dst_strides": [99999, 16000, 80, 1]},
            "mean": {"batch": 2, "rows": 196, "cols": 768, "ldx": 768, "batch_stride": 150528, "ldy": 768},
    }.items():
        check(family, spec, target, products=0)
