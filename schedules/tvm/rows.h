// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Helpers for kernels that work on rows: sums and maxima along a row, and
/// loops over rows.
#ifndef VITC_SCHEDULES_TVM_ROWS_H
#define VITC_SCHEDULES_TVM_ROWS_H

#include "common/rows.h"
#include "kernel.h"

namespace vitc::tvm_backend {

/// A run of tasks that have equally many items each.
struct Run {
  int first; ///< item of the run's first task
  int each;  ///< items of a task
  int tasks;
};

/// `total` items in tasks of `each`; the last task may be shorter, and is then
/// a run of its own.
std::vector<Run> runsOf(int total, int each);

/// A row reduced in two steps: one partial result per vector lane, then a tree
/// over the lanes. The order of the additions depends on the row's length only.
struct RowReduction {
  std::vector<Tensor> partial; ///< over blocks of lanes; none for short rows
  std::vector<Tensor> tree;    ///< what is left of them, half by half
  std::vector<Tensor> rest;    ///< of rows without padding: the last elements
  Tensor total;
  int lanes;
};

/// Reduces element(row, 0) … element(row, cols - 1) for each row of `shape`.
/// Elements up to `readable` may be computed, though their values, NaN perhaps,
/// must not count. `chains` is the number of vectors that are summed side by
/// side: four hide the latency of the addition, 4 cycles, one or two per cycle.
RowReduction reduceRow(
    const std::string &name, Combine combine, const std::vector<int> &shape,
    int cols, int readable, int lanes,
    const std::function<Expr(const Place &row, const Expr &column)> &element,
    int chains = 4);

/// Computes the reduction at `level`; what it reads must be scheduled later.
/// `together` of a row's last coordinates advance side by side there.
void scheduleReduction(Loops &loops, const RowReduction &reduction,
                       const Loop &level, int together = 0);

/// Adds a stage that computes `rows` rows. `define` adds one run of tasks to a
/// part: outputs whose first dimensions are the tasks and a task's rows.
void addRowStage(Kernel &kernel, int rows, const RowTasks &tasks,
                 const std::function<void(Part &, const Run &)> &define);

/// Vectors along the last loop of `out`, tasks along the first. Returns the
/// loop over a task's rows, or over a row's groups where there is one.
Loop scheduleRows(Part &part, const Tensor &out, int lanes);

} // namespace vitc::tvm_backend

#endif // VITC_SCHEDULES_TVM_ROWS_H
