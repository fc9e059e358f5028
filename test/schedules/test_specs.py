# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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
MAP = {"batch": 1, "channels": 8, "height": 4, "width": 4, "kernel_h": 3, "kernel_w": 3, "stride_h": 1, "stride_w": 1,
       "pad_top": 1, "pad_left": 1, "out_h": 4, "out_w": 4}
CONV = {**MAP, "layout": "nhwc", "ldx": 16, "n": 16, "panel": 16, "ldc": 16, "bias": True, "activation": "none",
        "residual": False}
DEPTHWISE = {**MAP, "ldx": 16, "ldc": 16, "ldw": 16, "bias": True, "activation": "none"}
SPATIAL = {**MAP, "kind": "max", "pad_zero": False, "ldx": 16, "ldc": 16}
NORM = {"rows": 2, "cols": 8, "ldx": 16, "ldy": 16, "eps": 1e-6, "affine": False}
GROUPS = {"batch": 1, "rows": 4, "cols": 64, "groups": 32, "ldx": 64, "ldy": 64, "eps": 1e-5, "activation": "none",
          "residual": False}
ROTATE = {"rows": 2, "tokens": 2, "heads": 2, "head_dim": 8, "table_heads": 1, "ldx": 16, "ldy": 16, "ldt": 16,
          "pairing": "halves"}
GATE = {"rows": 2, "cols": 8, "ldx": 16, "ldg": 16, "ldy": 16, "rows_per_gate": 1, "function": "silu"}
AFFINE = {"rows": 2, "cols": 8, "ldx": 16, "ldy": 16, "shift": True, "activation": "none"}
ACTIVATION = {"rows": 2, "cols": 8, "ldx": 16, "ldy": 16, "function": "gelu"}
ADD = {"rows": 2, "cols": 8, "lda": 16, "ldb": 16, "ldc": 16, "period": 1}
SOFTMAX = {"rows": 2, "cols": 8, "ldx": 16, "ldy": 16}
QUANTIZE = {"rows": 2, "cols": 8, "format": "u8", "ldx": 16, "ldy": 128}
INT8 = {"m": 6, "n": 16, "k": 8, "lda": 128, "ldc": 16, "panel": 16, "bias": True, "activation": "none", "residual": False}
BF16 = {**INT8, "lda": 32}
SCALE = {"rows": 2, "cols": 8, "ldx": 16, "ldy": 16, "factor": 2.0}
WINDOW = {"images": 1, "grid_h": 4, "grid_w": 4, "window_h": 2, "window_w": 2, "shift_h": 0, "shift_w": 0, "cols": 8,
          "ldx": 16, "ldy": 16, "direction": "partition", "order": "window"}
DEPTH = {"images": 1, "grid_h": 4, "grid_w": 4, "block_h": 2, "block_w": 2, "cols": 8, "ldx": 16, "ldy": 32, "order": "rows"}
POOL = {"batch": 1, "rows": 4, "cols": 8, "ldx": 16, "batch_stride": 64, "ldy": 16, "kind": "max"}
RESIZE = {"batch": 1, "height": 2, "width": 2, "out_h": 4, "out_w": 4, "cols": 8, "ldx": 16, "ldy": 16}
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
    if family not in FAMILIES and family != "fft":
        message = f"family: '{family}' is not one of {FAMILIES[0]}"  # what this backend lacks it says by name
    spec = {**base, **changes}
    expect(specification(family, {k: v for k, v in spec.items() if v is not None}, schedule), message)


