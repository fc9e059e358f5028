// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// pool: the mean, the maximum, or half the sum of both, over the rows of an
/// image; the pooling of models without a class token.
#include "gpu/elements.h"
#include "kernel.h"
#include "math.h"

using namespace Halide;

namespace vitc::halide {

Kernel buildPool(const families::PoolShape &spec, Schedule &schedule,
                 const Machine &machine) {
  using families::PoolKind;
  const PoolKind kind = spec.kind;
  const int batch = spec.batch, rows = spec.rows, cols = spec.cols,
            ldx = spec.ldx, ldy = spec.ldy, batchStride = spec.batchStride;
  int width = std::min(paddedColumns(cols, ldx), paddedColumns(cols, ldy));
  bool both = kind == PoolKind::MeanMax;

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
  out(c, b) = both                    ? 0.5f * (mean + most(c, b))
              : kind == PoolKind::Max ? Expr(most(c, b))
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
  if (kind != PoolKind::Max)
    gather(sum);
  if (kind != PoolKind::Mean)
    gather(most);
  return kernel;
}

} // namespace vitc::halide
