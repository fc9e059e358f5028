// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/attention.h"

#include "common/shapes.h"

#include <algorithm>
#include <cmath>

namespace vitc::schedules {

//===----------------------------------------------------------------------===//
// attention
//===----------------------------------------------------------------------===//

/// Bytes of a task's scores and queries on the stack; tiles' weights come on
/// top.
constexpr int blockBytes = 80 * 1024;

/// Bytes of stack for both. The protocol allows a kernel 128 KiB in all.
constexpr int stackBytes = 124 * 1024;

/// Rows of a tile. A rest of rows leaves accumulators unused, and for each row
/// less than the most the loads of keys cost some 2%: 49 rows are 10 x 5.
static int defaultTileHeight(int queryCount, const Machine &machine) {
  constexpr double costOfLowTiles = 0.02;
  auto cost = [&](int height) {
    return roundUp(queryCount, height) *
           (1 + costOfLowTiles * (machine.tileRowsMax - height));
  };
  int best = std::min(machine.tileRowsMax, queryCount);
  for (int height = best - 1; height > 0; --height)
    if (cost(height) < cost(best))
      best = height;
  return best;
}

AttentionSchedule::AttentionSchedule(const families::AttentionShape &spec,
                                     const Machine &machine, Schedule &schedule,
                                     int weightTiles, int otherBytes,
                                     const Values &unroll) {
  const int floatBytes = sizeof(float);
  const int tokens = spec.tokens, queryCount = spec.queries;
  panel = machine.tileN;
  panels = (tokens + panel - 1) / panel;
  // A last panel that is half empty is computed as a vector fewer.
  keys = roundUp(tokens, machine.lanes);

  auto rowBytes = [&](int rows) {
    return int64_t(rows) * (keys + spec.headDim) * floatBytes;
  };
  auto weightBytes = [&](int rows) {
    return int64_t(weightTiles) * rows * keys * floatBytes;
  };
  auto overflows = [&](int rows) {
    return rowBytes(rows) + weightBytes(rows) + otherBytes > stackBytes;
  };
  tileRows = defaultTileHeight(queryCount, machine);
  while (tileRows > 1 &&
         (rowBytes(tileRows) > blockBytes || overflows(tileRows)))
    --tileRows;
  if (overflows(tileRows))
    fail(&families::AttentionShape::tokens,
         std::to_string(tokens) + " need more than " +
             std::to_string(stackBytes / 1024) +
             " KiB of stack for one row of scores");
  tileRows =
      schedule.get("tile_m", "rows of a tile", tileRows,
                   Values(1, 64).worthwhileUpTo(
                       machine.registers / (machine.tileN / machine.lanes)));

  // Blocks of equal size: 197 queries are three times 66.
  int64_t budget = std::min<int64_t>(blockBytes, stackBytes - otherBytes -
                                                     weightBytes(tileRows));
  int fitting =
      std::max<int>(1, budget / floatBytes / (keys + spec.headDim) / tileRows) *
      tileRows;
  int fewest = (queryCount + fitting - 1) / fitting;
  block = schedule.get(
      "block_q", "queries of a task",
      roundUp((queryCount + fewest - 1) / fewest, tileRows),
      Values(tileRows, 4096)
          .multipleOf(tileRows, "tile_m " + std::to_string(tileRows))
          .worthwhileUpTo(fitting));
  unrollK = schedule.get("unroll_k", "steps of the second product per branch",
                         1, unroll);
  int blocks = (queryCount + block - 1) / block;
  constexpr double enoughFlops = 2e5;
  double flops = 4.0 * std::min(block, queryCount) * tokens * spec.headDim;
  int count = spec.batch * spec.heads * blocks;
  together = schedule.get(
      "block_h", "blocks of queries, of small heads, that share a task",
      std::min(count, int(std::ceil(enoughFlops / flops))),
      Values(1, count).forThreads());
  parallel =
      schedule.parallel(worthParallel(flops * together, count / together));
}

//===----------------------------------------------------------------------===//
// single_query_attention
//===----------------------------------------------------------------------===//

SingleQueryShape::SingleQueryShape(
    const families::SingleQueryAttentionShape &spec, const Machine &machine)
    : families::SingleQueryAttentionShape(spec), storedAs(weights) {
  panels = (width() + panel - 1) / panel;
  readable =
      std::min(paddedColumns(channels, ldx), paddedColumns(channels, ldk));
  scores = roundUp(tokens, machine.lanes);
  // The rest of the registers is for the operands: 12 sums of 16 registers, 24
  // of 32.
  accumulators = machine.registers * 3 / 4;
}

/// Six heads share each vector of x: with two rows of x these are 12 FMAs for 8
/// loads.
int SingleQueryShape::readTileHeads(Schedule &schedule) const {
  constexpr int mostHeads = 6;
  // Bytes of stack for the scores of a task's heads and their exponentials:
  // what is sought, and what the protocol allows.
  constexpr int64_t scoreBytes = 64 * 1024, mostBytes = 128 * 1024;
  const int64_t bytesPerHead = int64_t(2) * scores * sizeof(float);
  if (bytesPerHead > mostBytes)
    fail(&families::SingleQueryAttentionShape::tokens,
         std::to_string(tokens) + " need more than " +
             std::to_string(mostBytes / 1024) +
             " KiB of stack for one head's scores");
  int fitting = int(std::min<int64_t>(mostHeads, scoreBytes / bytesPerHead));
  return schedule.get(
      "tile_h", "heads that share a load of x", divisorUpTo(heads, fitting),
      Values(1, std::min(heads, accumulators))
          .dividing(heads, "the " + std::to_string(heads) + " heads")
          .worthwhileUpTo(fitting));
}

bool SingleQueryShape::readParallel(Schedule &schedule, int tileHeads) const {
  return schedule.parallel(worthParallel(4.0 * tokens * channels * tileHeads,
                                         double(batch) * heads / tileHeads));
}

} // namespace vitc::schedules
