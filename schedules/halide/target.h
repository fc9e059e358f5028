// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The machines as Halide spells them.
#ifndef VITC_SCHEDULES_HALIDE_TARGET_H
#define VITC_SCHEDULES_HALIDE_TARGET_H

#include "Halide.h"

#include <string>

namespace vitc::halide {

/// The target of the machine called `name` (common/machine.h); for a kernel of
/// fewer bits than float32 if `narrow`.
Halide::Target halideTarget(const std::string &name, bool narrow = false);

} // namespace vitc::halide

#endif // VITC_SCHEDULES_HALIDE_TARGET_H
