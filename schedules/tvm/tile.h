// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The loops of every matrix product with packed weights: a tile held in
/// registers, and around it the walk over panels and rows.
#ifndef VITC_SCHEDULES_TVM_TILE_H
#define VITC_SCHEDULES_TVM_TILE_H

#include "common/tile.h"
#include "kernel.h"

namespace vitc::tvm_backend {

/// Some rows of a product.
struct RowRange {
  int first, count;
};

/// The place of an element of the product: image, column tile, row of the range
/// and column of the tile.
struct Element {
  Expr image, tile, row, column;
};

/// out = finish(sum over k of left(row, k) · w), with w in panels.
struct PanelProduct {
  PanelLoops loops;
  Tile tile;
  PanelTasks tasks;
  std::vector<int> sums;    ///< extents of the summed axes, the outermost first
  int64_t ldc, batchStride; ///< of `out`
  int prefetch;             ///< cache lines per step, 0 for none

  /// Prepares a part, which computes some rows: adds its inputs and returns the
  /// left operand.
  std::function<std::function<Expr(const Expr &image, const Expr &row,
                                   const Place &k)>(Part &, RowRange)>
      left;
  /// The same for what becomes of a sum.
  std::function<std::function<Expr(const Expr &sum, const Element &)>(Part &,
                                                                      RowRange)>
      finish;
};

/// Adds the stage that computes the arguments w and out of `product`.
void addPanelProduct(Kernel &kernel, const PanelProduct &product);

/// Schedules `product` as one tile in registers, computed at `level`: its last
/// loops are those over rows, columns and `sums` summed axes. The loops of the
/// level must be the task's already. Returns the innermost loop that branches.
Loop scheduleTile(Loops &loops, const Tensor &product, const Loop &level,
                  const Tile &tile, size_t sums);

} // namespace vitc::tvm_backend

#endif // VITC_SCHEDULES_TVM_TILE_H
