// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The description of a level, an instruction set that kernels are compiled
/// for. Standard headers only: the compiler, the backends and the tools include
/// it. The levels themselves are in levels.h.
#ifndef VITC_SCHEDULES_TARGETS_LEVEL_H
#define VITC_SCHEDULES_TARGETS_LEVEL_H

#include "targets/features.h"

namespace vitc::targetinfo {

/// The kind of machine that runs a library, and what builds for it and runs it
/// on another kind.
struct Architecture {
  Isa isa;
  std::string_view name;     ///< "aarch64", as compilers spell it
  std::string_view triple;   ///< what the distribution's cross tools start in
  std::string_view package;  ///< that has its cross compiler
  std::string_view emulator; ///< "qemu-aarch64"
  std::string_view emulatorPackage; ///< that has the emulator
};

/// What runs the kernels: the CPU, or a device beside it.
enum class Device { None, Cuda, OpenCl };

/// The loop of multiply-adds that measures the peak: tools/common/Peak.cpp.
enum class PeakLoop {
  Unset,
  None, ///< there is none, so that no share of a peak is told
  Avx2,
  Avx512
};

/// The accumulators of a product that stay in registers.
struct Tile {
  int rows = 0;
  int columns = 0;
};

/// How products walk through memory, measured or counted for the caches of the
/// level's processors: schedules/common/machine.h explains the fields.
struct Blocking {
  int strassenDepth = 0;
  int leftFloats = 0;
  int depth = 0;
  int unrollK = 0;
};

struct Level {
  std::string_view name; ///< "avx2": VITC_LEVEL
  /// What kernel specifications call it: docs/KernelProtocol.md.
  std::string_view kernelTarget;
  const Architecture *architecture = nullptr; ///< of the CPU; a device's host
  Features features; ///< what it needs of the CPU beyond the baseline

  int vectorBytes = 0; ///< of a vector register; on a GPU, of the floats that
                       ///< the threads of a group reduce together
  int registers = 0;   ///< vector registers
  /// Of float32 products. Weights are packed in panels of its columns. On a
  /// GPU, those of a block of threads.
  Tile tile;
  Blocking blocking;
  bool multipliesByLane = false; ///< schedules/common/machine.h
  /// Of 8-bit rows, a byte is signed: what the level's dot products take.
  bool signedRows = false;

  std::string_view halide; ///< Halide's target, without features of vitc's own
  /// The same for kernels of fewer bits than float32; empty if it is no other.
  std::string_view halideNarrow;
  /// LLVM's processor and features (joined by commas), for TVM; empty if TVM
  /// has no kernels for the level.
  std::string_view llvmCpu, llvmFeatures;

  PeakLoop peakLoop = PeakLoop::Unset;

  Device device = Device::None;
  int deviceLevel = 0; ///< CUDA's compute capability, 80 for 8.0; else 0

  constexpr bool isGpu() const { return device != Device::None; }
  /// Elements in a vector register.
  constexpr int lanes(ElementType type) const {
    return vectorBytes / bytesOf(type);
  }
  /// Vectors are added beside those that are multiplied, at no cost.
  constexpr bool hasSeparateAdders() const {
    return features.contains(feature::SeparateAdders);
  }
  /// There is an instruction for dot products of four bytes.
  constexpr bool hasByteDots() const {
    return features.contains(feature::Avx512Vnni) ||
           features.contains(feature::AvxVnni) ||
           features.contains(feature::ArmDotprod);
  }
  /// The largest value of a byte of 8-bit rows. Without dot products of bytes,
  /// x86 adds two products of bytes in 16 bits, which hold those of 7 and 8
  /// bits and no more.
  constexpr int mostByte() const {
    return hasByteDots() || signedRows ? 255 : 127;
  }
  /// There is an instruction for dot products of two bfloat16.
  constexpr bool hasBf16Dots() const {
    return features.contains(feature::Avx512Bf16);
  }
};

/// Whether kernels of `type` are the same on both levels: no feature that one
/// of them lacks changes such kernels. They are then in a library once.
constexpr bool shareKernels(const Level &left, const Level &right,
                            ElementType type) {
  return left.architecture == right.architecture &&
         left.device == right.device && left.deviceLevel == right.deviceLevel &&
         servingFeatures(left.features, type) ==
             servingFeatures(right.features, type);
}

//===----------------------------------------------------------------------===//
// What a level must not lack
//===----------------------------------------------------------------------===//

constexpr bool isNamed(const Level &level) {
  return !level.name.empty() && !level.kernelTarget.empty() &&
         level.architecture;
}

/// Its features are its architecture's.
constexpr bool hasFeaturesOfItsOwn(const Level &level) {
  for (const FeatureInfo &info : allFeatures)
    if (level.features.contains(info.set) &&
        info.isa != level.architecture->isa)
      return false;
  return true;
}

/// The tile's columns are whole vectors, and its accumulators fit the
/// registers.
constexpr bool hasTile(const Level &level) {
  int lanes = level.lanes(ElementType::F32);
  if (lanes < 1 || level.tile.columns < 1 || level.tile.columns % lanes != 0)
    return false;
  return level.isGpu() ||
         (level.tile.rows >= 1 && level.blocking.unrollK >= 1 &&
          level.tile.rows * (level.tile.columns / lanes) < level.registers);
}

constexpr bool hasBackends(const Level &level) {
  return !level.halide.empty() && (level.isGpu() || !level.llvmCpu.empty());
}

constexpr bool hasPeakLoop(const Level &level) {
  return level.peakLoop != PeakLoop::Unset;
}

/// Kernels that are shared are scheduled alike.
constexpr bool areScheduledAlike(const Level &left, const Level &right) {
  return left.vectorBytes == right.vectorBytes &&
         left.registers == right.registers &&
         left.tile.rows == right.tile.rows &&
         left.tile.columns == right.tile.columns &&
         left.blocking.strassenDepth == right.blocking.strassenDepth &&
         left.blocking.leftFloats == right.blocking.leftFloats &&
         left.blocking.depth == right.blocking.depth &&
         left.blocking.unrollK == right.blocking.unrollK &&
         left.multipliesByLane == right.multipliesByLane;
}

} // namespace vitc::targetinfo

#endif // VITC_SCHEDULES_TARGETS_LEVEL_H
