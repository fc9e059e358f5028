// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// gemm: out[m][n] = activation(sum_k a[m][k] w[n][k] + bias[n]) +
/// residual[m][n], the weights packed in panels.
#include "gemm.h"

#include "math.h"
#include "tile.h"

namespace vitc::tvm_backend {

/// The product as tiles of registers, for a CPU.
static PanelProduct tiledGemm(const GemmShape &shape, Schedule &schedule,
                              const Machine &machine) {
  const int panels = shape.width() / shape.panel;
  PanelProduct product;
  product.loops = {shape.m, shape.panel, panels, /*batch=*/1,
                   /*depth=*/double(shape.k)};
  product.tile =
      readTile(schedule, machine, shape.m, shape.panel, shape.k,
               shape.rowInvariant ? Chains::OneRow : Chains::FewRows);
  product.tasks = readPanelTasks(schedule, product.loops, product.tile);
  const int rowTiles =
      (product.tasks.rows + product.tile.rows - 1) / product.tile.rows;
  product.prefetch = readPrefetch(
      schedule, panels > 1 ? defaultPrefetch(product.tile, rowTiles) : 0);
  product.sums = {shape.k};
  product.ldc = shape.ldc;
  product.batchStride = 0;
  product.left = [shape](Part &part, RowRange range) {
    Tensor a = part.input("a", {{range.count, shape.lda}, {shape.k, 1}},
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

Kernel buildGemm(const families::GemmShape &shape, Schedule &schedule,
                 const Machine &machine) {
  if (shape.strassen)
    fail(&GemmShape::strassen, "vitc-tvm has no Strassen products");
  if (shape.weights != families::WeightFormat::F32)
    fail(&GemmShape::weights, "vitc-tvm takes float32 weights");
  const bool tensorCores = shape.multiply == families::FactorType::F16;
  if (tensorCores && machine.api != Api::Cuda)
    fail(&GemmShape::multiply, machine.name + " has no tensor cores");
  if (!tensorCores && machine.api == Api::Cuda)
    fail(&GemmShape::multiply,
         "vitc-tvm has no other products for " + machine.name);
  if (tensorCores && shape.panel != tensorCorePanel)
    fail(&GemmShape::panel, std::to_string(shape.panel) + " is not " +
                                std::to_string(tensorCorePanel) +
                                ", which tensor cores take");

  Kernel kernel;
  kernel.input("a");
  kernel.input("w");
  if (shape.bias)
    kernel.input("bias");
  // A plain product leaves the arguments of a Winograd product alone.
  if (shape.winograd)
    kernel.input("winograd_sums");
  if (shape.residual)
    kernel.input("residual");
  if (shape.winograd)
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
