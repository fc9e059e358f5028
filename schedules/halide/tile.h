// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The loops of every matrix product here: a tile held in registers, and around
/// it the walk over panels and rows.
#ifndef VITC_SCHEDULES_HALIDE_TILE_H
#define VITC_SCHEDULES_HALIDE_TILE_H

#include "common/tile.h"
#include "kernel.h"

namespace vitc::halide {

/// sum + a * b, for the update of a product. In vectors the compiler makes an
/// FMA of it and keeps the order of the sums. Scalars it would regroup into
/// vectors of its own, differently for the last rows than for the others, so
/// there the order is made binding.
Halide::Expr multiplyAdd(Halide::Expr sum, Halide::Expr a, Halide::Expr b,
                         int lanes);

/// Schedules `product`, defined over n and `rows` with one update that adds
/// over `k`, as one tile in registers, computed at `level`. `rows` are
/// unrolled, innermost first; `outerK` are the reduction's further variables.
void scheduleTile(Halide::Func product, Halide::Var n,
                  const std::vector<Halide::Var> &rows, Halide::RVar k,
                  const std::vector<Halide::RVar> &outerK, const Tile &tile,
                  const Machine &machine, Halide::LoopLevel level);

/// The loops over tiles.
struct TileLoops {
  Halide::LoopLevel rowTile; ///< where the product's tile is computed
  std::string columnTile;    ///< the variable of the loop over column tiles
  int nextColumnTile;        ///< what it grows by from one tile to the next
  int rowTiles;              ///< tiles that pass by a column tile's weights
};

/// Schedules `out`, defined over (n, m, np) or (n, m, np, b), and its updates,
/// if any, as tiles; reads block_m, block_n and parallel.
TileLoops schedulePanels(Halide::Func out, const PanelLoops &loops,
                         const Tile &tile, Schedule &schedule);

} // namespace vitc::halide

#endif // VITC_SCHEDULES_HALIDE_TILE_H
