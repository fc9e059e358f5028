"""Times kernels on this machine, as a share of the FMA peak that is measured between their runs. Run by hand:

  VITC_HALIDE=build/bin/vitc-halide python test/performance/kernels.py
      [gemm|fast_gemm|attention|single_query_attention|norm|patch_embed]... [--threads] [--cold]
      [--schedule '{"tile_m": 4}'] [--panel 32] [--shape M,N,K]

Best of many runs, since a machine's noise only ever adds; on one thread in CPU time, so that other programs disturb less.
Weights are warm, since the same kernel runs again and again, unless --cold gives a gemm those of many layers in turn.
"""
import argparse
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "schedules"))
from harness import *

PEAK = r"""
#include <chrono>
#include <immintrin.h>
// Twelve independent chains of 8-lane FMAs: the latency of 4 to 5 cycles is hidden on two ports. FLOPs per second.
extern "C" double peak() {
  constexpr int chains = 12, steps = 200000;
  __m256 sums[chains]; // in registers, once both loops are unrolled
#pragma GCC unroll 12
  for (int i = 0; i < chains; ++i)
    sums[i] = _mm256_set1_ps(float(i));
  __m256 x = _mm256_set1_ps(1.0001f), y = _mm256_set1_ps(0.5f);
  auto start = std::chrono::steady_clock::now();
  for (int step = 0; step < steps; ++step) {
#pragma GCC unroll 12
    for (int i = 0; i < chains; ++i)
      asm volatile("vfmadd231ps %1, %2, %0" : "+x"(sums[i]) : "x"(x), "x"(y));
  }
  std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  return 16.0 * chains * steps / elapsed.count();
}
"""


def peak_function():
    source = pathlib.Path(folder.name) / "peak.cpp"
    source.write_text(PEAK)
    library = source.with_suffix(".so")
    subprocess.run([CXX, "-O2", "-mavx2", "-mfma", "-fPIC", "-shared", str(source), "-o", str(library)], check=True)
    function = ctypes.CDLL(str(library)).peak
    function.restype = ctypes.c_double
    return function


peak = peak_function()


# More than any third-level cache here.
COLD_FLOATS = 64 * 1024 * 1024


def measure(what, kernel, arguments, flops, threads, further=()):
    """`further` are weights (argument 1) of other layers: each call takes the next one's, which are cold then."""
    best, fastest, mode = float("inf"), 0.0, THREADS if threads else SERIAL
    clock = time.perf_counter if threads else time.thread_time
    for _ in range(8):
        fastest = max(fastest, peak())
        end = time.perf_counter() + 0.12
        while time.perf_counter() < end:
            if further:
                further.append(arguments[1])
                arguments[1] = further.pop(0)
            start = clock()
            kernel(arguments, mode)
            best = min(best, clock() - start)
    share = flops / best / (fastest * (2 if threads else 1))
    print(f"{what:42} {best * 1e3:8.3f} ms {flops / best / 1e9:7.1f} GFLOP/s {100 * share:5.1f}% of {fastest / 1e9:.1f}"
          f"  {json.dumps(kernel.report['schedule'])}", flush=True)


def random(floats, alignment=64):
    array = guarded(floats, alignment)
    array[:] = np.random.default_rng(0).standard_normal(floats, np.float32)
    return array


def gemm(m, n, k, options, activation="none", fast=False):
    spec = {"m": m, "n": n, "k": k, "lda": k + (16 if k % 1024 == 0 else 0), "ldc": round_up(n, options.panel),
            "panel": options.panel, "bias": True, "activation": activation, "residual": False, "fast": fast}
    spec["ldc"] += 16 if spec["ldc"] % 1024 == 0 else 0
    kernel = build("gemm", spec, options.schedule)
    columns = round_up(n, options.panel)
    arguments = [random(m * spec["lda"]), random(columns * k * (7 if fast else 4) // 4), random(columns),
                 random(m * spec["ldc"])]
    if fast:
        arguments.insert(3, guarded(7 * ((m + 1) // 2) * (k // 2)))
    further = [random(len(arguments[1])) for _ in range(COLD_FLOATS // len(arguments[1]) if options.cold else 0)]
    measure(f"{'fast ' * fast}gemm {m}x{n}x{k} {activation} panel {options.panel}", kernel, arguments, 2.0 * m * n * k,
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


def fast_gemms(options):
    for n, k in [(768, 768), (2304, 768), (3072, 768), (768, 3072), (384, 384), (1152, 384), (1536, 384), (384, 1536)]:
        for fast in (False, True):
            gemm(197, n, k, options, "gelu" if n == 4 * k else "none", fast)


def attention(options):
    for heads, tokens, d in [(12, 197, 64), (3, 197, 64), (12, 577, 64), (16, 257, 80)]:
        width = heads * d
        ld = 3 * width
        spec = {"batch": 1, "heads": heads, "tokens": tokens, "head_dim": d, "scale": 0.125, "ldq": ld, "ldk": ld,
                "ldv": ld, "ldo": width, "probabilities": False}
        kernel = build("attention", spec, options.schedule)
        qkv = random(tokens * ld)
        scratch = guarded(heads * d * round_up(tokens, 32))
        arguments = [qkv, qkv[width:], qkv[2 * width:], scratch, guarded(tokens * width)]
        measure(f"attention {heads} heads {tokens} tokens of {d}", kernel, arguments, 4.0 * heads * d * tokens**2,
                options.threads)


def single_query_attention(options):
    for batch, heads, tokens, d in [(1, 12, 197, 64), (8, 12, 197, 64), (1, 6, 197, 64), (1, 16, 257, 80)]:
        width = heads * d
        spec = {"batch": batch, "heads": heads, "tokens": tokens, "head_dim": d, "channels": width, "scale": 0.125,
                "ldx": width, "batch_stride": tokens * width, "ldq": width, "ldk": width, "ldo": width,
                "panel": options.panel}
        kernel = build("single_query_attention", spec, options.schedule)
        scratch = guarded(batch * heads * (2 * round_up(width, 32) + round_up(tokens, 32)))
        arguments = [random(batch * tokens * width), random(batch * width), random(width * width), random(width * width),
                     scratch, guarded(batch * width)]
        measure(f"single query of {batch}, {heads} heads {tokens} tokens of {d}", kernel, arguments,
                4.0 * batch * width * (width + heads * tokens), options.threads)


def norm(options):
    kernel = build("norm", {"rows": 197, "cols": 768, "ldx": 768, "ldy": 768, "eps": 1e-6, "affine": False},
                   options.schedule)
    measure("norm 197x768", kernel, [random(197 * 768), guarded(197 * 768)], 8.0 * 197 * 768, options.threads)


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


FAMILIES = {"gemm": gemms, "fast_gemm": fast_gemms, "attention": attention, "single_query_attention": single_query_attention,
            "norm": norm, "patch_embed": patch_embed}
parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("family", nargs="*", default=list(FAMILIES))
parser.add_argument("--threads", action="store_true", help="two threads")
parser.add_argument("--cold", action="store_true", help="gemm with weights that are not in a cache")
parser.add_argument("--schedule", type=json.loads, default={}, help="schedule parameters")
parser.add_argument("--panel", type=int, default=16)
parser.add_argument("--shape", type=lambda text: [int(x) for x in text.split(",")], help="one gemm M,N,K")
options = parser.parse_args()
for family in options.family:
    FAMILIES[family](options)