bad("gemm", GEMM, "spec.k: missing", k=None)
bad("gemm", GEMM, "spec.m: 0 is less than 1", m=0)
bad("gemm", GEMM, 'spec.weights: \'u8\' is not one of f32, f16, bf16, i8', weights="u8")
bad("gemm", GEMM, "spec.weights: strassen and winograd take float32 weights", weights="i8", winograd=True, lds=32)
bad("quantize", QUANTIZE, "spec.format: rows are float32 already", format="f32")
bad("quantize", QUANTIZE, "spec.ldy: 64 is less than the 128 elements of a row", ldy=64)
bad("norm", NORM, "spec.groups: 2 groups are written as float32 alone", groups=2, format="u8", ldy=128)
bad("int8_gemm", INT8, "spec.lda: 64 is less than the 128 elements of a row", lda=64)
bad("int8_gemm", INT8, "spec.lda: 130 is not a multiple of 64", lda=130)
bad("bf16_gemm", BF16, "spec.k: missing", k=None)
bad("gemm", GEMM, 'spec.m: expected an integer, got "6"', m="6")
bad("gemm", GEMM, "spec.m: expected an integer, got 6.5", m=6.5)
bad("gemm", GEMM, "spec.m: 4294967296 is greater than 16777216", m=2**32)
bad("gemm", GEMM, "spec.m: expected an integer, got 18446744073709551615", m=2**64 - 1)
bad("gemm", GEMM, "spec.bias: expected true or false, got 1", bias=1)
bad("gemm", GEMM, "spec.activation: 'swish' is not one of none, gelu", activation="swish")
bad("gemm", GEMM, "spec.gate: unknown field", gate=True)
bad("gemm", GEMM, "spec.lds: missing", winograd=True)
bad("gemm", GEMM, "spec.lds: unknown field", lds=64)
bad("gemm", GEMM, "spec.row_invariant: Strassen and Winograd products take rows together", row_invariant=True, winograd=True, lds=GEMM["k"] + 16)
bad("gemm", GEMM, f"spec.lds: {GEMM['k'] + 15} is less than the {GEMM['k'] + 16} elements of a row", winograd=True, lds=GEMM["k"] + 15)
bad("gemm", GEMM, "spec.multiply: 'bf16' is not one of f32, f16", multiply="bf16")
if NAME == "halide":
    bad("gemm", GEMM, "spec.multiply: vitc-halide multiplies f32 only", multiply="f16")
bad("gemm", GEMM, "spec.row_invariant: tensor cores take rows together", multiply="f16", row_invariant=True)
bad("gemm", GEMM, "spec.ldr: missing", residual=True)
bad("gemm", GEMM, "spec.ldr: unknown field", ldr=16)
bad("gemm", GEMM, "spec.lda: 7 is less than the 8 elements of a row", lda=7)
bad("gemm", GEMM, "spec.ldc: 17 is less than the 32 elements of a row", n=17, ldc=17)
bad("gemm", GEMM, "a: the buffer has more than 2^31 elements", m=2**24, lda=2**10)
bad("gemm", GEMM, "spec.panel: 2147483647 is greater than 1024", panel=2**31 - 1, ldc=2**31 - 1)
bad("gemm", GEMM, "schedule.tile: unknown field", schedule={"tile": 3})
bad("gemm", GEMM, "schedule.tile_n: 5 does not divide the panel of 16", schedule={"tile_n": 5})
bad("gemm", GEMM, "schedule.unroll_k: 3 does not divide the 8 steps of k", schedule={"chains": 1, "unroll_k": 3})
bad("gemm", GEMM, "schedule.tile_m: 0 is less than 1", schedule={"tile_m": 0})
bad("gemm", GEMM, "schedule.block_k: " + ("unknown field" if NAME == "tvm" else "3 does not divide k, 8"),
    schedule={"block_k": 3})
bad("gemm", GEMM, "schedule.parallel: 2 is more than 1", schedule={"parallel": 2})
STRASSEN = {**GEMM, "n": 64, "ldc": 64, "strassen": True}
if NAME == "tvm":
    bad("gemm", STRASSEN, "spec.strassen: vitc-tvm has no Strassen products")
else:
    bad("gemm", STRASSEN, "spec.n: 48 is not a multiple of two panels of 16, as strassen needs it", n=48)
    bad("gemm", STRASSEN, "spec.k: 7 is odd, and strassen needs two halves", k=7)
    bad("gemm", STRASSEN, "spec.strassen: expected true or false, got 1", strassen=1)
    bad("gemm", STRASSEN, "schedule.block_k: 3 does not divide half of k, 4", schedule={"block_k": 3})
    bad("gemm", STRASSEN, "schedule.chains: unknown field", schedule={"chains": 1})
