# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every level of a CPU has kernels, and float32 kernels of levels that share them are the same, byte for byte: a library for both
has them once."""
from harness import *

ROWS = {"rows": 197, "cols": 768, "ldx": 768, "ldy": 768}
KERNELS = {
    "gemm": {"m": 50, "n": 192, "k": 192, "lda": 192, "ldc": 192, "panel": 16, "bias": True, "activation": "gelu", "residual": False},
    "attention": {"batch": 1, "heads": 3, "tokens": 50, "head_dim": 64, "scale": 0.125, "ldq": 576, "ldk": 576, "ldv": 576,
                  "ldo": 192, "probabilities": False},
    "norm": {**ROWS, "eps": 1e-6, "affine": True},
    "softmax": ROWS,
    "activation": {**ROWS, "function": "gelu"},
}


def compiled(family, target):
    request = specification(family, KERNELS[family], target=target, name=f"same_{family}")
    code, error, prefix = run_backend(request)
    assert code == 0, f"{request}: {error}"
    return pathlib.Path(prefix + ".o").read_bytes()


cpus = {name: level for name, level in LEVELS.items() if not level["gpu"]}
assert len(cpus) >= 6 and set(CPU_TARGETS) < set(cpus), f"levels {list(cpus)}, of which {CPU_TARGETS} have kernels of their own"
for target, level in cpus.items():
    kernels = level["float32_kernels"]
    if kernels == target:
        compiled("norm", target)
        print(f"ok {target}: has kernels")
        continue
    assert kernels in CPU_TARGETS, f"{target}: shares the kernels of {kernels}, which has none of its own"
    for family in KERNELS:
        assert compiled(family, target) == compiled(family, kernels), \
            f"{family}: other code for {target} than for {kernels}; it cannot be shared between levels"
        print(f"ok {family}: the same object for {target} and {kernels}")
