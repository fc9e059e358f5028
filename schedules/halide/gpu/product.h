// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Matrix products on a GPU: a block of threads computes a tile of the result,
/// and stages its operands in shared memory.
#ifndef VITC_SCHEDULES_HALIDE_GPU_PRODUCT_H
#define VITC_SCHEDULES_HALIDE_GPU_PRODUCT_H

#include "../kernel.h"

#include <functional>

namespace vitc::halide {

/// A product with packed weights: out[m][np·panel + n] for each of a batch.
struct GpuProductShape {
  int rows, panel, panels, batch, depth;
};

/// What a block and what a thread computes, and the steps of k that are staged
/// together.
struct GpuTile {
  int rows, columns, threadRows, threadColumns, steps;
};

/// Reads tile_m, tile_n, thread_m, thread_n and block_k.
GpuTile readGpuTile(Schedule &schedule, const GpuProductShape &shape);

/// A sum of products and its parts, to be scheduled.
struct GpuProduct {
  GpuTile tile;
  Halide::Func sum; ///< of the arguments that `out` will have
  Halide::Func left, right, partial;
  Halide::Var k;
  Halide::RVar step, block;
};

/// The sum over k of left(k, m) · right(n, k). `args` are n, m
/// and np, and b where there is a batch. `left` is asked for rows and steps of
/// the result alone, however large the tiles are.
GpuProduct defineProduct(
    const GpuProductShape &shape, const GpuTile &tile,
    const std::vector<Halide::Var> &args,
    const std::function<Halide::Expr(Halide::Expr k, Halide::Expr m)> &left,
    const std::function<Halide::Expr(Halide::Expr n, Halide::Expr k)> &right);

/// Schedules `out`, defined over the product's arguments, and the product.
/// `vectorLeft`: the left operand's steps of k are neighbours in memory.
void scheduleProduct(Halide::Func out, GpuProduct &product,
                     const GpuProductShape &shape, bool vectorLeft,
                     const Machine &machine);

} // namespace vitc::halide

#endif // VITC_SCHEDULES_HALIDE_GPU_PRODUCT_H
