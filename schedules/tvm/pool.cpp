// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// pool: the mean, the maximum, or half the sum of both, over the rows of an
/// image; the pooling of models without a class token.
#include "kernel.h"

namespace vitc::tvm_backend {

Kernel buildPool(const families::PoolShape &spec, Schedule &schedule,
                 const Machine &machine) {
  using families::PoolKind;
  const PoolKind kind = spec.kind;
  const int batch = spec.batch, rows = spec.rows, cols = spec.cols,
            ldx = spec.ldx, ldy = spec.ldy, batchStride = spec.batchStride;
  const int width =
      std::min(paddedColumns(cols, ldx), paddedColumns(cols, ldy));
  const int lanes = machine.lanesFor(width),
            block = lanes * divisorUpTo(width / lanes, 8),
            blocks = width / block;
  const bool parallel = schedule.parallel(
      worthParallel(4.0 * block * rows, double(blocks) * batch));

  Kernel kernel;
  kernel.input("x");
  kernel.output("out");
  kernel.define = [=](Kernel &kernel) {
    // ---- Algorithm
    Part part;
    Tensor x = part.input(
        "x", {{batch, batchStride}, {rows, ldx}, {blocks, block}, {block, 1}});
    auto gather = [&](const char *name, Combine combine) {
      return reduce(name, combine, {batch, blocks, block}, {rows},
                    [&](const Place &at, const Place &k) {
                      return x.at({at[0], k[0], at[1], at[2]});
                    });
    };
    std::vector<Tensor> gathered;
    if (kind != PoolKind::Max)
      gathered.push_back(gather("sum", Combine::Sum));
    if (kind != PoolKind::Mean)
      gathered.push_back(gather("most", Combine::Max));
    Tensor out =
        compute("result", {batch, blocks, block}, [&](const Place &at) {
          if (kind == PoolKind::Max)
            return gathered[0].at(at);
          Expr mean = gathered[0].at(at) * Expr(1.0 / rows);
          return kind == PoolKind::Mean
                     ? mean
                     : Expr(0.5f) * (mean + gathered[1].at(at));
        });
    part.output(out, "out", {{batch, ldy}, {blocks, block}, {block, 1}});

    // ---- Schedule. A block of columns is gathered in registers; each row
    // gives it one run of whole cache lines.
    Loops &loops = part.schedule();
    std::vector<Loop> all = loops.around(out);
    Loop task = loops.fuse({all[0], all[1]});
    loops.tasks(task);
    loops.vectorize(loops.split(all[2], {0, lanes})[1]);
    for (const Tensor &tensor : gathered) {
      loops.computeAt(tensor, task);
      loops.keepLocal(tensor);
      std::vector<Loop> inner = loops.around(tensor);
      Loop row = inner.back();
      std::vector<Loop> vectors =
          loops.split(inner[inner.size() - 2], {0, lanes});
      loops.reorder({row, vectors[0], vectors[1]});
      loops.vectorize(vectors[1]);
      loops.unroll(vectors[0]);
      loops.decompose(tensor, row);
    }
    kernel.stage(batch * blocks, parallel, std::move(part));
  };
  return kernel;
}

} // namespace vitc::tvm_backend
