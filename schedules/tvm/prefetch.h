// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Prefetches of packed weights, spread over a matrix product's inner loop.
#ifndef VITC_SCHEDULES_TVM_PREFETCH_H
#define VITC_SCHEDULES_TVM_PREFETCH_H

#include "kernel.h"

namespace vitc::tvm_backend {

/// Marks of the loops that the prefetches need to know.
constexpr const char *rowTileLoop = "vitc.row_tile";
constexpr const char *columnTileLoop = "vitc.column_tile";
constexpr const char *innerLoop = "vitc.inner";

/// `body`, a task's loops, with prefetches of the next column tile's weights at
/// the top of the marked inner loop. They run through the tile's cache lines
/// over all visits of the loop, so that no visit waits for a burst of them.
/// After the last tile they fall on what follows the weights in memory, which
/// does no harm.
Node spreadPrefetch(const Node &body, const WeightStream &stream,
                    const Node &weights, const Node &task);

} // namespace vitc::tvm_backend

#endif // VITC_SCHEDULES_TVM_PREFETCH_H
