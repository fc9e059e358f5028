// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// pool: the mean, the maximum, or half the sum of both, over the rows of an
/// image; the pooling of models without a class token.
#include "gpu/elements.h"
#include "kernel.h"
#include "math.h"

using namespace Halide;

namespace vitc::halide {

Kernel buildPool(Fields &spec, Schedule &schedule, const Machine &machine) {
  std::string kind = spec.wordOf("kind", {"mean", "max", "mean_max"});
  int batch = spec.integer("batch", 1), rows = spec.integer("rows", 1),
      cols = spec.integer("cols", 1);
  int ldx = rowStride(spec, "ldx", cols), ldy = rowStride(spec, "ldy", cols);
  int batchStride = spec.integer("batch_stride", 0);
  int width = std::min(paddedColumns(cols, ldx), paddedColumns(cols, ldy));
  bool both = kind == "mean_max";

  // ---- Algorithm
  Kernel kernel;
  ImageParam x =
      kernel.input("x", {{width, 1}, {rows, ldx}, {batch, batchStride}});
  Var c("c"), b("b");
  RDom r(0, rows, "r");
  Func sum("sum"), most("most"), out("out");
  sum(c, b) = 0.0f;
  sum(c, b) += x(c, r, b);
  most(c, b) = Float(32).min();
  most(c, b) = greaterOf(x(c, r, b), most(c, b));
  Expr mean = sum(c, b) * float(1.0 / rows);
  out(c, b) = both            ? 0.5f * (mean + most(c, b))
              : kind == "max" ? Expr(most(c, b))
                              : mean;
  kernel.output(out, "out", {{width, 1}, {batch, ldy}});

  if (machine.gpu()) {
    LoopLevel thread = scheduleElements(out, readThreads(schedule));
    scheduleInThread(sum, thread);
    scheduleInThread(most, thread);
    return kernel;
  }

  // ---- Schedule. A block of columns is gathered in registers; each row gives
  // it one run of whole cache lines.
  int lanes = machine.lanesFor(width);
  int block = lanes * divisorUpTo(width / lanes, 8);
  Var co("co"), ci("ci"), task("task");
  out.split(c, co, ci, block).vectorize(ci, lanes).unroll(ci).fuse(co, b, task);
  if (schedule.parallel(
          worthParallel(4.0 * block * rows, double(width) / block * batch)))
    out.parallel(task);
  auto gather = [&](Func func) {
    func.compute_at(out, task)
        .store_in(MemoryType::Register)
        .bound_extent(c, block)
        .vectorize(c, lanes)
        .unroll(c);
    func.update().reorder(c, r).vectorize(c, lanes).unroll(c);
  };
  if (kind != "max")
    gather(sum);
  if (kind != "mean")
    gather(most);
  return kernel;
}

} // namespace vitc::halide