bad("attention", ATTENTION, "spec.prob_batch_stride: missing", probabilities=True)
bad("attention", ATTENTION, "spec.prob_batch_stride: unknown field", prob_batch_stride=50)
bad("attention", ATTENTION, "spec.ldq: 15 is less than the 16 elements of a row", ldq=15)
bad("attention", ATTENTION, "spec.scale: is not a number that float32 can hold", scale=1e39)
bad("attention", ATTENTION, 'spec.scale: expected a number, got "1"', scale="1")
bad("attention", ATTENTION, "schedule.block_q: 7 is not a multiple of tile_m 5", schedule={"block_q": 7})
bad("attention", ATTENTION, "spec.queries: 0 is less than 1", queries=0)
bad("attention", ATTENTION, "spec.ldb: missing", bias=True)
bad("attention", ATTENTION, "spec.ldb: missing", masks=1)
bad("attention", ATTENTION, "spec.ldb: unknown field", ldb=16)
bad("attention", ATTENTION, "spec.ldb: 17 is not a multiple of 16", bias=True, ldb=17)
bad("attention", ATTENTION, "spec.ldb: 16 is less than the 17 elements of a row", tokens=17, bias=True, ldb=16)
bad("attention", ATTENTION, "spec.bias: expected true or false, got 1", bias=1)
bad("attention", ATTENTION, "spec.masks: -1 is less than 0", masks=-1)
bad("attention", ATTENTION, "spec.tokens: 20000 need more than 124 KiB of stack", tokens=20000)
bad("single_query_attention", QUERY, "spec.ldk: 15 is less than the 16 elements of a row", ldk=15)
bad("single_query_attention", QUERY, "spec.ldo: 16 is less than the 32 elements of a row", panel=32)
bad("single_query_attention", QUERY, "spec.tokens: 17000 need more than 128 KiB of stack", tokens=17000)
bad("single_query_attention", QUERY, "schedule.tile_h: 3 is more than 2", schedule={"tile_h": 3})
bad("patch_embed", PATCH, "spec.patch_w: 9 is more than the width 8", patch_w=9)
bad("patch_embed", PATCH, "spec.ldp: missing", position=True)
bad("conv", CONV, "spec.layout: 'chwn' is not one of nhwc, nchw", layout="chwn")
bad("conv", CONV, "spec.ldx: unknown field", layout="nchw")
bad("conv", CONV, "spec.ldx: 7 is less than the 8 elements of a row", ldx=7)
bad("conv", CONV, "spec.ldc: 16 is less than the 32 elements of a row", panel=32)
bad("conv", CONV, "spec.ldr: missing", residual=True)
bad("conv", CONV, "spec.stride_w: 0 is less than 1", stride_w=0)
bad("conv", CONV, "spec.pad_left: -1 is less than 0", pad_left=-1)
bad("conv", CONV, "spec.out_w: the windows span more than 2^31 pixels", out_w=2**20, stride_w=2**12)
bad("conv", CONV, "spec.out_h: more than 2^31 elements", out_h=2**20, out_w=2**20)
bad("conv", CONV, "spec.height: more than 2^31 elements", height=2**20, width=2**20)
bad("conv", CONV, "x: the buffer has more than 2^31 elements", ldx=2**30)
bad("conv", CONV, "w: the buffer has more than 2^31 elements", n=2**24, ldc=2**24, channels=32, ldx=32)
bad("conv", CONV, "schedule.unroll_k: 5 does not divide the 24 steps of k", schedule={"unroll_k": 5})
bad("depthwise", DEPTHWISE, "spec.ldw: 24 is not a multiple of 16", ldw=24)
bad("depthwise", DEPTHWISE, "spec.ldc: 7 is less than the 8 elements of a row", ldc=7)
bad("depthwise", DEPTHWISE, "spec.layout: unknown field", layout="nhwc")
bad("depthwise", DEPTHWISE, "schedule.tile_n: 3 does not divide the row's 16 floats", schedule={"tile_n": 3})
bad("spatial_pool", SPATIAL, "spec.kind: 'min' is not one of max, mean", kind="min")
bad("spatial_pool", SPATIAL, "spec.pad_zero: missing", pad_zero=None)
bad("spatial_pool", SPATIAL, "spec.pad_top: 3 hides the whole window of 3", pad_top=3)
bad("spatial_pool", SPATIAL, "spec.out_w: the last window starts at 4, beyond the map of 4", out_w=6)
bad("spatial_pool", SPATIAL, "spec.ldx: 7 is less than the 8 elements of a row", ldx=7)
bad("norm", NORM, "spec.eps: is negative", eps=-1)
bad("norm", NORM, "spec.kind: 'batch' is not one of layer, rms, l2", kind="batch")
bad("norm", NORM, "spec.groups: 3 does not divide the 8 columns", groups=3)
bad("norm", NORM, "spec.groups: 0 is less than 1", groups=0)
bad("norm", NORM, "spec.shift: needs affine", shift=True)
bad("group_norm", GROUPS, "spec.groups: 7 does not divide the 64 columns", groups=7)
bad("group_norm", GROUPS, "spec.groups: 8192 channels together need more than 128 KiB of stack", cols=8192, groups=1, ldx=8192,
    ldy=8192)
