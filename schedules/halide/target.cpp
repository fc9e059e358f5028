// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "target.h"

#include "common/spec.h"

namespace vitc::halide {

namespace {
struct Entry {
  const char *name, *halide; ///< vitc's name and Halide's
};
} // namespace

static const Entry entries[] = {
    {"x86-64-avx2", "x86-64-linux-sse41-avx-avx2-fma-f16c"},
    {"x86-64-avx512",
     "x86-64-linux-sse41-avx-avx2-fma-f16c-avx512-avx512_skylake"},
    // AVX-512 as above: of Halide's own features for Zen 4, none serves
    // float32.
    {"x86-64-zen4",
     "x86-64-linux-sse41-avx-avx2-fma-f16c-avx512-avx512_skylake"},
    {"arm-64", "arm-64-linux"},
    {"arm-64-dotprod", "arm-64-linux-arm_dot_prod"},
    // PTX for a compute capability also runs on every later one; Halide knows
    // those up to 8.6. Of the host nothing is asked.
    {"cuda-sm80", "x86-64-linux-cuda-cuda_capability_80"},
    {"cuda-sm86", "x86-64-linux-cuda-cuda_capability_86"},
    {"cuda-sm90", "x86-64-linux-cuda-cuda_capability_86"},
    {"opencl", "x86-64-linux-opencl"},
};

/// Kernels are pure: shapes are constants, so nothing is left to check or to
/// ask at run time, and no runtime of Halide's stands behind them. The user
/// context carries the caller's threads to halide_do_par_for.
constexpr const char *pureKernels =
    "-no_asserts-no_bounds_query-no_runtime-user_context";

Halide::Target halideTarget(const std::string &name) {
  for (const Entry &entry : entries)
    if (name == entry.name)
      return Halide::Target(std::string(entry.halide) + pureKernels);
  throw schedules::SpecError("target: '" + name + "' is not one of Halide's");
}

} // namespace vitc::halide
