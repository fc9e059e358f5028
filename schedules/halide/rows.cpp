// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rows.h"

#include "common/rows.h"
#include "math.h"

using namespace Halide;

namespace vitc::halide {

RowReduction reduceRow(const std::string &name, Combine combine, int cols,
                       int readable, const std::vector<Var> &row,
                       const Machine &machine,
                       const std::function<Expr(Expr)> &element, int chains) {
  // The number of vectors divides the row with its padding, so that the last
  // ones are loaded like the others.
  int vectors =
      std::max(cols, readable - readable % machine.lanes) / machine.lanes;
  RowReduction result;
  result.lane = Var("lane");
  result.vector = machine.lanes;
  result.onGpu = machine.gpu();
  result.width = machine.lanes * divisorUpTo(std::max(vectors, 1), chains);
  result.lanes = Func(name + "_lanes");
  result.total = Func(name);

  Expr neutral = combine == Combine::Sum ? Expr(0.0f) : Float(32).min();
  auto both = [&](Expr a, Expr b) {
    return combine == Combine::Sum ? a + b : greaterOf(a, b);
  };

  std::vector<Expr> laneArgs = {result.lane}, rowArgs(row.begin(), row.end());
  std::vector<Var> lanePure = {result.lane};
  laneArgs.insert(laneArgs.end(), row.begin(), row.end());
  lanePure.insert(lanePure.end(), row.begin(), row.end());

  // The part of a vector beyond the row comes first, as the start value.
  int blocks = cols / result.width, rest = cols % result.width;
  Expr start = neutral;
  if (rest > 0) {
    Expr column = blocks * result.width + result.lane;
    if (readable < (blocks + 1) * result.width)
      column = min(column, cols - 1);
    start = select(result.lane < rest, element(column), neutral);
  }
  result.lanes(lanePure) = start;
  if (blocks > 0) {
    RDom block(0, blocks, name + "_block");
    result.lanes(laneArgs) = both(result.lanes(laneArgs),
                                  element(block * result.width + result.lane));
  }

  // A tree over the lanes: the vectors, then halves of a vector. Said in full,
  // since the compiler, bound to the order of a sum, would go lane by lane; and
  // strict, or it adds the vectors of some rows in another order.
  auto at = [&](Func func, Expr lane) {
    std::vector<Expr> args = {lane};
    args.insert(args.end(), row.begin(), row.end());
    return Expr(func(args));
  };
  Expr folded = at(result.lanes, result.lane);
  for (int chain = 1; chain < result.width / machine.lanes; ++chain)
    folded = strict_float(
        both(folded, at(result.lanes, result.lane + chain * machine.lanes)));
  Func stage(name + "_folded");
  stage(lanePure) = folded;
  result.tree.push_back(stage);
  if (machine.gpu()) {
    int width = machine.lanes;
    // Between two stages all threads of a block wait for each other: few
    // stages, of several additions each.
    auto combined = [&](int parts, Expr lane) {
      Expr value = at(stage, lane);
      for (int part = 1; part < parts; ++part)
        value = both(value, at(stage, lane + part * (width / parts)));
      return value;
    };
    constexpr int most = 8;
    if (width > most) {
      Func next(name + "_eight");
      next(lanePure) = combined(width / most, result.lane);
      stage = next;
      result.tree.push_back(stage);
      width = most;
    }
    result.total(row) = combined(width, 0);
    return result;
  }
  result.last = RDom(0, machine.lanes, name + "_last");
  result.total(row) = neutral;
  Expr last = at(stage, result.last);
  result.total(rowArgs) = combine == Combine::Sum
                              ? result.total(rowArgs) + last
                              : max(result.total(rowArgs), last);
  return result;
}

/// A lane is a thread of the block, and so are the first of `together`, or runs
/// of them.
static void scheduleReductionOnGpu(RowReduction &reduction, LoopLevel level,
                                   const std::vector<Var> &together) {
  Var runs("runs"), row("row");
  int rows = reduction.perThread;
  auto inThreads = [&](Stage stage, std::vector<VarOrRVar> inner,
                       const std::vector<Var> &threads) {
    if (!together.empty()) {
      stage.split(together[0], runs, row, rows);
      inner.insert(inner.begin(), row);
    }
    inner.insert(inner.end(), threads.begin(), threads.end());
    if (!together.empty())
      inner.push_back(runs);
    if (inner.size() > 1)
      stage.reorder(inner);
    if (together.empty() && threads.empty())
      return;
    if (together.empty())
      stage.gpu_threads(threads[0]);
    else if (threads.empty())
      stage.gpu_threads(runs);
    else
      stage.gpu_threads(threads[0], runs);
  };
  Var lane = reduction.lane;
  Func lanes = reduction.lanes;
  lanes.compute_at(level).bound_extent(lane, reduction.width);
  inThreads(Stage(lanes), {}, {lane});
  if (lanes.has_update_definition()) {
    RVar block(lanes.update().get_schedule().rvars()[0].var);
    inThreads(lanes.update(), {block}, {lane});
  }
  for (Func &stage : reduction.tree) {
    stage.compute_at(level);
    inThreads(Stage(stage), {}, {lane});
  }
  reduction.total.compute_at(level);
  inThreads(Stage(reduction.total), {}, {});
}

void scheduleReduction(RowReduction &reduction, LoopLevel level,
                       const std::vector<Var> &together) {
  if (reduction.onGpu)
    return scheduleReductionOnGpu(reduction, level, together);
  Func lanes = reduction.lanes;
  lanes.compute_at(level)
      .store_in(MemoryType::Register)
      .bound_extent(reduction.lane, reduction.width)
      .vectorize(reduction.lane, reduction.vector)
      .unroll(reduction.lane);
  if (lanes.has_update_definition()) {
    RVar block(lanes.update().get_schedule().rvars()[0].var);
    std::vector<VarOrRVar> order = {reduction.lane};
    order.insert(order.end(), together.begin(), together.end());
    order.push_back(block);
    lanes.update()
        .reorder(order)
        .vectorize(reduction.lane, reduction.vector)
        .unroll(reduction.lane);
  }
  int width = reduction.vector;
  for (Func &stage : reduction.tree) {
    stage.compute_at(level)
        .store_in(MemoryType::Register)
        .bound_extent(reduction.lane, width)
        .vectorize(reduction.lane, width);
    width /= 2;
  }
  reduction.total.compute_at(level).store_in(MemoryType::Register);
  reduction.total.update().atomic().vectorize(reduction.last.x);
  for (const Var &row : together) {
    lanes.unroll(row);
    if (lanes.has_update_definition())
      lanes.update().unroll(row);
    for (Func &stage : reduction.tree)
      stage.unroll(row);
    reduction.total.unroll(row);
    reduction.total.update().unroll(row);
  }
}

void scheduleValue(Func func, LoopLevel level, const Machine &machine) {
  func.compute_at(level);
  if (!machine.gpu()) // where it is shared by the block's threads
    func.store_in(MemoryType::Register);
}

/// A block for each row, or each group of one; its threads stand side by side
/// and go along it together.
static LoopLevel scheduleRowsOnGpu(Func out, int cols, Schedule &schedule,
                                   const Machine &machine) {
  constexpr int mostThreads = 128;
  int threads = schedule.get(
      "threads", "threads of a block",
      std::min(mostThreads, roundUp(cols, machine.lanes)), Values(1, 1024));
  std::vector<Var> args = out.args();
  Var c = args[0], turn("turn"), thread("thread");
  out.split(c, turn, thread, threads, TailStrategy::GuardWithIf)
      .reorder(turn, thread)
      .gpu_threads(thread);
  Var block = args[1];
  if (args.size() == 3)
    out.fuse(args[1], args[2], block);
  out.gpu_blocks(block);
  return LoopLevel(out, block);
}

LoopLevel scheduleRows(Func out, int cols, int rows, double flopsPerElement,
                       Schedule &schedule, const Machine &machine) {
  if (machine.gpu())
    return scheduleRowsOnGpu(out, cols, schedule, machine);
  const RowTasks tasks = readRowTasks(schedule, rows, flopsPerElement * cols);

  Var c = out.args()[0], r = out.args().back(), task("task");
  out.vectorize(c, machine.lanes,
                cols % machine.lanes == 0 ? TailStrategy::RoundUp
                                          : TailStrategy::GuardWithIf);
  if (tasks.parallel)
    out.split(r, task, r, tasks.rows, TailStrategy::GuardWithIf).parallel(task);
  return LoopLevel(out, out.args()[1]);
}

} // namespace vitc::halide
