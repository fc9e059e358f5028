// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Every level: all that vitc knows of an instruction set. A new one is one
/// entry here and its place in `levels`; docs/Extending.md has the walk.
#ifndef VITC_SCHEDULES_TARGETS_LEVELS_H
#define VITC_SCHEDULES_TARGETS_LEVELS_H

#include "targets/level.h"

namespace vitc::targetinfo {

inline constexpr Architecture x86 = {Isa::X86,           "x86_64",
                                     "x86_64-linux-gnu", "g++-x86-64-linux-gnu",
                                     "qemu-x86_64",      "qemu-user"};
inline constexpr Architecture arm = {
    Isa::Arm,       "aarch64",  "aarch64-linux-gnu", "g++-aarch64-linux-gnu",
    "qemu-aarch64", "qemu-user"};

// Tiles were measured on 197 rows. `strassenDepth` is for Strassen products,
// whose seven left operands are read once per column tile.

//===----------------------------------------------------------------------===//
// x86-64
//===----------------------------------------------------------------------===//

/// 16 registers: 6x16 uses 12 accumulators, 2 vectors of weights and 1
/// broadcast, and does 12 multiply-adds for 8 loads. Eight steps of k share a
/// branch and use every float of the left operand's half cache lines.
///
/// A Strassen product of 197 rows and k = 3072 is best in one pass of 1536
/// steps (4.3 MB) on Zen 3, which reads them from its third-level cache in
/// time: 8.95 ms, 9.07 in two passes, 9.15 in three, 9.25 in four.
inline constexpr Level avx2 = [] {
  Level level;
  level.name = "avx2";
  level.kernelTarget = "x86-64-avx2";
  level.architecture = &x86;
  level.features = feature::Avx | feature::Avx2 | feature::Fma | feature::F16c;
  level.vectorBytes = 32;
  level.registers = 16;
  level.tile = {6, 16};
  level.blocking.strassenDepth = 1536;
  level.blocking.unrollK = 8;
  level.halide = "x86-64-linux-sse41-avx-avx2-fma-f16c";
  level.llvmCpu = "haswell";
  level.peakLoop = PeakLoop::Avx2;
  return level;
}();

/// 32 registers: 11x32 uses 22 accumulators and 2 vectors of weights; the
/// broadcast is part of the multiply-add's memory operand. Wider tiles (9x48)
/// spill in Halide, 11 divides 198.
///
/// A Xeon takes twice the bandwidth of AVX2 and has 2 MB of second-level cache:
/// Strassen products in four passes, one is 60% slower. 1 MB of it holds the
/// left operand of other products, beside a column tile's weights and the next
/// one's.
inline constexpr Level avx512 = [] {
  Level level = avx2;
  level.name = "avx512";
  level.kernelTarget = "x86-64-avx512";
  level.features = avx2.features | feature::Avx512f | feature::Avx512bw |
                   feature::Avx512cd | feature::Avx512dq | feature::Avx512vl;
  level.vectorBytes = 64;
  level.registers = 32;
  level.tile = {11, 32};
  level.blocking.strassenDepth = 384;
  level.blocking.leftFloats = 256 * 1024;
  level.blocking.depth = 1024;
  level.halide = "x86-64-linux-sse41-avx-avx2-fma-f16c-avx512-avx512_skylake";
  // LLVM says that these processors prefer 256 bits; the loops ask for what
  // they want.
  level.llvmCpu = "skylake-avx512";
  level.llvmFeatures = "-prefer-256-bit";
  level.peakLoop = PeakLoop::Avx512;
  return level;
}();

/// Halide's name for the dot products of bytes and of bfloat16, which has both.
inline constexpr std::string_view zen4Features =
    "x86-64-linux-sse41-avx-avx2-fma-f16c-avx512-avx512_skylake-avx512_"
    "cannonlake-avx512_zen4";

/// Dot products of 8-bit integers. Halide has no name for Cascade Lake: its
/// kernels are compiled as Zen 4's, and schedules-objects proves that they
/// have no other of its instructions.
inline constexpr Level avx512Vnni = [] {
  Level level = avx512;
  level.name = "avx512_vnni";
  level.kernelTarget = "x86-64-avx512-vnni";
  level.features = avx512.features | feature::Avx512Vnni;
  level.halideNarrow = zen4Features;
  level.llvmCpu = "cascadelake";
  return level;
}();

/// AMD's processors with AVX-512. Their Winograd products have tiles of 10
/// rows, which leave registers for the weights of three steps; plain ones do
/// not care. Of Halide's own features for Zen 4, none serves float32; all of
/// these processors have the dot products.
inline constexpr Level zen4 = [] {
  Level level = avx512;
  level.name = "zen4";
  level.kernelTarget = "x86-64-zen4";
  level.features = avx512.features | feature::SeparateAdders |
                   feature::Avx512Vnni | feature::Avx512Bf16;
  level.halideNarrow = zen4Features;
  level.tile.rows = 10;
  return level;
}();

//===----------------------------------------------------------------------===//
// 64-bit ARM
//===----------------------------------------------------------------------===//

/// What every 64-bit ARM has: 32 registers of 4 floats. 6x16 uses them all: 24
/// accumulators, 6 of the left operand and 2 of weights, which a single
/// instruction loads. Four steps of k are 96 multiply-adds for 14 loads; 7x12
/// has 84 for 13, 8x8 64 for 12, 5x16 80 for 13. 8x12 would need a left operand
/// that is packed. 16 steps share a branch and a prefetch, so that 85% of all
/// instructions multiply. Chosen by counting instructions, not by measuring.
/// Servers have 1 to 2 MB of second-level cache.
inline constexpr Level neon = [] {
  Level level;
  level.name = "neon";
  level.kernelTarget = "arm-64";
  level.architecture = &arm;
  level.vectorBytes = 16;
  level.registers = 32;
  level.tile = {6, 16};
  level.blocking.strassenDepth = 384;
  level.blocking.unrollK = 16;
  level.multipliesByLane = true;
  level.signedRows = true;
  level.halide = "arm-64-linux";
  // Every 64-bit ARM converts halves to floats; Halide has one name for this
  // and for arithmetic on halves, which no kernel has.
  level.halideNarrow = "arm-64-linux-arm_fp16";
  level.llvmCpu = "generic";
  level.llvmFeatures = "+neon";
  level.peakLoop = PeakLoop::None;
  return level;
}();

/// Dot products of 8-bit integers (Armv8.2's SDOT and UDOT).
inline constexpr Level dotprod = [] {
  Level level = neon;
  level.name = "dotprod";
  level.kernelTarget = "arm-64-dotprod";
  level.features = feature::ArmDotprod;
  level.halide = "arm-64-linux-arm_dot_prod";
  level.halideNarrow = "arm-64-linux-arm_dot_prod-arm_fp16";
  level.llvmFeatures = "+neon,+dotprod";
  return level;
}();

//===----------------------------------------------------------------------===//
// GPUs
//===----------------------------------------------------------------------===//

/// Nothing is asked of the host. Rows are reduced by a warp of NVIDIA's, which
/// is a divisor or a multiple of what other GPUs have; registers and tiles are
/// a matter of halide/gpu/product.cpp, but for the columns of a block of
/// threads.
inline constexpr Level openCl = [] {
  Level level;
  level.name = "opencl";
  level.kernelTarget = "opencl";
  level.architecture = &x86;
  level.vectorBytes = 32 * bytesOf(ElementType::F32);
  level.tile.columns = 64;
  level.halide = "x86-64-linux-opencl";
  level.peakLoop = PeakLoop::None;
  level.device = Device::OpenCl;
  return level;
}();

/// PTX for a compute capability also runs on every later one; Halide knows
/// those up to 8.6.
inline constexpr Level sm80 = [] {
  Level level = openCl;
  level.name = "sm80";
  level.kernelTarget = "cuda-sm80";
  level.halide = "x86-64-linux-cuda-cuda_capability_80";
  level.device = Device::Cuda;
  level.deviceLevel = 80;
  return level;
}();

inline constexpr Level sm86 = [] {
  Level level = sm80;
  level.name = "sm86";
  level.kernelTarget = "cuda-sm86";
  level.halide = "x86-64-linux-cuda-cuda_capability_86";
  level.deviceLevel = 86;
  return level;
}();

inline constexpr Level sm90 = [] {
  Level level = sm86;
  level.name = "sm90";
  level.kernelTarget = "cuda-sm90";
  level.deviceLevel = 90;
  return level;
}();

//===----------------------------------------------------------------------===//
// All of them
//===----------------------------------------------------------------------===//

/// Those of an architecture from the least demanding to the most.
inline constexpr const Level *levels[] = {
    &avx2,    &avx512, &avx512Vnni, &zen4, &neon,
    &dotprod, &sm80,   &sm86,       &sm90, &openCl,
};

/// The level that kernel specifications call `kernelTarget`; null for others.
constexpr const Level *findLevel(std::string_view kernelTarget) {
  for (const Level *level : levels)
    if (level->kernelTarget == kernelTarget)
      return level;
  return nullptr;
}

/// The level whose kernels of `type` are also those of `level`: the first of
/// all that shares them.
constexpr const Level &kernelsFor(const Level &level, ElementType type) {
  for (const Level *other : levels)
    if (shareKernels(*other, level, type))
      return *other;
  return level;
}

namespace detail {
constexpr bool all(bool (*holds)(const Level &)) {
  for (const Level *level : levels)
    if (!holds(*level))
      return false;
  return true;
}

constexpr bool areDistinct() {
  for (const Level *left : levels)
    for (const Level *right : levels)
      if (left != right && (left->name == right->name ||
                            left->kernelTarget == right->kernelTarget))
        return false;
  return true;
}

constexpr bool sharedAreAlike(ElementType type) {
  for (const Level *level : levels)
    if (!areScheduledAlike(*level, kernelsFor(*level, type)))
      return false;
  return true;
}
} // namespace detail

static_assert(detail::all(isNamed),
              "a level lacks its name, kernel target or architecture");
static_assert(detail::areDistinct(), "two levels have the same name");
static_assert(detail::all(hasFeaturesOfItsOwn),
              "a level has a feature of another architecture");
static_assert(detail::all(hasTile),
              "a level lacks its vectors, registers or tile, or the tile does "
              "not fit them");
static_assert(detail::all(hasBackends),
              "a level lacks Halide's or LLVM's spelling");
static_assert(detail::all(hasPeakLoop), "a level lacks its peak loop");
static_assert(detail::sharedAreAlike(ElementType::F32),
              "levels that share float32 kernels have different tiles");

} // namespace vitc::targetinfo

#endif // VITC_SCHEDULES_TARGETS_LEVELS_H