bad("group_norm", GROUPS, "spec.eps: is negative", eps=-1)
bad("group_norm", GROUPS, "spec.ldr: missing", residual=True)
bad("group_norm", GROUPS, "schedule.block_groups: 3 does not divide the 32 groups", schedule={"block_groups": 3})
bad("rotate", ROTATE, "spec.head_dim: 7 is odd", head_dim=7)
bad("rotate", ROTATE, "spec.table_heads: 3 is neither 1 nor the 2 heads", table_heads=3)
bad("rotate", ROTATE, "spec.pairing: 'thirds' is not one of halves, interleaved", pairing="thirds")
bad("rotate", ROTATE, "spec.ldt: 7 is less than the 8 elements of a row", ldt=7)
bad("gate", GATE, "spec.rows_per_gate: 0 is less than 1", rows_per_gate=0)
bad("gate", GATE, "spec.function: 'swish' is not one of none", function="swish")
bad("affine", AFFINE, "spec.shift: missing", shift=None)
bad("affine", AFFINE, "spec.factor: unknown field", factor=1.0)
bad("scale", SCALE, "spec.factor: missing", factor=None)
bad("window", WINDOW, "spec.shift_h: -1 is less than 0", shift_h=-1)
bad("window", WINDOW, "spec.direction: 'back' is not one of partition, merge", direction="back")
bad("window", WINDOW, "spec.order: 'rows' is not one of window, grid", order="rows")
bad("space_to_depth", DEPTH, "spec.ldy: 16 is less than the 32 elements of a row", ldy=16)
bad("space_to_depth", DEPTH, "spec.order: 'grid' is not one of rows, columns", order="grid")
bad("pool", POOL, "spec.kind: missing", kind=None)
bad("pool", POOL, "spec.kind: 'sum' is not one of mean, max, mean_max", kind="sum")
bad("resize", RESIZE, "spec.out_h: 0 is less than 1", out_h=0)
bad("resize", RESIZE, "spec.ldy: 7 is less than the 8 elements of a row", ldy=7)
bad("resize", RESIZE, "spec.out_w: times width is more than 2^30", out_w=2**20, width=2**11)
bad("resize", RESIZE, "x: the buffer has more than 2^31 elements", ldx=2**30)
bad("copy", COPY, "spec.shape: expected 4 integers, got [1,2]", shape=[1, 2])
bad("copy", COPY, "spec.dst_strides: 0 would write an element more than once", dst_strides=[4, 4, 0, 1])
bad("fft", GEMM, "family: 'fft' is not one of activation, add")
expect(specification("gemm", GEMM, target="x86-64"), "target: 'x86-64' is not one of " + ", ".join(LEVELS))
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

