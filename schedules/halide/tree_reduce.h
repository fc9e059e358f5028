// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Sums and maxima over the lanes of a vector.
#ifndef VITC_SCHEDULES_HALIDE_TREE_REDUCE_H
#define VITC_SCHEDULES_HALIDE_TREE_REDUCE_H

#include "Halide.h"

namespace vitc::halide {

/// A pass that writes the reduction of a float vector to one value as a tree:
/// its upper half is added to the lower one, and so on. The compiler, bound to
/// the order of a sum, would go lane by lane.
Halide::Internal::IRMutator *reduceByTree();

} // namespace vitc::halide

#endif // VITC_SCHEDULES_HALIDE_TREE_REDUCE_H
