// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tile.h"

#include "prefetch.h"
#include "rows.h"

namespace vitc::tvm_backend {

Loop scheduleTile(Loops &loops, const Tensor &product, const Loop &level,
                  const Tile &tile, size_t sums) {
  loops.computeAt(product, level);
  loops.keepLocal(product);
  std::vector<Loop> all = loops.around(product);
  std::vector<Loop> summed(all.end() - sums, all.end());
  Loop rows = all[all.size() - sums - 2], columns = all[all.size() - sums - 1];
  std::vector<Loop> vectors = loops.split(columns, {0, tile.lanes});
  std::vector<Loop> steps = loops.split(summed.back(), {0, tile.unrollK});
  // The vectors of a row stand inside the rows: a broadcast of the left operand
  // is then used up at once.
  std::vector<Loop> order(summed.begin(), summed.end() - 1);
  order.insert(order.end(), {steps[0], steps[1], rows, vectors[0], vectors[1]});
  loops.reorder(order);
  loops.vectorize(vectors[1]);
  for (const Loop &loop : {steps[1], rows, vectors[0]})
    loops.unroll(loop);
  loops.decompose(product, order.front());
  return steps[0];
}

namespace {

/// Tasks of a section: row blocks of equal height times runs of column tiles of
/// equal length.
struct TaskGrid {
  int firstTile, tilesPerTask, tileTasks;
  int firstRow, rowsPerTask, rowTasks;

  int tasks(int batch) const { return tileTasks * rowTasks * batch; }
};

} // namespace

/// The full tiles, or the rest, of each task's rows: `rows` of them from
/// `offset` on, in tiles of `height`.
static Part productPart(const PanelProduct &product, const TaskGrid &grid,
                        int offset, int rows, int height) {
  const PanelLoops &sizes = product.loops;
  const Tile &tile = product.tile;
  const int columns = tile.columns, perPanel = sizes.panel / columns;
  const int chains = tile.chains, batch = sizes.batch;
  int depth = 1;
  for (int extent : product.sums)
    depth *= extent;
  const int tiles = grid.tilesPerTask * grid.tileTasks;

  // ---- Algorithm. A column is (tile, n), number n of column tile `tile`; a
  // row is (block, m). Rows of a block that other parts compute are skipped by
  // the views' strides, so `first` and the blocks' distance say where a row is.
  Part part;
  const RowRange range{grid.firstRow + offset,
                       (grid.rowTasks - 1) * grid.rowsPerTask + rows};
  auto rowOf = [&](const Expr &block, const Expr &m) {
    return grid.rowTasks == 1 ? m : block * Expr(grid.rowsPerTask) + m;
  };
  auto left = product.left(part, range);
  Tensor w = part.input("w", {{sizes.panels, int64_t(sizes.panel) * depth},
                              {perPanel, columns},
                              {depth, sizes.panel},
                              {columns, 1}});
  auto finish = product.finish(part, range);
  auto columnTile = [&](const Expr &tile) {
    return grid.firstTile == 0 ? tile : tile + Expr(grid.firstTile);
  };
  std::vector<int> sums = product.sums;
  sums.back() /= chains;
  Tensor sum = reduce(
      "sum", Combine::Sum, {tiles, batch, grid.rowTasks, chains, rows, columns},
      sums, [&](const Place &at, const Place &k) {
        Place place = k;
        if (chains > 1)
          place.back() = place.back() * Expr(chains) + at[3];
        Expr flat = 0;
        for (size_t i = 0; i < place.size(); ++i)
          flat = flat * Expr(product.sums[i]) + place[i];
        Expr tile = columnTile(at[0]);
        Expr weight = w.at({floorDiv(tile, perPanel), floorMod(tile, perPanel),
                            place.size() == 1 ? place[0] : flat, at[5]});
        return left(at[1], rowOf(at[2], at[4]), place) * weight;
      });
  Tensor out = compute(
      "result", {tiles, batch, grid.rowTasks, rows, columns},
      [&](const Place &at) {
        Expr total = sum.at({at[0], at[1], at[2], 0, at[3], at[4]});
        for (int chain = 1; chain < chains; ++chain)
          total = total + sum.at({at[0], at[1], at[2], chain, at[3], at[4]});
        return finish(total,
                      {at[1], columnTile(at[0]), rowOf(at[2], at[3]), at[4]});
      });
  part.output(out, "out",
              {{tiles, columns},
               {batch, product.batchStride},
               {grid.rowTasks, grid.rowsPerTask * product.ldc},
               {rows, product.ldc},
               {columns, 1}},
              int64_t(grid.firstTile) * columns + range.first * product.ldc);

  // ---- Schedule. For each column tile, all row tiles: the tile's weights (48
  // KB at k = 768) stay in the cache while the rows stream by.
  Loops &loops = part.schedule();
  std::vector<Loop> at = loops.around(out);
  std::vector<Loop> tileLoops =
      loops.split(at[0], {grid.tileTasks, grid.tilesPerTask});
  std::vector<Loop> rowLoops = loops.split(at[3], {rows / height, height});
  std::vector<Loop> vectors = loops.split(at[4], {0, tile.lanes});
  loops.reorder({tileLoops[0], at[1], at[2], tileLoops[1], rowLoops[0],
                 rowLoops[1], vectors[0], vectors[1]});
  Loop task = loops.fuse({tileLoops[0], at[1], at[2]});
  loops.tasks(task);
  loops.vectorize(vectors[1]);
  Tile registers = tile;
  registers.rows = height;
  Loop inner =
      scheduleTile(loops, sum, rowLoops[0], registers, product.sums.size());
  const bool worthwhile = rows / height > 1 && sums.back() > tile.unrollK;
  if (product.prefetch > 0 && worthwhile) {
    loops.annotate(rowLoops[0], rowTileLoop, 1);
    if (grid.tilesPerTask > 1)
      loops.annotate(tileLoops[1], columnTileLoop, 1);
    loops.annotate(inner, innerLoop, 1);
    part.prefetch = WeightStream{"w",
                                 depth,
                                 sizes.panel,
                                 columns,
                                 product.prefetch,
                                 /*nextTask=*/batch * grid.rowTasks};
  }
  return part;
}

/// The full tiles of the tasks' rows, then the rest.
static Section productSection(const PanelProduct &product,
                              const TaskGrid &grid) {
  const int height = product.tile.rows, rest = grid.rowsPerTask % height,
            full = grid.rowsPerTask - rest;
  Section section{grid.tasks(product.loops.batch), {}};
  if (full > 0)
    section.parts.push_back(productPart(product, grid, 0, full, height));
  if (rest > 0)
    section.parts.push_back(productPart(product, grid, full, rest, rest));
  return section;
}

void addPanelProduct(Kernel &kernel, const PanelProduct &product) {
  const PanelTasks &tasks = product.tasks;
  const int rows = product.loops.rows;
  // Where threads share the work, rows may be split; the last block and the
  // last run of column tiles may be shorter than the others.
  const int block = tasks.parallel ? std::min(tasks.rows, rows) : rows;
  const int together = tasks.parallel ? tasks.together : 1;
  Stage stage{{}, tasks.parallel};
  for (const Run &rowRun : runsOf(rows, block))
    for (const Run &tileRun : runsOf(tasks.columnTiles, together))
      stage.sections.push_back(
          productSection(product, {tileRun.first, tileRun.each, tileRun.tasks,
                                   rowRun.first, rowRun.each, rowRun.tasks}));
  kernel.stages.push_back(std::move(stage));
}

} // namespace vitc::tvm_backend
