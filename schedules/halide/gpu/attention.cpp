// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// attention on a GPU: one kernel lays the keys out in panels, then a block of
/// threads takes some queries of a head from the scores to the result, all in
/// shared memory and registers.
#include "../attention.h"
#include "elements.h"

using namespace Halide;

namespace vitc::halide {

/// Bytes of shared memory for a block's queries, scores and weights. Every GPU
/// has 48 KiB, some no more than that; the sums come on top.
constexpr int sharedBytes = 40 * 1024;

/// Queries of a block at most, and rows of a thread: four share each load of a
/// key.
constexpr int mostQueries = 32, threadQueries = 4;

void Attention::readGpuSchedule(Schedule &schedule) {
  const int floatBytes = sizeof(float);
  panel = machine.lanes;
  panels = (tokens + panel - 1) / panel;
  keys = wholeKeys = panels * panel;
  int64_t bytesPerQuery = int64_t(2 * keys + headDim) * floatBytes;
  int fitting = mostQueries;
  while (fitting > 1 &&
         (fitting * bytesPerQuery > sharedBytes || fitting / 2 >= queryCount))
    fitting /= 2;
  if (fitting * bytesPerQuery > sharedBytes)
    fail(&families::AttentionShape::tokens,
         std::to_string(tokens) + " need more than " +
             std::to_string(sharedBytes / 1024) +
             " KiB of shared memory for one row of scores");
  block = schedule.get("block_q", "queries of a block of threads", fitting,
                       Values(1, mostQueries).worthwhileUpTo(fitting));
  tileRows = schedule.get(
      "tile_m", "queries of a thread", std::min(block, threadQueries),
      Values(1, block).dividing(block, "block_q " + std::to_string(block)));
}

/// Blocks of queries for the output and for the maps alike. `thread` is the
/// first dimension of threads, `inner` the loops of a thread outside its rows.
void Attention::splitQueriesOnGpu(Func func, Var thread,
                                  const std::vector<VarOrRVar> &inner) {
  std::vector<VarOrRVar> order = {ii};
  order.insert(order.end(), inner.begin(), inner.end());
  order.insert(order.end(), {thread, io, ib, h, b});
  func.split(i, ib, ii, block, TailStrategy::GuardWithIf)
      .split(ii, io, ii, tileRows, TailStrategy::GuardWithIf)
      .reorder(order)
      .unroll(ii)
      .gpu_threads(thread, io)
      .gpu_blocks(ib, h, b);
}

void Attention::scheduleOnGpu(Schedule &schedule) {
  const int lanes = machine.lanes;
  scheduleElements(keysT, readThreads(schedule));

  // The second product: a thread takes some queries by one or two channels.
  int vector = headDim % (2 * lanes) == 0 ? 2 : 1;
  Var turn("turn"), thread("thread"), dv("dv");
  out.split(d, d, dv, vector)
      .split(d, turn, thread, lanes, TailStrategy::GuardWithIf);
  splitQueriesOnGpu(out, thread, {dv, turn});
  mixed.compute_at(out, turn)
      .store_in(MemoryType::Register)
      .bound_extent(d, vector)
      .bound_extent(i, tileRows)
      .unroll(i);
  mixed.update().reorder(d, i, rj).unroll(i);
  if (vector > 1) {
    out.reorder(dv, ii).vectorize(dv);
    mixed.vectorize(d);
    mixed.update().vectorize(d);
  }

  Func consumer = out;
  if (withMaps) {
    maps.split(j, turn, thread, lanes, TailStrategy::GuardWithIf);
    splitQueriesOnGpu(maps, thread, {turn});
    consumer = maps;
  }
  LoopLevel blockLevel(consumer, ib);

  // What the block shares: `along` in turns of the lanes, queries in the second
  // dimension of threads.
  auto inBlock = [&](Func func, Var along) {
    func.compute_at(blockLevel)
        .bound_extent(i, block)
        .split(along, turn, thread, lanes, TailStrategy::GuardWithIf)
        .split(i, io, ii, tileRows)
        .reorder(ii, turn, thread, io)
        .unroll(ii)
        .gpu_threads(thread, io);
  };
  inBlock(queries, d);
  // The first product: a thread takes some queries by one key at a time; the
  // block's threads read neighbouring keys.
  scores.bound_extent(j, keys);
  inBlock(scores, j);
  product.compute_at(scores, turn)
      .store_in(MemoryType::Register)
      .bound_extent(i, tileRows)
      .unroll(i);
  product.update().reorder(i, rd).unroll(i);
  if (headDim % 4 == 0)
    product.update().unroll(rd, 4);

  weights.bound_extent(j, keys);
  inBlock(weights, j);
  for (RowReduction *reduction : {&most, &sum}) {
    reduction->perThread = tileRows;
    reduction->lanes.bound_extent(i, block);
    for (Func &stage : reduction->tree)
      stage.bound_extent(i, block);
    reduction->total.bound_extent(i, block);
    scheduleReduction(*reduction, blockLevel, {i});
  }
  inverse.compute_at(blockLevel).bound_extent(i, block).gpu_threads(i);
}

} // namespace vitc::halide
