// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tile.h"

using namespace Halide;

namespace vitc::halide {

Expr multiplyAdd(Expr sum, Expr a, Expr b, int lanes) {
  Expr result = sum + a * b;
  return lanes == 1 ? strict_float(result) : result;
}

void scheduleTile(Func product, Var n, const std::vector<Var> &rows, RVar k,
                  const std::vector<RVar> &outerK, const Tile &tile,
                  const Machine &machine, LoopLevel level) {
  Var vector("vector"), lane("lane");
  RVar ko("ko"), ki("ki");
  product.compute_at(level)
      .store_in(MemoryType::Register)
      .bound_extent(n, tile.columns)
      .vectorize(n, tile.lanes)
      .unroll(n);
  product.update()
      .split(n, vector, lane, tile.lanes)
      .split(k, ko, ki, tile.unrollK);
  // The vectors of a row stand inside the rows: a broadcast of the left operand
  // is then used up at once. The other order keeps one broadcast per row alive
  // and spills. By lanes the left operand has a register for each row anyway,
  // and it is a vector of weights that should be used up at once.
  std::vector<VarOrRVar> order = {lane};
  order.insert(order.end(), rows.begin(), rows.end());
  order.insert(machine.multipliesByLane ? order.end() : order.begin() + 1,
               vector);
  order.insert(order.end(), {ki, ko});
  order.insert(order.end(), outerK.begin(), outerK.end());
  product.update().reorder(order).vectorize(lane).unroll(vector).unroll(ki);
  for (const Var &row : rows) {
    product.unroll(row);
    product.update().unroll(row);
  }
}

TileLoops schedulePanels(Func out, const PanelLoops &loops, const Tile &tile,
                         Schedule &schedule) {
  const PanelTasks tasks = readPanelTasks(schedule, loops, tile);
  const int block = tasks.rows, blocks = tasks.rowBlocks,
            together = tasks.together;
  const bool parallel = tasks.parallel;

  // For each column tile, all row tiles: the tile's weights (48 KB at k = 768)
  // stay in the cache while the rows stream by.
  Var n = out.args()[0], m = out.args()[1], np = out.args()[2];
  Var no("no"), ni("ni"), mo("mo"), mi("mi"), mb("mb"), task("task"),
      columnTile("columnTile");
  bool hasBatch = out.dimensions() == 4, splitRows = parallel && blocks > 1;
  std::vector<VarOrRVar> order = {ni, mi, mo};
  if (splitRows && !tasks.rowsOuter)
    order.push_back(mb);
  if (hasBatch)
    order.push_back(out.args()[3]);
  order.insert(order.end(), {no, np});
  if (splitRows && tasks.rowsOuter)
    order.push_back(mb);

  for (int pass = 0; pass <= out.num_update_definitions(); ++pass) {
    Stage stage = pass == 0 ? Stage(out) : out.update(pass - 1);
    stage.split(n, no, ni, tile.columns)
        .split(m, mo, mi, tile.rows,
               loops.rows % tile.rows == 0 ? TailStrategy::RoundUp
                                           : TailStrategy::GuardWithIf);
    if (splitRows)
      stage.split(mo, mb, mo, block / tile.rows, TailStrategy::GuardWithIf);
    stage.reorder(order)
        .vectorize(ni, tile.lanes)
        .unroll(ni)
        .unroll(mi)
        .fuse(no, np, task);
    if (parallel) {
      if (together > 1)
        stage.split(task, task, columnTile, together,
                    TailStrategy::GuardWithIf);
      if (hasBatch)
        stage.fuse(out.args()[3], task, task);
      if (splitRows && tasks.rowsOuter)
        stage.fuse(task, mb, task);
      else if (splitRows)
        stage.fuse(mb, task, task);
      stage.parallel(task);
    }
  }
  bool inTask = parallel && together > 1;
  int apart = splitRows && !tasks.rowsOuter ? blocks : 1;
  return {LoopLevel(out, mo), inTask ? columnTile.name() : task.name(),
          inTask || !parallel ? 1 : loops.batch * apart,
          splitRows ? block / tile.rows
                    : (loops.rows + tile.rows - 1) / tile.rows};
}

} // namespace vitc::halide
