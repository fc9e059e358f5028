// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// softmax: out[r] = softmax(x[r]).
#include "kernel.h"
#include "math.h"
#include "rows.h"

using namespace Halide;

namespace vitc::halide {

Kernel buildSoftmax(const families::SoftmaxShape &spec, Schedule &schedule,
                    const Machine &machine) {
  const int rows = spec.rows, cols = spec.cols, ldx = spec.ldx, ldy = spec.ldy;
  int readable = paddedColumns(cols, ldx),
      written = std::min(readable, paddedColumns(cols, ldy));

  // ---- Algorithm. The maximum is subtracted, so the largest exponent is 0 and
  // the sum is at least 1.
  Kernel kernel;
  ImageParam x = kernel.input("x", {{readable, 1}, {rows, ldx}});
  Var c("c"), r("r");
  Func inverse("inverse"), out("out");
  RowReduction most =
      reduceRow("most", Combine::Max, cols, readable, {r}, machine,
                [&](Expr column) { return x(column, r); });
  auto exponential = [&](Expr column) {
    return fastExp(x(column, r) - most.total(r));
  };
  RowReduction sum =
      reduceRow("sum", Combine::Sum, cols, readable, {r}, machine, exponential);
  inverse(r) = 1.0f / sum.total(r);
  out(c, r) = exponential(c) * inverse(r);
  kernel.output(out, "out", {{written, 1}, {rows, ldy}});

  // ---- Schedule. The exponentials are computed twice: cheaper than a place to
  // keep a row of any length.
  LoopLevel row =
      scheduleRows(out, written, rows, /*flopsPerElement=*/2 * activationFlops,
                   schedule, machine);
  scheduleReduction(most, row);
  scheduleReduction(sum, row);
  scheduleValue(inverse, row, machine);
  return kernel;
}

} // namespace vitc::halide
