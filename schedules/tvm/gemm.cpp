// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// gemm: out[m][n] = activation(sum_k a[m][k] w[n][k] + bias[n]) +
/// residual[m][n], the weights packed in panels.
#include "gemm.h"

#include "math.h"
#include "tile.h"

namespace vitc::tvm_backend {

static GemmShape readShape(Fields &spec) {
  GemmShape shape;
  shape.rows = spec.integer("m", 1);
  const int columns = spec.integer("n", 1);
  shape.depth = spec.integer("k", 1);
  shape.panel = spec.integer("panel", 1);
  shape.panels = (columns + shape.panel - 1) / shape.panel;
  shape.lda = rowStride(spec, "lda", shape.depth);
  shape.ldc = rowStride(spec, "ldc", shape.width());
  shape.bias = spec.flag("bias");
  shape.residual = spec.flag("residual");
  shape.ldr = shape.residual ? rowStride(spec, "ldr", shape.width()) : 0;
  shape.activation = spec.wordOf("activation", activationNames());
  if (spec.flagOr("fast", false))
    spec.fail("fast", "vitc-tvm has no fast products");
  shape.pairs = spec.flagOr("pairs", false);
  if (shape.pairs)
    rowStride(spec, "lds", shape.depth + lineFloats);
  const bool loneRows = spec.flagOr("lone_rows", false);
  if (loneRows && shape.pairs)
    spec.fail("lone_rows", "fast and paired products take rows together");
  shape.chains = loneRows ? Chains::OneRow : Chains::FewRows;
  checkSize("a", {{shape.rows, shape.lda}, {shape.depth, 1}});
  checkSize("w", {{shape.panels, int64_t(shape.depth) * shape.panel},
                  {shape.depth, shape.panel},
                  {shape.panel, 1}});
  checkSize("out", {{shape.rows, shape.ldc}, {shape.width(), 1}});
  return shape;
}

/// The product as tiles of registers, for a CPU.
static PanelProduct tiledGemm(const GemmShape &shape, Schedule &schedule,
                              const Machine &machine) {
  PanelProduct product;
  product.loops = {shape.rows, shape.panel, shape.panels, /*batch=*/1,
                   /*depth=*/double(shape.depth)};
  product.tile = readTile(schedule, machine, shape.rows, shape.panel,
                          shape.depth, shape.chains);
  product.tasks = readPanelTasks(schedule, product.loops, product.tile);
  const int rowTiles =
      (product.tasks.rows + product.tile.rows - 1) / product.tile.rows;
  product.prefetch = readPrefetch(
      schedule, shape.panels > 1 ? defaultPrefetch(product.tile, rowTiles) : 0);
  product.sums = {shape.depth};
  product.ldc = shape.ldc;
  product.batchStride = 0;
  product.left = [shape](Part &part, RowRange range) {
    Tensor a = part.input("a", {{range.count, shape.lda}, {shape.depth, 1}},
                          int64_t(range.first) * shape.lda);
    return [a](const Expr &, const Expr &row, const Place &k) {
      return a.at({row, k[0]});
    };
  };
  const int tileColumns = product.tile.columns,
            columnTiles = product.tasks.columnTiles;
  product.finish = [=](Part &part, RowRange range) {
    Tensor start, added;
    if (shape.bias)
      start =
          part.input("bias", {{columnTiles, tileColumns}, {tileColumns, 1}});
    if (shape.residual)
      added = part.input("residual",
                         {{columnTiles, tileColumns},
                          {range.count, shape.ldr},
                          {tileColumns, 1}},
                         int64_t(range.first) * shape.ldr);
    return [=](const Expr &sum, const Element &at) {
      Expr value = sum;
      if (shape.bias)
        value = value + start.at({at.tile, at.column});
      value = activation(shape.activation, value);
      if (shape.residual)
        value = value + added.at({at.tile, at.row, at.column});
      return value;
    };
  };
  return product;
}

Kernel buildGemm(Fields &spec, Schedule &schedule, const Machine &machine) {
  const GemmShape shape = readShape(spec);
  const bool tensorCores = spec.flagOr("tensor_cores", false);
  if (tensorCores && shape.chains == Chains::OneRow)
    spec.fail("lone_rows", "tensor cores take rows together");
  if (tensorCores && machine.api != Api::Cuda)
    spec.fail("tensor_cores", machine.name + " has none");
  if (!tensorCores && machine.api == Api::Cuda)
    spec.fail("tensor_cores",
              "vitc-tvm has no other products for " + machine.name);
  if (tensorCores && shape.panel != tensorCorePanel)
    spec.fail("panel", std::to_string(shape.panel) + " is not " +
                           std::to_string(tensorCorePanel) +
                           ", which tensor cores take");

  Kernel kernel;
  kernel.input("a");
  kernel.input("w");
  if (shape.bias)
    kernel.input("bias");
  // A plain product leaves the arguments of a paired one alone.
  if (shape.pairs)
    kernel.input("pairs");
  if (shape.residual)
    kernel.input("residual");
  if (shape.pairs)
    kernel.output("scratch");
  kernel.output("out");
  // The residual may be the output itself: each element is read and written
  // once, by the same tile.
  kernel.mayAlias = shape.residual;
  if (tensorCores)
    kernel.define = [shape](Kernel &kernel) {
      kernel.device = tensorCoreGemm(shape);
    };
  else
    kernel.define = [product = tiledGemm(shape, schedule, machine)](
                        Kernel &kernel) { addPanelProduct(kernel, product); };
  return kernel;
}

} // namespace vitc::tvm_backend
