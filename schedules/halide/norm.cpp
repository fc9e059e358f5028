/// norm: out[r][c] = (x[r][c] - mean_r) / sqrt(var_r + eps) * gain[c] +
/// bias[c].
#include "kernel.h"
#include "rows.h"

using namespace Halide;

namespace vitc::halide {

Kernel buildNorm(Fields &spec, Schedule &schedule, const Machine &machine) {
  int rows = spec.integer("rows", 1), cols = spec.integer("cols", 1);
  int ldx = rowStride(spec, "ldx", cols), ldy = rowStride(spec, "ldy", cols);
  double eps = spec.number("eps");
  if (!(eps >= 0))
    spec.fail("eps", "is negative");
  bool affine = spec.flag("affine");
  int readable = paddedColumns(cols, ldx),
      written = std::min(readable, paddedColumns(cols, ldy));

  // ---- Algorithm. A float mean of values around 1000 is wrong by 3e-5, which
  // a standard deviation of 1 would show. So the mean is only a shift s: with d
  // = x - s, exact or nearly so, mean(d) is what s lacks, and the variance is
  // mean(d^2) - mean(d)^2, where nothing cancels since mean(d) is tiny. Two
  // passes, as for the plain formula.
  Kernel kernel;
  ImageParam x = kernel.input("x", {{readable, 1}, {rows, ldx}});
  Var c("c"), r("r");
  const float perElement = float(1.0 / cols);
  RowReduction sum =
      reduceRow("sum", Combine::Sum, cols, readable, {r}, machine,
                [&](Expr column) { return x(column, r); });
  Func shift("shift"), rest("rest"), inverse("inverse"), out("out");
  shift(r) = sum.total(r) * perElement;
  // Strict: x - shift - rest must not become x - (shift + rest).
  auto deviation = [&](Expr column) {
    return strict_float(x(column, r) - shift(r));
  };
  RowReduction sum1 =
      reduceRow("sum1", Combine::Sum, cols, readable, {r}, machine, deviation);
  RowReduction sum2 = reduceRow("sum2", Combine::Sum, cols, readable, {r},
                                machine, [&](Expr column) {
                                  Expr d = deviation(column);
                                  return d * d;
                                });
  rest(r) = sum1.total(r) * perElement;
  Expr variance = max(sum2.total(r) * perElement - rest(r) * rest(r), 0.0f);
  inverse(r) = 1.0f / sqrt(variance + float(eps));
  Expr value = strict_float(deviation(c) - rest(r)) * inverse(r);
  if (affine) {
    ImageParam gain = kernel.input("gain", {{roundUp(cols, paddingFloats), 1}});
    ImageParam bias = kernel.input("bias", {{roundUp(cols, paddingFloats), 1}});
    value = value * gain(c) + bias(c);
  }
  out(c, r) = value;
  kernel.output(out, "out", {{written, 1}, {rows, ldy}});

  // ---- Schedule. A row of some KB stays in the first-level cache through its
  // three visits.
  LoopLevel row = scheduleRows(out, written, rows, /*flopsPerElement=*/8,
                               schedule, machine);
  for (RowReduction *reduction : {&sum, &sum1, &sum2})
    scheduleReduction(*reduction, row);
  for (Func *func : {&shift, &rest, &inverse})
    func->compute_at(row).store_in(MemoryType::Register);
  return kernel;
}

} // namespace vitc::halide
