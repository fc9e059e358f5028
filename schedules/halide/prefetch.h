/// Prefetches of packed weights, spread over a matrix product's inner loop.
#ifndef VITC_SCHEDULES_HALIDE_PREFETCH_H
#define VITC_SCHEDULES_HALIDE_PREFETCH_H

#include "tile.h"

#include <string>

namespace vitc::halide {

/// The weights of a product's column tiles, as the prefetch sees them.
struct WeightStream {
  std::string buffer;     ///< name of the weights' buffer
  int depth;              ///< length of the sums
  int panel, tileColumns; ///< columns of a panel and of a tile
  int linesPerStep;       ///< prefetches in one iteration of the inner loop
  std::string tileLoop;   ///< the loop over column tiles: end of its name
  int nextTile;           ///< what its variable grows by to the next tile
};

/// A pass that puts `linesPerStep` prefetches of the next column tile's weights
/// at the top of the product's inner loop. They run through the tile's cache
/// lines over all visits of the loop, so that no visit waits for a burst of
/// them. After the last tile they fall on what follows the weights in memory,
/// which does no harm.
Halide::Internal::IRMutator *spreadPrefetch(const WeightStream &stream);

/// Prefetches per step of k that get the next tile's weights into the cache in
/// time: its cache lines over the steps of all `rowTiles` that pass by a tile's
/// weights. With cold weights, AVX2 on Zen 3 gains 3 to 4% at 197 rows (1
/// prefetch), 10% at 50 rows (1) and nothing at 1576, where the weights are
/// visited long enough; AVX-512 on a Xeon 12% at 197 rows (1). More than 4
/// would be the burst that it is meant to avoid.
int defaultPrefetch(const Tile &tile, int rowTiles);

/// What a schedule may ask for.
constexpr int mostPrefetches = 16;

} // namespace vitc::halide

#endif // VITC_SCHEDULES_HALIDE_PREFETCH_H
