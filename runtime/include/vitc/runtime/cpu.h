// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What a library may need of the CPU, and whether this one has it.
#ifndef VITC_RUNTIME_CPU_H
#define VITC_RUNTIME_CPU_H

#include <cstdint>

namespace vitc::rt {

/// A set of features beyond the architecture's baseline: those of `cpu`, joined
/// by `|`.
using CpuFeatures = uint64_t;

namespace cpu {

enum Number : int {
#define VITC_X86_FEATURE(Id, ...) numberOf##Id,
#define VITC_X86_VENDOR(Id, ...) numberOf##Id,
#define VITC_ARM_FEATURE(Id, ...) numberOf##Id,
#include "vitc/runtime/cpu_features.def"
  count
};
static_assert(count <= 64, "CpuFeatures has too few bits");

/// Nothing but what every CPU of the architecture has.
constexpr CpuFeatures Baseline = 0;
#define VITC_FEATURE(Id)                                                       \
  constexpr CpuFeatures Id = CpuFeatures(1) << numberOf##Id;
#define VITC_X86_FEATURE(Id, ...) VITC_FEATURE(Id)
#define VITC_X86_VENDOR(Id, ...) VITC_FEATURE(Id)
#define VITC_ARM_FEATURE(Id, ...) VITC_FEATURE(Id)
#include "vitc/runtime/cpu_features.def"
#undef VITC_FEATURE

} // namespace cpu

/// Whether this CPU has all of `features` and the operating system keeps their
/// registers.
bool cpuSupports(CpuFeatures features);

} // namespace vitc::rt

#endif // VITC_RUNTIME_CPU_H
