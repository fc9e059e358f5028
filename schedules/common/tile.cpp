// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/tile.h"

#include <algorithm>
#include <cmath>

namespace vitc::schedules {

/// Accumulators that keep the FMA units busy: a latency of 4 cycles on 2 ports.
constexpr int busyAccumulators = 8;

/// The height of tile that takes `rows` rows least time. A tile of r rows takes
/// r units, but a low one waits for the FMA's latency as if it had 4; and for
/// each row less than `most`, the loads of weights cost some 2%. So 50 rows are
/// 10 x 5, not 8 x 6 + 2.
static int defaultTileRows(int most, int rows) {
  constexpr int leastUnits = 4;
  constexpr double costOfLowTiles = 0.02;
  auto cost = [&](int height) {
    int rest = rows % height;
    double units = double(rows - rest) / height * std::max(height, leastUnits) +
                   (rest ? std::max(rest, leastUnits) : 0);
    return units * (1 + costOfLowTiles * (most - height));
  };
  int best = std::min(most, rows);
  for (int height = best - 1; height > 0; --height)
    if (cost(height) < cost(best))
      best = height;
  return best;
}

/// Chains that keep the FMA units busy beside one another.
static int wantedChains(int accumulators) {
  return (busyAccumulators + accumulators - 1) / accumulators;
}

/// The height of tile for rows that are summed as one row is, each in chains of
/// its own: what the registers hold beside the weights and a broadcast. By
/// lanes, a row's chains take whole vectors of the left operand each, and two
/// rows spill.
static int defaultChainedRows(const Machine &machine, int vectors, int rows) {
  int most = std::max(1, (machine.registers - vectors - 1) /
                             (vectors * wantedChains(vectors)));
  if (machine.multipliesByLane)
    most = 1;
  int tiles = (rows + most - 1) / most;
  return (rows + tiles - 1) / tiles;
}

/// Steps of k per branch: as many as leave one prefetch of the next tile's
/// weights to a branch, since two in a row cost more than a branch. AVX-512 on
/// a Xeon, cold weights: the Strassen product 197x3072x768, whose tiles are
/// visited by 99 rows, 96% of the peak with 8 steps and 2 prefetches, 104% with
/// 4 and 1; 99x768x768 95 and 98%; 50x3072x768 75% with 8 and 4, 82% with 2
/// and 1.
static int defaultUnroll(const Machine &machine, int rowTiles, int columns) {
  constexpr int least = 2;
  if (rowTiles == 1 || machine.multipliesByLane)
    return machine.unrollK; // no prefetch; or whole vectors of the left operand
  int linesPerStep = std::max(1, columns / lineFloats);
  return std::clamp(rowTiles / linesPerStep, least, machine.unrollK);
}

Tile readTile(Schedule &schedule, const Machine &machine, int rows, int panel,
              int k, Chains chaining) {
  // A tile never crosses a panel, so that its weights are one stream of
  // addresses.
  int columns =
      schedule.get("tile_n", "columns of the register tile",
                   divisorUpTo(panel, machine.tileN),
                   Values(1, panel)
                       .dividing(panel, "the panel of " + std::to_string(panel))
                       .worthwhileFrom(std::min(panel, machine.lanes)));
  int lanes = machine.lanesFor(columns), vectors = columns / lanes;

  int tileRows = schedule.get(
      "tile_m", "rows of the register tile",
      chaining == Chains::OneRow
          ? defaultChainedRows(machine, vectors, rows)
          : defaultTileRows(machine.tileRows(columns, lanes), rows),
      Values(1, std::min(rows, 64))
          .worthwhileUpTo(machine.registers / vectors));

  // One row has too few accumulators to hide the FMA's latency, so its sum over
  // k is split into several that are added at the end.
  int chains = 1;
  if (chaining != Chains::None) {
    int accumulators = tileRows * vectors;
    int together = chaining == Chains::OneRow ? vectors : accumulators;
    chains = schedule.get(
        "chains", "partial sums per accumulator, for very few rows",
        divisorUpTo(k, wantedChains(together)),
        Values(1, 64)
            .dividing(k, "k " + std::to_string(k))
            .worthwhileUpTo(machine.registers / accumulators));
  }

  int steps = k / chains;
  int rowTiles = (rows + tileRows - 1) / tileRows;
  int unroll = schedule.get(
      "unroll_k", "steps of k per branch",
      divisorUpTo(steps, std::max(1, defaultUnroll(machine, rowTiles, columns) /
                                         chains)),
      Values(1, 64)
          .dividing(steps, "the " + std::to_string(steps) + " steps of k")
          .worthwhileUpTo(32));
  return {tileRows, columns, lanes, chains, unroll};
}

/// Tasks that are enough to keep the threads of one socket evenly busy.
constexpr int enoughTasks = 16;

/// Rows of a task when the work is shared out. Panels come first, since a task
/// that takes a panel through all rows reads its weights once; rows are split
/// only where there are few panels, or where their left operand leaves the
/// cache.
static int defaultRowsPerTask(const PanelLoops &loops, int columnTiles,
                              double flopsPerRow, int tileRows) {
  int tasks = columnTiles * loops.batch;
  int blocks = (enoughTasks + tasks - 1) / tasks;
  if (loops.rowsInCache > 0)
    blocks = std::max(blocks,
                      (loops.rows + loops.rowsInCache - 1) / loops.rowsInCache);
  int perTask = roundUp((loops.rows + blocks - 1) / blocks, tileRows);
  while (perTask < loops.rows && !worthParallel(perTask * flopsPerRow, 2))
    perTask += tileRows;
  return std::min(perTask, roundUp(loops.rows, tileRows));
}

/// Column tiles that make a task worth its thread.
static int defaultTilesPerTask(double flopsPerTile, int columnTiles) {
  int together = 1;
  while (together < columnTiles && !worthParallel(together * flopsPerTile, 2))
    ++together;
  return together;
}

PanelTasks readPanelTasks(Schedule &schedule, const PanelLoops &loops,
                          const Tile &tile) {
  int columnTiles = loops.panels * (loops.panel / tile.columns);
  double flopsPerRow = 2.0 * loops.depth * tile.columns;
  int block = schedule.get(
      "block_m", "rows of a task",
      defaultRowsPerTask(loops, columnTiles, flopsPerRow, tile.rows),
      Values(1, roundUp(loops.rows, tile.rows))
          .multipleOf(tile.rows, "tile_m " + std::to_string(tile.rows))
          .forThreads());
  int blocks = (loops.rows + block - 1) / block;
  // Few rows make small tasks: several column tiles go together then.
  double flopsPerTile = block * flopsPerRow;
  int together = schedule.get("block_n", "column tiles of a task",
                              defaultTilesPerTask(flopsPerTile, columnTiles),
                              Values(1, columnTiles).forThreads());
  double tasks =
      std::ceil(double(columnTiles) / together) * blocks * loops.batch;
  bool parallel =
      schedule.parallel(worthParallel(flopsPerTile * together, tasks));
  bool rowsOuter = loops.rowsInCache > 0 && loops.rows > loops.rowsInCache;
  return {block, blocks, columnTiles, together, parallel, rowsOuter};
}

int readPrefetch(Schedule &schedule, int standard) {
  constexpr int most = 16, notABurst = 4;
  return schedule.get(
      "prefetch",
      "cache lines of the next column tile's weights that are fetched per step "
      "of unroll_k; 0: none",
      standard, Values(0, most).worthwhileUpTo(notABurst));
}

int defaultPrefetch(const Tile &tile, int rowTiles) {
  constexpr int most = 4;
  int lines =
      std::max(1, tile.columns / lineFloats) * tile.unrollK * tile.chains;
  return rowTiles > 1 ? std::min(most, (lines + rowTiles - 1) / rowTiles) : 0;
}

} // namespace vitc::schedules
