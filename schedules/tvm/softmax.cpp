// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// softmax: out[r] = softmax(x[r]).
#include "math.h"
#include "rows.h"

namespace vitc::tvm_backend {

Kernel buildSoftmax(const families::SoftmaxShape &spec, Schedule &schedule,
                    const Machine &machine) {
  const int rows = spec.rows, cols = spec.cols, ldx = spec.ldx, ldy = spec.ldy;
  const int readable = paddedColumns(cols, ldx),
            written = std::min(readable, paddedColumns(cols, ldy));
  constexpr double flopsPerElement = 60; // two exponentials
  const RowTasks tasks = readRowTasks(schedule, rows, flopsPerElement * cols);

  Kernel kernel;
  kernel.input("x");
  kernel.output("out");
  kernel.define = [=](Kernel &kernel) {
    addRowStage(kernel, rows, tasks, [&](Part &part, const Run &run) {
      // ---- Algorithm. The maximum is subtracted, so the largest exponent is 0
      // and the sum is at least 1.
      auto matrix = [&](int width, int stride) -> std::vector<Dimension> {
        return {{run.tasks, int64_t(run.each) * stride},
                {run.each, stride},
                {width, 1}};
      };
      Tensor x =
          part.input("x", matrix(readable, ldx), int64_t(run.first) * ldx);
      auto element = [&](const Place &row, const Expr &column) {
        return x.at({row[0], row[1], column});
      };
      const std::vector<int> shape = {run.tasks, run.each};
      RowReduction most = reduceRow("most", Combine::Max, shape, cols, readable,
                                    machine.lanes, element);
      auto exponential = [&](const Place &row, const Expr &column) {
        return fastExp(element(row, column) - most.total.at(row));
      };
      RowReduction sum = reduceRow("sum", Combine::Sum, shape, cols, readable,
                                   machine.lanes, exponential);
      Tensor inverse = compute("inverse", shape, [&](const Place &row) {
        return Expr(1.0f) / sum.total.at(row);
      });
      Tensor out = compute("result", {run.tasks, run.each, written},
                           [&](const Place &at) {
                             Place row = {at[0], at[1]};
                             return exponential(row, at[2]) * inverse.at(row);
                           });
      part.output(out, "out", matrix(written, ldy), int64_t(run.first) * ldy);

      // ---- Schedule. The exponentials are computed twice: cheaper than a
      // place to keep a row of any length.
      Loop level = scheduleRows(part, out, machine.lanesFor(written));
      Loops &loops = part.schedule();
      loops.computeAt(inverse, level);
      loops.keepLocal(inverse);
      scheduleReduction(loops, sum, level);
      scheduleReduction(loops, most, level);
    });
  };
  return kernel;
}

} // namespace vitc::tvm_backend
