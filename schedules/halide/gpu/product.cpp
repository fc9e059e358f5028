// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "product.h"

#include <numeric>

using namespace Halide;

namespace vitc::halide {

/// Columns of a thread: one 16-byte access.
constexpr int vectorFloats = 4;

/// Steps of k that are staged together. Each costs a thread the transfer of its
/// accumulators through shared memory: of 32 steps with 4x4 accumulators, 32
/// accesses for 512 multiply-adds.
constexpr int stagedSteps = 32;

/// Blocks that keep a large GPU busy: twice the 108 multiprocessors of an A100.
constexpr int enoughBlocks = 216;

/// The largest of 4, 2 and 1 that divides `extent`: the vectors of OpenCL.
static int vectorFor(int extent) {
  int vector = vectorFloats;
  while (extent % vector != 0)
    vector /= 2;
  return vector;
}

/// 64 rows where that leaves enough blocks, since the staged weights then serve
/// twice as many; 32 otherwise; and no more than there are.
static int defaultRows(const GpuProductShape &shape, int columns) {
  auto blocks = [&](int rows) {
    return double((shape.rows + rows - 1) / rows) * shape.panels *
           (shape.panel / columns) * shape.batch;
  };
  int rows = blocks(64) >= enoughBlocks ? 64 : 32;
  while (rows > 1 && rows / 2 >= shape.rows)
    rows /= 2;
  return rows;
}

GpuTile readGpuTile(Schedule &schedule, const GpuProductShape &shape) {
  GpuTile tile;
  tile.columns = schedule.get(
      "tile_n", "columns of a block of threads", divisorUpTo(shape.panel, 64),
      Values(1, shape.panel)
          .dividing(shape.panel,
                    "the panel of " + std::to_string(shape.panel)));
  tile.rows = schedule.get("tile_m", "rows of a block of threads",
                           defaultRows(shape, tile.columns), Values(1, 128));
  // Few rows would leave few threads: each takes one column then.
  tile.threadRows = schedule.get(
      "thread_m", "rows of a thread",
      divisorUpTo(tile.rows, tile.rows >= 64 ? 8 : 4),
      Values(1, 16).dividing(tile.rows, "tile_m " + std::to_string(tile.rows)));
  tile.threadColumns = schedule.get(
      "thread_n", "columns of a thread",
      tile.rows < 4 ? 1 : vectorFor(tile.columns),
      Values(1, vectorFloats)
          .dividing(std::gcd(tile.columns, vectorFloats),
                    "4 and tile_n " + std::to_string(tile.columns)));
  tile.steps = schedule.get(
      "block_k", "steps of k that are staged in shared memory together",
      std::min(stagedSteps, roundUp(shape.depth, vectorFloats)),
      Values(vectorFloats, 128).multipleOf(vectorFloats, "4"));
  return tile;
}

GpuProduct defineProduct(const GpuProductShape &shape, const GpuTile &tile,
                         const std::vector<Var> &args,
                         const std::function<Expr(Expr, Expr)> &left,
                         const std::function<Expr(Expr, Expr)> &right) {
  GpuProduct product;
  product.tile = tile;
  product.sum = Func("sum");
  product.left = Func("left");
  product.right = Func("right");
  product.partial = Func("partial");
  product.k = Var("k");
  Var n = args[0], m = args[1], np = args[2], k = product.k, block("block");

  // Steps beyond the last count as zero, whatever the operands hold.
  int depth = shape.depth, steps = tile.steps;
  bool whole = depth % steps == 0;
  Expr row = shape.rows % tile.rows == 0 ? Expr(m) : min(m, shape.rows - 1);
  Expr inside = whole ? Expr(k) : min(k, depth - 1);
  std::vector<Var> leftArgs = {k, m}, rightArgs = {n, k, np};
  if (args.size() > 3)
    leftArgs.push_back(args[3]);
  Expr value = left(inside, row);
  product.left(leftArgs) = whole ? value : select(k < depth, value, 0.0f);
  value = right(n, inside);
  product.right(rightArgs) = whole ? value : select(k < depth, value, 0.0f);

  RDom step(0, steps, "step"), blocks(0, (depth + steps - 1) / steps, "blocks");
  product.step = step.x;
  product.block = blocks.x;
  std::vector<Var> partialArgs = args;
  partialArgs.push_back(block);
  std::vector<Expr> leftAt(leftArgs.begin(), leftArgs.end()),
      rightAt(rightArgs.begin(), rightArgs.end()),
      sumAt(args.begin(), args.end());
  leftAt[0] = rightAt[1] = block * steps + step;
  product.partial(partialArgs) = 0.0f;
  product.partial(partialArgs) += product.left(leftAt) * product.right(rightAt);
  product.sum(args) = 0.0f;
  std::vector<Expr> partialAt = sumAt;
  partialAt.push_back(blocks);
  product.sum(sumAt) += product.partial(partialAt);
  return product;
}

/// Shares out a staged operand over the block's threads: `vectored` in runs of
/// `vector`, which with the other dimension makes one list of accesses,
/// `fastest` first.
static void scheduleStaging(Func func, Var vectored, int vector, Var other,
                            bool otherFastest, int threadsX, int threadsY) {
  Var run("run"), lane("lane"), all("all"), rest("rest"), tx("tx"), ty("ty"),
      turn("turn");
  func.store_in(MemoryType::GPUShared).split(vectored, run, lane, vector);
  if (otherFastest)
    func.reorder(lane, other, run).fuse(other, run, all);
  else
    func.reorder(lane, run, other).fuse(run, other, all);
  func.split(all, rest, tx, threadsX, TailStrategy::GuardWithIf)
      .split(rest, turn, ty, threadsY, TailStrategy::GuardWithIf)
      .reorder(lane, turn, tx, ty)
      .gpu_threads(tx, ty);
  if (vector > 1)
    func.vectorize(lane);
}

void scheduleProduct(Func out, GpuProduct &product,
                     const GpuProductShape &shape, bool vectorLeft,
                     const Machine &machine) {
  const GpuTile &tile = product.tile;
  std::vector<Var> args = out.args();
  Var n = args[0], m = args[1], np = args[2];
  Var no("no"), mo("mo"), tx("tx"), ty("ty"), ni("ni"), mi("mi"),
      columnTile("columnTile");
  int threadsX = tile.columns / tile.threadColumns,
      threadsY = tile.rows / tile.threadRows;
  bool hasBatch = args.size() > 3;

  // A block is a tile. Rows beyond the last are computed, not written.
  out.split(n, no, n, tile.columns)
      .split(m, mo, m, tile.rows,
             shape.rows % tile.rows == 0 ? TailStrategy::RoundUp
                                         : TailStrategy::GuardWithIf)
      .split(n, tx, ni, tile.threadColumns)
      .split(m, ty, mi, tile.threadRows);
  std::vector<VarOrRVar> order = {ni, mi, tx, ty, no, np, mo};
  if (hasBatch)
    order.push_back(args[3]);
  out.reorder(order).fuse(no, np, columnTile).gpu_threads(tx, ty);
  if (hasBatch)
    out.gpu_blocks(columnTile, mo, args[3]);
  else
    out.gpu_blocks(columnTile, mo);
  // Halide cannot say every activation function in vectors of OpenCL C; and an
  // activation for each element of a tile, unrolled, keeps a compiler busy for
  // seconds.
  if (machine.api != Api::OpenCl)
    out.vectorize(ni);

  // The accumulators of a block live in shared memory, since they outlive the
  // barriers between two staged parts; those of one part in registers.
  auto inThreads = [&](Stage stage) {
    return stage.split(n, tx, ni, tile.threadColumns)
        .split(m, ty, mi, tile.threadRows);
  };
  product.sum.compute_at(out, columnTile)
      .store_in(MemoryType::GPUShared)
      .bound_extent(n, tile.columns)
      .bound_extent(m, tile.rows);
  inThreads(Stage(product.sum))
      .reorder(ni, mi, tx, ty)
      .gpu_threads(tx, ty)
      .vectorize(ni)
      .unroll(mi);
  inThreads(product.sum.update())
      .reorder(ni, mi, tx, ty, product.block)
      .gpu_threads(tx, ty)
      .vectorize(ni)
      .unroll(mi);
  product.partial.compute_at(product.sum, tx)
      .store_in(MemoryType::Register)
      .bound_extent(n, tile.threadColumns)
      .bound_extent(m, tile.threadRows)
      .vectorize(n)
      .unroll(m);
  product.partial.update()
      .reorder(n, m, product.step)
      .vectorize(n)
      .unroll(m)
      .unroll(product.step, vectorFloats);

  // The left operand is stored with its rows innermost, so that a thread's rows
  // are one access and no two threads meet in a bank.
  LoopLevel part(product.sum, product.block);
  Var k = product.k;
  product.left.compute_at(part)
      .bound_extent(k, tile.steps)
      .bound_extent(m, tile.rows);
  if (hasBatch)
    product.left.reorder_storage(m, k, args[3]);
  else
    product.left.reorder_storage(m, k);
  scheduleStaging(product.left, k, vectorLeft ? vectorFloats : 1, m,
                  /*otherFastest=*/true, threadsX, threadsY);
  product.right.compute_at(part)
      .bound_extent(k, tile.steps)
      .bound_extent(n, tile.columns);
  scheduleStaging(product.right, n, tile.threadColumns, k,
                  /*otherFastest=*/false, threadsX, threadsY);
}

} // namespace vitc::halide
