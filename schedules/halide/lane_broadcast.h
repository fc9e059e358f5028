// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Scalars that every lane of a multiply-add shares, loaded as vectors.
#ifndef VITC_SCHEDULES_HALIDE_LANE_BROADCAST_H
#define VITC_SCHEDULES_HALIDE_LANE_BROADCAST_H

#include "Halide.h"

namespace vitc::halide {

/// A pass for machines whose multiply-add takes one lane of a register for all
/// its lanes (ARM: fmla v0.4s, v1.4s, v2.s[3]). In an innermost loop, runs of
/// `lanes` neighbouring floats that are loaded one by one and broadcast become
/// one load of a vector each. A product's left operand then takes a quarter of
/// the loads: for a 6x16 tile, 14 of 110 instructions instead of 32 of 128.
Halide::Internal::IRMutator *broadcastLanes(int lanes);

} // namespace vitc::halide

#endif // VITC_SCHEDULES_HALIDE_LANE_BROADCAST_H
