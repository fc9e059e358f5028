# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times kernels on this machine, as a share of the FMA peak that is measured between their runs. Run by hand:

  VITC_BACKEND=build/bin/vitc-halide VITC_TARGET=x86-64-avx2 python test/performance/kernels.py
      [gemm|conv|depthwise|strassen_gemm|attention|single_query_attention|norm|group_norm|patch_embed]... [--threads] [--cold]
      [--schedule '{"tile_m": 4}'] [--panel 32] [--shape M,N,K] [--bias]

The best time of many runs, since a machine's noise only ever adds, and the median share of many short rounds; on one thread in
CPU time, so that other programs disturb less.
Weights are warm, since the same kernel runs again and again, unless --cold gives a gemm or conv those of many layers in turn.
"""
import argparse
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "schedules"))
from harness import *

PEAK = r"""
#include <ctime>
#include <immintrin.h>
#ifdef __AVX512F__
using Vector = __m512;
#else
using Vector = __m256;
#endif
static double cpuSeconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec + 1e-9 * now.tv_nsec;
}
// Twelve independent chains of FMAs: the latency of 4 to 5 cycles is hidden on two ports. FLOPs per second of CPU time.
extern "C" double peak() {
  constexpr int chains = 12, steps = 200000;
  Vector sums[chains]; // in registers, once both loops are unrolled
#pragma GCC unroll 12
  for (int i = 0; i < chains; ++i)
    sums[i] = Vector{} + float(i);
  Vector x = Vector{} + 1.0001f, y = Vector{} + 0.5f;
  double start = cpuSeconds();
  for (int step = 0; step < steps; ++step) {
#pragma GCC unroll 12
    for (int i = 0; i < chains; ++i)
      asm volatile("vfmadd231ps %1, %2, %0" : "+v"(sums[i]) : "v"(x), "v"(y));
  }
  return 2.0 * sizeof(Vector) / sizeof(float) * chains * steps / (cpuSeconds() - start);
}
"""


def peak_function():
    source = pathlib.Path(folder.name) / "peak.cpp"
    source.write_text(PEAK)
    library = source.with_suffix(".so")
    vectors = ["-mavx512f"] if "avx512f" in LEVELS[TARGET]["instructions"] else ["-mavx2", "-mfma"]
    subprocess.run([CXX, "-O2", *vectors, "-fPIC", "-shared", str(source), "-o", str(library)], check=True)
    function = ctypes.CDLL(str(library)).peak
    function.restype = ctypes.c_double
    return function


peak = peak_function()


# More than any third-level cache here.
COLD_FLOATS = 64 * 1024 * 1024


def measure(what, kernel, arguments, flops, threads, further=()):
    """`further` are weights (argument 1) of other layers: each call takes the next one's, which are cold then."""
    best, shares, mode = float("inf"), [], THREADS if threads else SERIAL
    clock = time.perf_counter if threads else time.thread_time
    for _ in range(15):
        before, least, end = peak(), float("inf"), time.perf_counter() + 0.06
        while time.perf_counter() < end:
            if further:
                further.append(arguments[1])
                arguments[1] = further.pop(0)
            start = clock()
            kernel(arguments, mode)
            least = min(least, clock() - start)
        # A processor changes its clock from second to second: a time only counts beside the peak of its own moment.
        shares.append(flops / least / (0.5 * (before + peak()) * (2 if threads else 1)))
        best = min(best, least)
    share = 100 * sorted(shares)[len(shares) // 2]
    print(f"{what:58} {best * 1e3:8.3f} ms {flops / best / 1e9:7.1f} GFLOP/s {share:5.1f}% of the peak"
          f"  {json.dumps(kernel.report['schedule'])}", flush=True)


def random(floats, alignment=64):
    array = guarded(floats, alignment)
    array[:] = np.random.default_rng(0).standard_normal(floats, np.float32)
    return array


def gemm(m, n, k, options, activation="none", strassen=False):
    spec = {"m": m, "n": n, "k": k, "lda": k + (16 if k % 1024 == 0 else 0), "ldc": round_up(n, options.panel),
            "panel": options.panel, "bias": True, "activation": activation, "residual": False, "strassen": strassen}
    spec["ldc"] += 16 if spec["ldc"] % 1024 == 0 else 0
    kernel = build("gemm", spec, options.schedule)
    columns = round_up(n, options.panel)
    arguments = [random(m * spec["lda"]), random(columns * k * (7 if strassen else 4) // 4), random(columns), *kernel.scratch(),
                 random(m * spec["ldc"])]
    further = [random(len(arguments[1])) for _ in range(COLD_FLOATS // len(arguments[1]) if options.cold else 0)]
    measure(f"{'Strassen ' * strassen}gemm {m}x{n}x{k} {activation} panel {options.panel}", kernel, arguments, 2.0 * m * n * k,
            options.threads, further)


def gemms(options):
    if options.shape:
        gemm(*options.shape, options)
        return
    for n, k in [(768, 768), (2304, 768), (3072, 768), (768, 3072), (384, 384), (1152, 384), (1536, 384), (384, 1536),
                 (192, 192), (576, 192), (768, 192), (192, 768)]:
        gemm(197, n, k, options)
    gemm(197, 3072, 768, options, "gelu")
    gemm(1, 768, 768, options)
    gemm(1, 1000, 768, options)


def strassen_gemms(options):
    for n, k in [(768, 768), (2304, 768), (3072, 768), (768, 3072), (384, 384), (1152, 384), (1536, 384), (384, 1536)]:
        for strassen in (False, True):
            gemm(197, n, k, options, "gelu" if n == 4 * k else "none", strassen)


def attention(options):
    vit = [(1, 12, 197, 64), (1, 3, 197, 64), (1, 12, 577, 64), (1, 12, 1025, 64), (1, 16, 257, 80), (8, 12, 50, 64)]
    swin = [(64, 3, 49, 32), (16, 6, 49, 32), (4, 12, 49, 32), (1, 24, 49, 32), (64, 3, 64, 32), (4, 12, 144, 32)]
    for batch, heads, tokens, d in vit + swin:
        width = heads * d
        ld, ldb = 3 * width, round_up(tokens, 16)
        ld += 64 if ld >= 1024 and ld % 128 == 0 else 0  # as the compiler lays rows out
        spec = {"batch": batch, "heads": heads, "tokens": tokens, "head_dim": d, "scale": 0.125, "ldq": ld, "ldk": ld,
                "ldv": ld, "ldo": width, "probabilities": False}
        further = []
        if options.bias and (batch, heads, tokens, d) in swin:
            spec |= {"bias": True, "masks": batch, "ldb": ldb}
            further = [random(heads * tokens * ldb), random(batch * tokens * ldb)]
        kernel = build("attention", spec, options.schedule)
        qkv = random(batch * tokens * ld)
        arguments = [qkv, qkv[width:], qkv[2 * width:], *further, *kernel.scratch(), guarded(batch * tokens * width)]
        measure(f"attention {batch}x{heads} heads {tokens} tokens of {d}{' with bias and mask' * bool(further)}", kernel,
                arguments, 4.0 * batch * heads * d * tokens**2, options.threads)


def single_query_attention(options):
    for batch, heads, tokens, d in [(1, 12, 197, 64), (8, 12, 197, 64), (1, 6, 197, 64), (1, 16, 257, 80)]:
        width = heads * d
        spec = {"batch": batch, "heads": heads, "tokens": tokens, "head_dim": d, "channels": width, "scale": 0.125,
                "ldx": width, "batch_stride": tokens * width, "ldq": width, "ldk": width, "ldo": width,
                "panel": options.panel}
        kernel = build("single_query_attention", spec, options.schedule)
        arguments = [random(batch * tokens * width), random(batch * width), random(width * width), random(width * width),
                     *kernel.scratch(), guarded(batch * width)]
        measure(f"single query of {batch}, {heads} heads {tokens} tokens of {d}", kernel, arguments,
                4.0 * batch * width * (width + heads * tokens), options.threads)


def norm(options):
    kernel = build("norm", {"rows": 197, "cols": 768, "ldx": 768, "ldy": 768, "eps": 1e-6, "affine": False},
                   options.schedule)
    measure("norm 197x768", kernel, [random(197 * 768), guarded(197 * 768)], 8.0 * 197 * 768, options.threads)


def group_norm(options):
    for rows, cols in [(12544, 64), (3136, 64), (3136, 256), (784, 512), (196, 1024)]:  # a BiT-50 at 224
        spec = {"batch": 1, "rows": rows, "cols": cols, "groups": 32, "ldx": cols, "ldy": cols, "eps": 1e-5,
                "activation": "relu", "residual": False}
        kernel = build("group_norm", spec, options.schedule)
        measure(f"group_norm {rows}x{cols}", kernel, [random(rows * cols), random(cols), random(cols), guarded(rows * cols)],
                8.0 * rows * cols, options.threads)


def patch_embed(options):
    for size, patch, n in [(224, 16, 768), (224, 14, 1024), (224, 32, 768)]:
        patches, k, columns = (size // patch)**2, 3 * patch * patch, round_up(n, options.panel)
        spec = {"batch": 1, "channels": 3, "height": size, "width": size, "patch_h": patch, "patch_w": patch, "n": n,
                "panel": options.panel, "bias": True, "position": True, "ldc": columns, "batch_stride": patches * columns,
                "ldp": columns}
        kernel = build("patch_embed", spec, options.schedule)
        arguments = [random(3 * size * size, 4), random(columns * k), random(columns), random(patches * columns),
                     guarded(patches * columns)]
        measure(f"patch_embed {size} by {patch} to {n}", kernel, arguments, 2.0 * patches * n * k, options.threads)


def conv(options, size, channels, n, kernel, stride, layout="nhwc"):
    out, pad, columns = (size + stride - 1) // stride, (kernel - 1) // 2, round_up(n, options.panel)
    spec = {"batch": 1, "channels": channels, "height": size, "width": size, "layout": layout, "kernel_h": kernel,
            "kernel_w": kernel, "stride_h": stride, "stride_w": stride, "pad_top": pad, "pad_left": pad, "out_h": out,
            "out_w": out, "n": n, "panel": options.panel, "ldc": columns, "bias": True, "activation": "relu",
            "residual": False}
    if layout == "nhwc":
        spec["ldx"] = channels
    k = kernel * kernel * channels
    built = build("conv", spec, options.schedule)
    arguments = [random(size * size * channels), random(columns * k), random(columns), *built.scratch(),
                 guarded(out * out * columns)]
    further = [random(len(arguments[1])) for _ in range(COLD_FLOATS // len(arguments[1]) if options.cold and channels > 16 else 0)]
    measure(f"conv {size}x{size}x{channels} to {n}, {kernel}x{kernel}/{stride} {layout}", built, arguments,
            2.0 * out * out * n * k, options.threads, further)


def convs(options):
    if options.shape:
        conv(options, *options.shape)
        return
    for size, channels in [(56, 64), (28, 128), (14, 256), (7, 512)]:  # ResNet-50 at 224
        conv(options, size, channels, channels, 3, 1)
    for size, channels in [(56, 128), (28, 256), (14, 512)]:
        conv(options, size, channels, channels, 3, 2)
    conv(options, 56, 256, 512, 1, 2)
    for kernel in (7, 4, 3):
        conv(options, 224, 3, 64, kernel, 2, "nchw")


def depthwise(options):
    for size, channels, kernel, stride in [(112, 32, 3, 1), (112, 96, 3, 2), (56, 144, 3, 1), (28, 192, 3, 1), (14, 576, 3, 1),
                                           (7, 960, 3, 1), (56, 96, 7, 1), (14, 384, 7, 1)]:
        out, pad = (size + stride - 1) // stride, kernel // 2
        spec = {"batch": 1, "channels": channels, "height": size, "width": size, "kernel_h": kernel, "kernel_w": kernel,
                "stride_h": stride, "stride_w": stride, "pad_top": pad, "pad_left": pad, "out_h": out, "out_w": out,
                "ldx": channels, "ldc": channels, "ldw": channels, "bias": True, "activation": "relu"}
        span = (out - 1) * stride + kernel
        built = build("depthwise", spec, options.schedule)
        arguments = [random(size * size * channels), random(kernel * kernel * channels), random(channels),
                     guarded(span * span * channels), guarded(out * out * channels)]
        measure(f"depthwise {size}x{size}x{channels}, {kernel}x{kernel}/{stride}", built, arguments,
                2.0 * out * out * channels * kernel * kernel, options.threads)


FAMILIES = {"gemm": gemms, "conv": convs, "depthwise": depthwise, "strassen_gemm": strassen_gemms, "attention": attention,
            "single_query_attention": single_query_attention,
            "norm": norm, "group_norm": group_norm, "patch_embed": patch_embed}
parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("family", nargs="*", default=list(FAMILIES))
parser.add_argument("--threads", action="store_true", help="two threads")
parser.add_argument("--cold", action="store_true", help="gemm and conv with weights that are not in a cache")
parser.add_argument("--bias", action="store_true", help="attention of windows with bias and masks")
parser.add_argument("--schedule", type=json.loads, default={}, help="schedule parameters")
parser.add_argument("--panel", type=int, default=LEVELS[TARGET]["panel"])
parser.add_argument("--shape", type=lambda text: [int(x) for x in text.split(",")],
                    help="one gemm M,N,K, or conv SIZE,CHANNELS,N,KERNEL,STRIDE")
options = parser.parse_args()
for family in options.family:
    FAMILIES[family](options)
