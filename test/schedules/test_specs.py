"""What is wrong with a specification is said in one line that names the field, and nothing is written."""
import glob

from harness import *

GEMM = {"m": 6, "n": 16, "k": 8, "lda": 8, "ldc": 16, "panel": 16, "bias": True, "activation": "none", "residual": False}
ATTENTION = {"batch": 1, "heads": 2, "tokens": 5, "head_dim": 8, "scale": 1.0, "ldq": 16, "ldk": 16, "ldv": 16, "ldo": 16,
             "probabilities": False}
QUERY = {"batch": 1, "heads": 2, "tokens": 5, "head_dim": 8, "channels": 16, "scale": 1.0, "ldx": 16, "batch_stride": 80,
         "ldq": 16, "ldk": 16, "ldo": 16, "panel": 16}
PATCH = {"batch": 1, "channels": 3, "height": 8, "width": 8, "patch_h": 4, "patch_w": 4, "n": 16, "panel": 16,
         "bias": False, "position": False, "ldc": 16, "batch_stride": 64}
NORM = {"rows": 2, "cols": 8, "ldx": 16, "ldy": 16, "eps": 1e-6, "affine": False}
COPY = {"shape": [1, 1, 2, 2], "src_strides": [4, 4, 2, 1], "dst_strides": [4, 4, 2, 1]}


def expect(request, message, code=1):
    got, error, prefix = run_backend(request)
    assert got == code, f"{request}: exit code {got}, not {code}: {error}"
    assert error.count("\n") == 1 and error.startswith("error: "), f"{request}: not one line: {error!r}"
    assert message in error, f"{request}: {error!r} does not say {message!r}"
    left = [name for name in glob.glob(prefix + ".*") if not name.endswith(".spec")]
    assert not left, f"{request}: left {left}"
    print("ok", error.strip())


def bad(family, base, message, schedule=None, **changes):
    spec = {**base, **changes}
    expect(specification(family, {k: v for k, v in spec.items() if v is not None}, schedule), message)


