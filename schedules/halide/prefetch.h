// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Prefetches of packed weights, spread over a matrix product's inner loop.
#ifndef VITC_SCHEDULES_HALIDE_PREFETCH_H
#define VITC_SCHEDULES_HALIDE_PREFETCH_H

#include "tile.h"

#include <string>

namespace vitc::halide {

/// The weights of a product's column tiles, as the prefetch sees them.
struct WeightStream {
  std::string buffer;     ///< name of the weights' buffer
  int depth;              ///< steps of the sums
  int panel, tileColumns; ///< elements of a step in a panel and in a tile
  int linesPerStep;       ///< prefetches in one iteration of the inner loop
  std::string tileLoop;   ///< the loop over column tiles: end of its name
  int nextTile;           ///< what its variable grows by to the next tile
  Halide::Type type = Halide::Float(32); ///< of the elements
};

/// A pass that puts `linesPerStep` prefetches of the next column tile's weights
/// at the top of the product's inner loop. They run through the tile's cache
/// lines over all visits of the loop, so that no visit waits for a burst of
/// them. After the last tile they fall on what follows the weights in memory,
/// which does no harm.
Halide::Internal::IRMutator *spreadPrefetch(const WeightStream &stream);

} // namespace vitc::halide

#endif // VITC_SCHEDULES_HALIDE_PREFETCH_H
