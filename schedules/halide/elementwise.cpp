/// activation, add and copy: one read, at most one function, one write.
#include "kernel.h"
#include "math.h"
#include "rows.h"

using namespace Halide;

namespace vitc::halide {

Kernel buildActivation(Fields &spec, Schedule &schedule,
                       const Machine &machine) {
  int rows = spec.integer("rows", 1), cols = spec.integer("cols", 1);
  int ldx = rowStride(spec, "ldx", cols), ldy = rowStride(spec, "ldy", cols);
  std::string function = spec.wordOf("function", activationNames());
  int width = std::min(paddedColumns(cols, ldx), paddedColumns(cols, ldy));

  // ---- Algorithm
  Kernel kernel;
  ImageParam x = kernel.input("x", {{width, 1}, {rows, ldx}});
  Var c("c"), r("r");
  Func out("out");
  out(c, r) = activation(function, x(c, r));
  kernel.output(out, "out", {{width, 1}, {rows, ldy}});

  // ---- Schedule
  scheduleRows(out, width, rows, activationFlops, schedule, machine);
  return kernel;
}

Kernel buildAdd(Fields &spec, Schedule &schedule, const Machine &machine) {
  int rows = spec.integer("rows", 1), cols = spec.integer("cols", 1);
  int lda = rowStride(spec, "lda", cols), ldb = rowStride(spec, "ldb", cols),
      ldc = rowStride(spec, "ldc", cols);
  int period = spec.integer("period", 1);
  int width = std::min({paddedColumns(cols, lda), paddedColumns(cols, ldb),
                        paddedColumns(cols, ldc)});

  // ---- Algorithm
  Kernel kernel;
  ImageParam a = kernel.input("a", {{width, 1}, {rows, lda}});
  ImageParam b = kernel.input("b", {{width, 1}, {std::min(period, rows), ldb}});
  Var c("c"), r("r");
  Func out("out");
  out(c, r) = a(c, r) + b(c, period >= rows ? Expr(r) : r % period);
  kernel.output(out, "out", {{width, 1}, {rows, ldc}});

  // ---- Schedule. Bound by memory: an element costs about as much as four
  // FLOPs.
  scheduleRows(out, width, rows, /*flopsPerElement=*/4, schedule, machine);
  return kernel;
}

Kernel buildCopy(Fields &spec, Schedule &schedule, const Machine &machine) {
  std::vector<int> shape = spec.integers("shape", 4, 1);
  std::vector<int> sourceStrides = spec.integers("src_strides", 4, 0);
  std::vector<int> targetStrides = spec.integers("dst_strides", 4, 0);

  // ---- Algorithm. Halide's innermost dimension comes first, the protocol's
  // last.
  Kernel kernel;
  std::vector<Dimension> source, target;
  for (int i = 3; i >= 0; --i) {
    source.push_back({shape[i], sourceStrides[i]});
    target.push_back({shape[i], targetStrides[i]});
    if (shape[i] > 1 && targetStrides[i] == 0)
      spec.fail("dst_strides", "0 would write an element more than once");
  }
  ImageParam x = kernel.input("x", source, floatAlignment);
  std::vector<Var> vars = {Var("l"), Var("k"), Var("j"), Var("i")};
  Func out("out");
  out(vars) = x(std::vector<Expr>(vars.begin(), vars.end()));
  kernel.output(out, "out", target, floatAlignment);

  // ---- Schedule. Vectors run along the dimension that is contiguous on both
  // sides, or else where it is written.
  int along = -1;
  for (int i = 3; i >= 0; --i)
    if (target[i].stride == 1 && target[i].extent > 1 &&
        (along < 0 || source[i].stride <= 1))
      along = i;
  if (along >= 0) {
    std::vector<VarOrRVar> order = {vars[along]};
    for (int i = 0; i < 4; ++i)
      if (i != along)
        order.push_back(vars[i]);
    out.reorder(order);
    if (target[along].extent >= machine.lanes)
      out.vectorize(vars[along], machine.lanes,
                    target[along].extent % machine.lanes == 0
                        ? TailStrategy::RoundUp
                        : TailStrategy::GuardWithIf);
  }
  int outermost = along == 3 ? 2 : 3;
  double flops = 4.0 * shape[0] * shape[1] * shape[2] * shape[3] /
                 target[outermost].extent;
  if (schedule.get("parallel",
                   worthParallel(flops, double(target[outermost].extent)), 0,
                   1))
    out.parallel(vars[outermost]);
  return kernel;
}

} // namespace vitc::halide