bad("gemm", GEMM, "spec.k: missing", k=None)
bad("gemm", GEMM, "spec.m: 0 is less than 1", m=0)
bad("gemm", GEMM, 'spec.m: expected an integer, got "6"', m="6")
bad("gemm", GEMM, "spec.m: expected an integer, got 6.5", m=6.5)
bad("gemm", GEMM, "spec.m: 4294967296 does not fit into 32 bits", m=2**32)
bad("gemm", GEMM, "spec.bias: expected true or false, got 1", bias=1)
bad("gemm", GEMM, "spec.activation: 'swish' is not one of none, gelu", activation="swish")
bad("gemm", GEMM, "spec.gate: unknown field", gate=True)
bad("gemm", GEMM, "spec.ldr: missing", residual=True)
bad("gemm", GEMM, "spec.ldr: unknown field", ldr=16)
bad("gemm", GEMM, "spec.lda: 7 is less than the 8 floats of a row", lda=7)
bad("gemm", GEMM, "spec.ldc: 17 is less than the 32 floats of a row", n=17, ldc=17)
bad("gemm", GEMM, "a: the buffer has more than 2^31 elements", m=2000000000)
bad("gemm", GEMM, "schedule.tile: unknown field", schedule={"tile": 3})
bad("gemm", GEMM, "schedule.tile_n: 5 does not divide the panel of 16", schedule={"tile_n": 5})
bad("gemm", GEMM, "schedule.unroll_k: 3 does not divide the 8 steps of k", schedule={"unroll_k": 3})
bad("gemm", GEMM, "schedule.tile_m: 0 is less than 1", schedule={"tile_m": 0})
bad("gemm", GEMM, "schedule.parallel: 2 is more than 1", schedule={"parallel": 2})
FAST = {**GEMM, "n": 64, "ldc": 64, "fast": True}
bad("gemm", FAST, "spec.n: 48 is not a multiple of two panels of 16, as fast needs it", n=48)
bad("gemm", FAST, "spec.k: 7 is odd, and fast needs two halves", k=7)
bad("gemm", FAST, "spec.fast: expected true or false, got 1", fast=1)
bad("gemm", FAST, "schedule.block_k: 3 does not divide half of k, 4", schedule={"block_k": 3})
bad("gemm", FAST, "schedule.chains: unknown field", schedule={"chains": 1})
bad("attention", ATTENTION, "spec.prob_batch_stride: missing", probabilities=True)
bad("attention", ATTENTION, "spec.prob_batch_stride: unknown field", prob_batch_stride=50)
bad("attention", ATTENTION, "spec.ldq: 15 is less than the 16 floats of a row", ldq=15)
bad("attention", ATTENTION, 'spec.scale: expected a number, got "1"', scale="1")
bad("attention", ATTENTION, "schedule.block_q: 7 is not a multiple of tile_m 5", schedule={"block_q": 7})
bad("single_query_attention", QUERY, "spec.ldk: 15 is less than the 16 floats of a row", ldk=15)
bad("single_query_attention", QUERY, "spec.ldo: 16 is less than the 32 floats of a row", panel=32)
bad("single_query_attention", QUERY, "spec.tokens: 17000 need more than 128 KiB of stack", tokens=17000)
bad("single_query_attention", QUERY, "schedule.tile_h: 3 is more than 2", schedule={"tile_h": 3})
bad("patch_embed", PATCH, "spec.patch_w: 9 is more than the width 8", patch_w=9)
bad("patch_embed", PATCH, "spec.ldp: missing", position=True)
bad("norm", NORM, "spec.eps: is negative", eps=-1)
bad("copy", COPY, "spec.shape: expected 4 integers, got [1,2]", shape=[1, 2])
bad("copy", COPY, "spec.dst_strides: 0 would write an element more than once", dst_strides=[4, 4, 0, 1])
bad("conv", GEMM, "family: 'conv' is not one of activation, add")
expect(specification("gemm", GEMM, target="x86-64"), "target: 'x86-64' is not one of x86-64-avx2, x86-64-avx512")
expect(specification("gemm", GEMM, name="a-b"), "name: 'a-b' is not a C identifier")
expect({**specification("gemm", GEMM), "protocol": 2}, "protocol: 2 is not 1")
expect({**specification("gemm", GEMM), "comment": ""}, "comment: unknown field")
expect({"protocol": 1}, "name: missing")

path = os.path.join(folder.name, "broken.spec")
pathlib.Path(path).write_text('{"protocol": 1,')
done = subprocess.run([BACKEND, "--spec", path, "-o", path], capture_output=True, text=True)
assert done.returncode == 1 and "not JSON" in done.stderr, done.stderr
done = subprocess.run([BACKEND, "--spec", "/nonexistent", "-o", path], capture_output=True, text=True)
assert done.returncode == 1 and "cannot be read" in done.stderr, done.stderr
done = subprocess.run([BACKEND, "--frobnicate"], capture_output=True, text=True)
assert done.returncode == 1 and "--frobnicate" in done.stderr, done.stderr

# A folder that is not there is not the specification's mistake.
prefix = os.path.join(folder.name, "nowhere", "gemm")
request = os.path.join(folder.name, "good.spec")
pathlib.Path(request).write_text(json.dumps(specification("gemm", GEMM)))
done = subprocess.run([BACKEND, "--spec", request, "-o", prefix], capture_output=True, text=True)
assert done.returncode == 2 and done.stderr.startswith("error: "), (done.returncode, done.stderr)

version = json.loads(subprocess.run([BACKEND, "--version"], capture_output=True, text=True, check=True).stdout)
assert version["backend"] == "halide" and version["protocol"] == 1, version
assert "--spec" in subprocess.run([BACKEND, "--help"], capture_output=True, text=True, check=True).stdout

# The report names every parameter, and can be given back as the schedule.
kernel = build("gemm", GEMM)
assert set(kernel.report) == {"backend", "version", "symbol", "schedule", "object_bytes", "compile_ms"}, kernel.report
again = build("gemm", GEMM, kernel.report["schedule"])
assert again.report["schedule"] == kernel.report["schedule"]
print("ok files, version, help and report")
