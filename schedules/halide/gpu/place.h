// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Buffers that are a part of a larger one, where the driver cannot point into
/// the middle of it.
#ifndef VITC_SCHEDULES_HALIDE_GPU_PLACE_H
#define VITC_SCHEDULES_HALIDE_GPU_PLACE_H

#include "../kernel.h"

namespace vitc::halide {

/// A lowering pass that adds its place, in floats, to every access of each of
/// the kernel's buffers. The place comes with the buffer, as the `min` of its
/// first dimension; what the schedules say of bounds are constants, so that
/// nothing else looks at that field.
Halide::Internal::IRMutator *placeBuffers(const Kernel &kernel);

} // namespace vitc::halide

#endif // VITC_SCHEDULES_HALIDE_GPU_PLACE_H
