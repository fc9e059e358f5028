// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Every target: a name that users type, and the levels that its libraries
/// have.
#ifndef VITC_SCHEDULES_TARGETS_TARGETS_H
#define VITC_SCHEDULES_TARGETS_TARGETS_H

#include "targets/levels.h"

#include <iterator>

namespace vitc::targetinfo {

struct NamedTarget {
  static constexpr int mostLevels = 8;

  std::string_view name;
  std::string_view summary; ///< the processors that run it
  /// From the least demanding to the most, of one architecture; then null.
  const Level *levels[mostLevels];
  /// Whether `host` may mean it, on a CPU that has its first level. Of several
  /// the last one is taken.
  bool isForHost = false;
};

inline constexpr NamedTarget namedTargets[] = {
    {"x86-64",
     "any x86-64 with AVX2: AVX2, AVX-512, AVX-512 VNNI and Zen 4 code in one "
     "library, chosen when it is loaded",
     {&avx2, &avx512, &avx512Vnni, &zen4}},
    {"x86-64-avx2",
     "x86-64 with AVX2 and FMA (Haswell, Zen and later)",
     {&avx2},
     /*isForHost=*/true},
    {"x86-64-avx512",
     "x86-64 with AVX-512 F, BW, CD, DQ and VL (Skylake-X, Zen 4 and later)",
     {&avx512},
     /*isForHost=*/true},
    {"x86-64-avx512-vnni",
     "x86-64 with AVX-512 and VNNI (Cascade Lake, Zen 4 and later)",
     {&avx512Vnni},
     /*isForHost=*/true},
    {"x86-64-zen4",
     "AMD's x86-64 with AVX-512 (Zen 4 and later): Winograd products",
     {&zen4},
     /*isForHost=*/true},
    {"arm-64",
     "any 64-bit ARM: NEON and dot-product code in one library, chosen when it "
     "is loaded",
     {&neon, &dotprod},
     /*isForHost=*/true},
    {"arm-64-dotprod",
     "64-bit ARM with dot products (Cortex-A55 and -A76, Neoverse, Apple M1 "
     "and later)",
     {&dotprod},
     /*isForHost=*/true},
    {"cuda-sm80",
     "NVIDIA GPUs of compute capability 8.0 and later (A100, A30)",
     {&sm80}},
    {"cuda-sm86",
     "NVIDIA GPUs of compute capability 8.6 and later (A10, RTX 30, Jetson "
     "Orin is 8.7)",
     {&sm86}},
    {"cuda-sm90",
     "NVIDIA GPUs of compute capability 9.0 and later (H100)",
     {&sm90}},
    {"opencl", "the first OpenCL 1.2 device, GPU or not", {&openCl}},
};

namespace detail {
/// Levels of one architecture and one device, in order and without gaps, with
/// nothing after them.
constexpr bool hasLevels(const NamedTarget &target) {
  const Level *const *next = levels;
  bool ended = false;
  for (const Level *level : target.levels) {
    if (level &&
        (ended || level->architecture != target.levels[0]->architecture ||
         level->device != target.levels[0]->device))
      return false;
    ended |= !level;
    while (level && next != std::end(levels) && *next != level)
      ++next;
    if (level && next++ == std::end(levels))
      return false;
  }
  return target.levels[0];
}

constexpr bool allHaveLevels() {
  for (const NamedTarget &target : namedTargets)
    if (!hasLevels(target))
      return false;
  return true;
}

constexpr bool isInATarget(const Level &level) {
  for (const NamedTarget &target : namedTargets)
    for (const Level *other : target.levels)
      if (other == &level)
        return true;
  return false;
}
} // namespace detail

static_assert(detail::allHaveLevels(),
              "a target's levels are of one architecture, from the least "
              "demanding to the most");
static_assert(detail::all(detail::isInATarget), "no target has a level");

} // namespace vitc::targetinfo

#endif // VITC_SCHEDULES_TARGETS_TARGETS_H