# Text that would take the stack of whoever reads it, and numbers that no double holds.
pathlib.Path(path).write_text('{"protocol": ' + "[" * 100000 + "]" * 100000 + "}")
done = subprocess.run([BACKEND, "--spec", path, "-o", path], capture_output=True, text=True)
assert done.returncode == 1 and "more than 16 arrays and objects in each other" in done.stderr, done.stderr
pathlib.Path(path).write_text('{"protocol": 1e400}')
done = subprocess.run([BACKEND, "--spec", path, "-o", path], capture_output=True, text=True)
assert done.returncode == 1 and "has a number that is too large" in done.stderr, done.stderr

# Whatever a field's bounds allow is answered in time.
BASES = {"gemm": GEMM, "attention": ATTENTION, "single_query_attention": QUERY, "patch_embed": PATCH, "conv": CONV,
         "depthwise": DEPTHWISE, "spatial_pool": SPATIAL, "norm": NORM, "group_norm": GROUPS, "rotate": ROTATE, "gate": GATE,
         "affine": AFFINE, "scale": SCALE, "window": WINDOW, "space_to_depth": DEPTH, "pool": POOL, "resize": RESIZE,
         "copy": COPY, "activation": ACTIVATION, "add": ADD, "softmax": SOFTMAX, "quantize": QUANTIZE, "int8_gemm": INT8, "bf16_gemm": BF16}
assert set(BASES) == set(DEFINITIONS["families"]), f"add a specification of {set(DEFINITIONS['families']) - set(BASES)} to BASES"


def answers_in_time(family, spec):
    request = specification(family, spec)
    pathlib.Path(path).write_text(json.dumps(request))
    try:
        done = subprocess.run([BACKEND, "--spec", path, "--space"], capture_output=True, text=True, timeout=300)
    except subprocess.TimeoutExpired:
        sys.exit(f"FAILED {request}: no answer")
    assert done.returncode in (0, 1), f"{request}: exit code {done.returncode}: {done.stderr}"


@sampled
def check_bound(family, name, most):
    strides = {field["name"]: 2**30 // 16 for field in DEFINITIONS["families"][family]["fields"]
               if field["holds"] and field["name"] in BASES[family]}
    answers_in_time(family, {**BASES[family], **strides, name: most})


for family in BASES:
    assert set(BASES[family]) <= {field["name"] for field in DEFINITIONS["families"][family]["fields"]}
    if family in FAMILIES:
        for field in DEFINITIONS["families"][family]["fields"]:
            if field["kind"] == "integer" and field["name"] in BASES[family]:
                check_bound(family, field["name"], field["most"])
print("ok bounds")

# A folder that is not there is not the specification's mistake.
prefix = os.path.join(folder.name, "nowhere", "gemm")
request = os.path.join(folder.name, "good.spec")
pathlib.Path(request).write_text(json.dumps(specification("gemm", GEMM)))
done = subprocess.run([BACKEND, "--spec", request, "-o", prefix], capture_output=True, text=True)
assert done.returncode == 2 and done.stderr.startswith("error: "), (done.returncode, done.stderr)

version = json.loads(subprocess.run([BACKEND, "--version"], capture_output=True, text=True, check=True).stdout)
assert version["backend"] == NAME and version["protocol"] == 1, version
assert "--spec" in subprocess.run([BACKEND, "--help"], capture_output=True, text=True, check=True).stdout

# The report names every parameter, and can be given back as the schedule.
def report(schedule=None):
    code, error, prefix = run_backend(specification("gemm", GEMM, schedule))
    assert code == 0, error
    return json.loads(pathlib.Path(prefix + ".json").read_text())


first = report()
assert set(first) == {"backend", "version", "symbol", "schedule", "object_bytes", "compile_ms"}, first
assert report(first["schedule"])["schedule"] == first["schedule"]
print("ok files, version, help and report")
