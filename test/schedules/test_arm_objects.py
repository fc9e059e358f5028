# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ARM objects, read with objdump: what the inner loop of gemm is made of."""
import re
import shutil

from harness import *

OBJDUMP = "aarch64-linux-gnu-objdump"
MULTIPLY_SHARE = 0.85


def instructions(prefix):
    """(address, mnemonic, operands) of the object's code."""
    listing = subprocess.run([OBJDUMP, "-d", "--no-show-raw-insn", prefix + ".o"], capture_output=True, text=True, check=True).stdout
    for line in listing.splitlines():
        match = re.match(r"^\s*([0-9a-f]+):\s+(\S+)\s*(.*)$", line)
        if match:
            yield int(match[1], 16), match[2], match[3]


def product_loops(prefix):
    """Innermost loops that multiply: from a branch's target to the branch, with no other branch back in between."""
    code = list(instructions(prefix))
    end = -1
    for index, (address, mnemonic, operands) in enumerate(code):
        target = re.search(r"([0-9a-f]+) <", operands) if mnemonic.startswith(("b.", "cb", "tb")) else None
        if not target or int(target[1], 16) > address:
            continue
        loop = [entry for entry in code[:index + 1] if entry[0] >= int(target[1], 16)]
        if loop[0][0] > end and sum(mnemonic == "fmla" for _, mnemonic, _ in loop) >= 8:
            yield loop
        end = address


def check_gemm(m, n, k, **options):
    request = specification("gemm", {"m": m, "n": n, "k": k, "lda": k, "ldc": n, "panel": 16, "bias": True, "activation": "none",
                                     "residual": False, **options}, target="arm-64")
    code, error, prefix = run_backend(request)
    assert code == 0, f"{request}: {error}"
    report = json.loads(pathlib.Path(prefix + ".json").read_text())
    loops = sorted(product_loops(prefix), key=len)
    assert loops, f"{request}: no loop multiplies"
    for loop in loops:
        spills = [entry for entry in loop if "[sp" in entry[2]]
        assert not spills, f"{request}: the inner loop touches the stack: {spills[:3]}"
    # The last rows' own loop is shorter; the other one is where the time goes.
    share = sum(mnemonic == "fmla" for _, mnemonic, _ in loops[-1]) / len(loops[-1])
    assert share >= MULTIPLY_SHARE, f"{request}: {100 * share:.1f}% of the inner loop are fmla"
    by_lane = [operands for _, mnemonic, operands in loops[-1] if mnemonic == "fmla" and ".s[" in operands]
    assert by_lane, f"{request}: no fmla takes one lane for all"
    print(f"ok gemm {m}x{n}x{k}: {100 * share:.1f}% of {len(loops[-1])} instructions are fmla, "
          f"tile {report['schedule']['tile_m']}x{report['schedule']['tile_n']}, no spill")


if not shutil.which(OBJDUMP):
    sys.exit(f"{OBJDUMP} is not installed; tools/setup --tests installs it with g++-aarch64-linux-gnu")

check_gemm(197, 768, 768)
check_gemm(197, 3072, 768, activation="gelu")
check_gemm(197, 768, 3072, residual=True, ldr=768)
check_gemm(198, 2304, 768)
check_gemm(577, 1024, 1024)
