# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""gemm on tensor cores: the CUDA source that TVM wrote, run on the CPU, against a product of operands rounded to half precision.

nvcc and ptxas have compiled the same source by then, without a spill; a machine without them skips the test in words (exit code 77).
"""
import ctypes
import json
import os
import pathlib
import shutil
import subprocess
import sys

import numpy as np

os.environ["VITC_TARGET"] = "cuda-sm80"
from harness import ACTIVATIONS, CXX, check_close, guarded, pack, padded, place, round_up, run_backend, specification, view

SKIPPED = 77
PANEL = 64
FOLDER = pathlib.Path(__file__).parent


def cuda_program(name):
    return os.environ.get(name.upper()) or shutil.which(name) or shutil.which("/usr/local/cuda/bin/" + name)


def compiled(request):
    """The kernel's report, and its source as a function of pointers."""
    code, message, prefix = run_backend(request, "--emit-stmt", "--emit-assembly")
    assert code == 0, f"{request}: exit code {code}: {message}"
    report = json.loads(pathlib.Path(prefix + ".json").read_text())
    (launch,) = report["launches"]
    assert "wmma.mma.sync" in pathlib.Path(prefix + ".s").read_text(), "nvcc's PTX does not use the tensor cores"
    source = [line for line in pathlib.Path(prefix + ".stmt").read_text().splitlines() if not line.startswith("#include")]
    count = 3 + request["spec"]["bias"] + request["spec"]["residual"]
    numbers = lambda name: "{" + ", ".join(map(str, launch[name])) + "}"
    pointers = ", ".join(f"pointers[{i}]" for i in range(count))
    path = pathlib.Path(prefix + "_cpu.cpp")
    path.write_text(f'#include "{FOLDER}/tensor_cores_on_cpu.h"\n' + "\n".join(source) + f"""
extern "C" void run(float **pointers) {{
  const int blocks[] = {numbers("blocks")}, threads[] = {numbers("threads")};
  runKernel([=] {{ {launch["entry"]}({pointers}); }}, blocks, threads);
}}
""")
    subprocess.run([CXX, "-std=c++17", "-O1", "-w", "-fPIC", "-shared", "-pthread", str(path), "-o", prefix + "_cpu.so"], check=True)
    library = ctypes.CDLL(prefix + "_cpu.so")

    def run(arrays):
        library.run((ctypes.c_void_p * count)(*(array.ctypes.data for array in arrays)))

    return launch, run


def check(m, n, k, activation, bias, residual, in_place=False):
    random = np.random.default_rng(m + n + k)
    width = round_up(n, PANEL)
    lda, ldc = round_up(k, 16), width
    spec = {"m": m, "n": n, "k": k, "lda": lda, "ldc": ldc, "panel": PANEL, "bias": bias, "activation": activation,
            "residual": residual, "multiply": "f16"}
    if residual:
        spec["ldr"] = width
    launch, run = compiled(specification("gemm", spec, target="cuda-sm80"))
    assert launch["spill_bytes"] == 0 and launch["stack_bytes"] == 0 and launch["registers"] > 0, launch

    a = random.standard_normal((m, k)).astype(np.float32)
    w = (random.standard_normal((n, k)) / np.sqrt(k)).astype(np.float32)
    b = random.standard_normal(n).astype(np.float32)
    r = random.standard_normal((m, width)).astype(np.float32)
    out = place(r, (ldc, 1)) if in_place else guarded((m - 1) * ldc + width)
    arguments = [place(a, (lda, 1)), padded(pack(w, PANEL), len(pack(w, PANEL)))]
    if bias:
        arguments.append(padded(b, width))
    if residual:
        arguments.append(out if in_place else place(r, (width, 1)))
    run(arguments + [out])

    rounded = a.astype(np.float16).astype(np.float64) @ w.astype(np.float16).astype(np.float64).T
    exact = a.astype(np.float64) @ w.astype(np.float64).T
    finish = lambda sums: ACTIVATIONS[activation](sums + (b if bias else 0)) + (r[:, :n] if residual else 0)
    got = view(out, (m, n), (ldc, 1))
    what = f"{m}x{n}x{k} {activation} bias {bias} residual {residual}"
    # Float32 sums of k terms, none of which is rounded again: a few units in the last place of the terms' sum.
    size = np.abs(a).astype(np.float64) @ np.abs(w).astype(np.float64).T
    check_close(what, got, finish(rounded), 1e-6 * (size + 4))
    # What half precision costs: each operand is off by up to 2^-11 of itself; GELU's slope is at most 1.13.
    check_close(what + ", against float32", got, finish(exact), 1.13 * 2 * 2.0**-11 * size + 1e-6 * (size + 4))


def check_refused(spec, target, expected):
    code, message, _ = run_backend(specification("gemm", spec, target=target))
    assert code == 1 and expected in message, (code, message)
    print(f"ok refused: {message.strip()}")


if not (cuda_program("nvcc") and cuda_program("ptxas")):
    print("SKIP: nvcc or ptxas was not found")
    sys.exit(SKIPPED)
os.environ.update(NVCC=cuda_program("nvcc"), PTXAS=cuda_program("ptxas"))
check(64, 64, 64, "none", bias=False, residual=False)
check(70, 100, 50, "gelu", bias=True, residual=False)
check(17, 64, 96, "none", bias=True, residual=True)
check(197, 70, 33, "quick_gelu", bias=False, residual=True, in_place=True)
plain = {"m": 64, "n": 64, "k": 64, "lda": 64, "ldc": 64, "panel": 64, "bias": False, "activation": "none", "residual": False}
check_refused(plain, "cuda-sm80", "multiply: vitc-tvm has no other products for cuda-sm80")
check_refused({**plain, "multiply": "f16"}, "x86-64-avx2", "multiply: x86-64-avx2 has no tensor cores")
check_refused({**plain, "multiply": "f16", "panel": 32}, "cuda-sm80", "panel: 32 is not 64")
