/// The loops of every matrix product here: a tile held in registers, and around
/// it the walk over panels and rows.
#ifndef VITC_SCHEDULES_HALIDE_TILE_H
#define VITC_SCHEDULES_HALIDE_TILE_H

#include "kernel.h"

namespace vitc::halide {

/// A register tile: `rows` x `columns` accumulators in vectors of `lanes`, and
/// the steps of k that share a branch.
struct Tile {
  int rows, columns, lanes, unrollK;
};

/// The tile for a product of `rows` rows with panels of `panel` columns, summed
/// over an innermost `k`: the schedule's tile_m, tile_n and unroll_k.
Tile readTile(Schedule &schedule, const Machine &machine, int rows, int panel,
              int k);

/// Schedules `product`, defined over (n, m, …) with one update that adds over
/// `k`, as one tile in registers, computed at `level`. `outerK` are the
/// reduction's further variables, innermost first.
void scheduleTile(Halide::Func product, Halide::Var n, Halide::Var m,
                  Halide::RVar k, const std::vector<Halide::RVar> &outerK,
                  const Tile &tile, Halide::LoopLevel level);

/// The sizes that decide how a product with packed weights is shared out.
struct PanelLoops {
  int rows, panel, panels, batch;
  double depth; ///< length of the sums
};

/// Schedules `out`, defined over (n, m, np) or (n, m, np, b), as tiles; reads
/// block_m and parallel. Returns the level at which the product's tile is
/// computed.
Halide::LoopLevel schedulePanels(Halide::Func out, const PanelLoops &loops,
                                 const Tile &tile, Schedule &schedule);

} // namespace vitc::halide

#endif // VITC_SCHEDULES_HALIDE_TILE_H
