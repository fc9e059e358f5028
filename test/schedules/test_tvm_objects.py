# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""TVM's objects for every target: plain functions that call nothing, and no vector register on the stack inside a product's
loop."""
import re

from harness import *

STACK = 128 * 1024
# The floats' conversions that TVM's code generator puts into every object, weak and unused.
HELPERS = {"__extendhfsf2", "__truncsfhf2"}


def loops(assembly):
    """Innermost loops: the instructions from a label to the next branch back to it. Labels of debug information are none."""
    lines = [line.split("#")[0].split("//")[0].strip() for line in assembly.splitlines()]
    start, label = 0, None
    for number, line in enumerate(lines):
        if re.match(r"^\.LBB\w+:", line):
            start, label = number, line.split(":")[0]
        branch = re.match(r"^(?:j\w+|b\.\w+|b)\s+(\S+)$", line)
        if branch and branch[1] == label:
            yield lines[start + 1:number]


def spilled(instruction):
    """A vector register that is moved to or from the stack."""
    return bool(re.match(r"vmov.*[xyz]mm", instruction) and "(%rsp)" in instruction
                or re.match(r"(str|ldr|stp|ldp)\s+q", instruction) and re.search(r"\[sp(, #\d+)?\]", instruction))


def check(family, spec, target, products, multiplies):
    request = specification(family, spec, None, target)
    code, error, prefix = run_backend(request, "--emit-assembly", "--emit-stmt")
    assert code == 0, f"{request}: {error}"
    first = pathlib.Path(prefix + ".o").read_bytes()
    report = json.loads(pathlib.Path(prefix + ".json").read_text())
    assert not undefined_symbols(prefix) - ALLOWED_SYMBOLS, f"{request}: undefined {undefined_symbols(prefix)}"
    listing = subprocess.run(["nm", "--defined-only", "-g", prefix + ".o"], capture_output=True, text=True).stdout
    names = {line.split()[-1] for line in listing.splitlines()} - HELPERS
    assert all(name.startswith(request["name"] + "_tvm") for name in names), f"{request}: defines {names}"
    loops_text = pathlib.Path(prefix + ".stmt").read_text()
    assert "Workspace" not in loops_text and "packed" not in loops_text, request
    assembly = pathlib.Path(prefix + ".s").read_text()
    hot = [loop for loop in loops(assembly) if sum("fmadd" in i or "fmla" in i for i in loop) >= multiplies]
    assert len(hot) >= products, f"{request}: {len(hot)} loops of products"
    for loop in hot:
        spills = [i for i in loop if spilled(i)]
        assert not spills, f"{request}: the inner loop touches the stack: {spills[:3]}"
    frames = [int(size) for size in re.findall(r"subq\s+\$(\d+), %rsp", assembly)]
    assert max(frames, default=0) <= STACK, f"{request}: {max(frames)} bytes of stack"
    # The same specification gives the same object, byte for byte.
    code, error, again = run_backend(request)
    assert code == 0, error
    assert pathlib.Path(again + ".o").read_bytes() == first, f"{request}: compiled again, it is another object"
    print(f"ok {family} {target}: {len(hot)} product loops without spills")
    return report["schedule"], hot


for target in CPU_TARGETS:
    panel = LEVELS[target]["panel"]
    gemm = {"m": 197, "n": 768, "k": 768, "lda": 768, "ldc": 768, "panel": panel, "bias": True, "activation": "gelu",
            "residual": False}
    schedule, hot = check("gemm", gemm, target, products=2, multiplies=40)
    fetches = max(sum(i.startswith(("prefetcht1", "prfm")) for i in loop) for loop in hot)
    assert fetches == schedule["prefetch"] > 0, f"{fetches} prefetches in the inner loop, not {schedule['prefetch']}"
    check("patch_embed", {"batch": 1, "channels": 3, "height": 224, "width": 224, "patch_h": 16, "patch_w": 16, "n": 768,
                          "panel": panel, "bias": True, "position": True, "ldc": 768, "batch_stride": 768 * 196, "ldp": 768},
          target, products=1, multiplies=40)
    check("attention", {"batch": 1, "heads": 12, "tokens": 197, "head_dim": 64, "scale": 0.125, "ldq": 2304, "ldk": 2304,
                        "ldv": 2304, "ldo": 768, "probabilities": False}, target, products=2, multiplies=12)
    check("norm", {"rows": 197, "cols": 768, "ldx": 768, "ldy": 768, "eps": 1e-6, "affine": True}, target, products=0, multiplies=40)
