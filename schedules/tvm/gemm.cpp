/// gemm: out[m][n] = activation(sum_k a[m][k] w[n][k] + bias[n]) +
/// residual[m][n], the weights packed in panels.
#include "math.h"
#include "tile.h"

namespace vitc::tvm_backend {

Kernel buildGemm(Fields &spec, Schedule &schedule, const Machine &machine) {
  const int rows = spec.integer("m", 1), cols = spec.integer("n", 1),
            depth = spec.integer("k", 1), panel = spec.integer("panel", 1);
  const int panels = (cols + panel - 1) / panel, width = panels * panel;
  const int lda = rowStride(spec, "lda", depth),
            ldc = rowStride(spec, "ldc", width);
  const bool bias = spec.flag("bias"), residual = spec.flag("residual");
  const int ldr = residual ? rowStride(spec, "ldr", width) : 0;
  const std::string function = spec.wordOf("activation", activationNames());
  if (spec.flagOr("fast", false))
    spec.fail("fast", "vitc-tvm has no fast products");

  checkSize("a", {{rows, lda}, {depth, 1}});
  checkSize("out", {{rows, ldc}, {width, 1}});

  PanelProduct product;
  product.loops = {rows, panel, panels, /*batch=*/1, /*depth=*/double(depth)};
  product.tile =
      readTile(schedule, machine, rows, panel, depth, /*mayChain=*/true);
  product.tasks = readPanelTasks(schedule, product.loops, product.tile);
  const int rowTiles =
      (product.tasks.rows + product.tile.rows - 1) / product.tile.rows;
  product.prefetch = readPrefetch(
      schedule, panels > 1 ? defaultPrefetch(product.tile, rowTiles) : 0);
  product.sums = {depth};
  product.ldc = ldc;
  product.batchStride = 0;
  product.left = [=](Part &part, RowRange range) {
    Tensor a = part.input("a", {{range.count, lda}, {depth, 1}},
                          int64_t(range.first) * lda);
    return [a](const Expr &, const Expr &row, const Place &k) {
      return a.at({row, k[0]});
    };
  };
  const int tileColumns = product.tile.columns,
            columnTiles = product.tasks.columnTiles;
  product.finish = [=](Part &part, RowRange range) {
    Tensor start, added;
    if (bias)
      start =
          part.input("bias", {{columnTiles, tileColumns}, {tileColumns, 1}});
    if (residual)
      added = part.input(
          "residual",
          {{columnTiles, tileColumns}, {range.count, ldr}, {tileColumns, 1}},
          int64_t(range.first) * ldr);
    return [=](const Expr &sum, const Element &at) {
      Expr value = sum;
      if (bias)
        value = value + start.at({at.tile, at.column});
      value = activation(function, value);
      if (residual)
        value = value + added.at({at.tile, at.row, at.column});
      return value;
    };
  };

  Kernel kernel;
  kernel.input("a");
  kernel.input("w");
  if (bias)
    kernel.input("bias");
  if (residual)
    kernel.input("residual");
  kernel.output("out");
  // The residual may be the output itself: each element is read and written
  // once, by the same tile.
  kernel.mayAlias = residual;
  kernel.define = [=](Kernel &kernel) { addPanelProduct(kernel, product); };
  return kernel;
}

} // namespace vitc::tvm_backend
