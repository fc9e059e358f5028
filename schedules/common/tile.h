// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The parameters of matrix products with packed weights, as both backends'
/// schedules have them: the tile held in registers, and how the work is shared
/// out.
#ifndef VITC_SCHEDULES_COMMON_TILE_H
#define VITC_SCHEDULES_COMMON_TILE_H

#include "common/machine.h"
#include "common/schedule.h"
#include "common/shapes.h"

namespace vitc::schedules {

/// A register tile: `rows` x `columns` accumulators in vectors of `lanes`, each
/// `chains` times over, and the steps of k that share a branch.
struct Tile {
  int rows, columns, lanes, chains, unrollK;
};

/// How a sum may be split into chains, partial sums that are added at the end.
enum class Chains {
  None,
  FewRows, ///< where a tile has too few rows to keep the FMA units busy
  OneRow,  ///< as for a product of one row, whatever the rows: the same bits
};

/// The tile for a product of `rows` rows with panels of `panel` columns, summed
/// over an innermost `k`: the schedule's tile_m, tile_n and unroll_k, and
/// chains where there may be some.
Tile readTile(Schedule &schedule, const Machine &machine, int rows, int panel,
              int k, Chains chains);

/// The sizes that decide how a product with packed weights is shared out.
struct PanelLoops {
  int rows, panel, panels, batch;
  double depth;        ///< length of the sums
  int rowsInCache = 0; ///< whose left operand stays in the cache; 0: any
};

/// Who does what: a task has `rows` rows of `together` column tiles.
struct PanelTasks {
  int rows, rowBlocks;
  int columnTiles, together;
  bool parallel;
  bool rowsOuter; ///< a block of rows goes through all columns before the next
};

/// The schedule's block_m, block_n and parallel.
PanelTasks readPanelTasks(Schedule &schedule, const PanelLoops &loops,
                          const Tile &tile);

/// Prefetches per step of k that get the next tile's weights into the cache in
/// time: its cache lines over the steps of all `rowTiles` that pass by a tile's
/// weights. With cold weights, AVX2 on Zen 3 gains 3 to 4% at 197 rows (1
/// prefetch), 10% at 50 rows (1) and nothing at 1576, where the weights are
/// visited long enough; AVX-512 on a Xeon 12% at 197 rows (1). More than 4
/// would be the burst that it is meant to avoid.
int defaultPrefetch(const Tile &tile, int rowTiles);

/// The schedule's prefetch.
int readPrefetch(Schedule &schedule, int standard);

/// Floats of a cache line.
constexpr int lineFloats = 16;

} // namespace vitc::schedules

#endif // VITC_SCHEDULES_COMMON_TILE_H
