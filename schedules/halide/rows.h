// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Helpers for kernels that work on rows: sums and maxima along a row, and
/// loops over rows.
#ifndef VITC_SCHEDULES_HALIDE_ROWS_H
#define VITC_SCHEDULES_HALIDE_ROWS_H

#include "kernel.h"

#include <functional>

namespace vitc::halide {

enum class Combine { Sum, Max };

/// A row reduced in two steps: `lanes` holds one partial result per vector
/// lane, `total` combines them. The order of the additions depends on the row's
/// length only.
struct RowReduction {
  Halide::Func lanes, total;
  Halide::Var lane;
  Halide::RDom last;              ///< of `total`, over the lanes
  std::vector<Halide::Func> tree; ///< from `lanes` to `total`
  int width;
  int vector;
  bool onGpu;        ///< lanes are threads of a block
  int perThread = 1; ///< rows that a thread of a block takes
};

/// Reduces element(0) … element(cols - 1), whose other coordinates are `row`.
/// Elements up to `readable` may be computed, though their values, NaN perhaps,
/// must not count. `chains` is the number of vectors that are summed side by
/// side: four hide the latency of the addition, 4 cycles, one or two per cycle.
RowReduction reduceRow(const std::string &name, Combine combine, int cols,
                       int readable, const std::vector<Halide::Var> &row,
                       const Machine &machine,
                       const std::function<Halide::Expr(Halide::Expr)> &element,
                       int chains = 4);

/// `together` are the rows' coordinates whose reductions advance side by side,
/// all of those that are needed at `level`. On a GPU the first of them becomes
/// the block's second dimension of threads.
void scheduleReduction(RowReduction &reduction, Halide::LoopLevel level,
                       const std::vector<Halide::Var> &together = {});

/// Schedules `func`, which has one value for each of a reduction's rows.
void scheduleValue(Halide::Func func, Halide::LoopLevel level,
                   const Machine &machine);

/// Schedules `out(c, r)`, or `out(c, g, r)` where a row has groups: vectors
/// along c, blocks of rows for the threads (schedule parameters block_rows,
/// parallel); on a GPU a block per row (threads). `cols` and `rows` are the
/// extents of c and r. Never computes an element twice, so that the output may
/// be the input. Returns the level of one row, or of one group.
Halide::LoopLevel scheduleRows(Halide::Func out, int cols, int rows,
                               double flopsPerElement, Schedule &schedule,
                               const Machine &machine);

} // namespace vitc::halide

#endif // VITC_SCHEDULES_HALIDE_ROWS_H
