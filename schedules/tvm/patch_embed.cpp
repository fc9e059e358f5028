// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// patch_embed: the patches of an image times the packed weights, plus bias and
/// position. A GEMM whose left operand is gathered from the image, since
/// patches that do not overlap need no copy of it.
#include "tile.h"

namespace vitc::tvm_backend {

Kernel buildPatchEmbed(const families::PatchEmbedShape &spec,
                       Schedule &schedule, const Machine &machine) {
  if (spec.weights != families::WeightFormat::F32)
    fail(&families::PatchEmbedShape::weights, "vitc-tvm takes float32 weights");
  const int batch = spec.batch, channels = spec.channels, height = spec.height,
            width = spec.width, patchH = spec.patchH, patchW = spec.patchW;
  const int panel = spec.panel, panels = spec.columns() / panel;
  const bool bias = spec.bias, position = spec.position;
  const int ldc = spec.ldc, ldp = spec.ldp;
  const int gridW = spec.gridW(), patches = spec.patches(),
            depth = spec.depth();
  const int64_t imageFloats = int64_t(channels) * height * width;

  PanelProduct product;
  product.loops = {patches, panel, panels, batch, /*depth=*/double(depth)};
  product.tile =
      readTile(schedule, machine, patches, panel, patchW, Chains::None);
  product.tasks = readPanelTasks(schedule, product.loops, product.tile);
  product.prefetch = 0;
  product.sums = {channels, patchH, patchW};
  product.ldc = ldc;
  product.batchStride = spec.batchStride;
  // A row is a patch; its place in the image is found once per tile.
  product.left = [=](Part &part, RowRange range) {
    Tensor image =
        part.input("image", {{batch, imageFloats}, {imageFloats, 1}});
    return [=](const Expr &number, const Expr &row, const Place &k) {
      Expr patch = row + Expr(range.first);
      Expr base = floorMod(patch, gridW) * Expr(patchW) +
                  floorDiv(patch, gridW) * Expr(patchH * width);
      return image.at({number, base + k[0] * Expr(height * width) +
                                   k[1] * Expr(width) + k[2]});
    };
  };
  const int tileColumns = product.tile.columns,
            columnTiles = product.tasks.columnTiles;
  product.finish = [=](Part &part, RowRange range) {
    Tensor start, places;
    if (bias)
      start =
          part.input("bias", {{columnTiles, tileColumns}, {tileColumns, 1}});
    if (position)
      places = part.input(
          "position",
          {{columnTiles, tileColumns}, {range.count, ldp}, {tileColumns, 1}},
          int64_t(range.first) * ldp);
    return [=](const Expr &sum, const Element &at) {
      Expr value = sum;
      if (bias)
        value = value + start.at({at.tile, at.column});
      if (position)
        value = value + places.at({at.tile, at.row, at.column});
      return value;
    };
  };

  Kernel kernel;
  kernel.input("image");
  kernel.input("w");
  if (bias)
    kernel.input("bias");
  if (position)
    kernel.input("position");
  kernel.output("out");
  kernel.define = [=](Kernel &kernel) { addPanelProduct(kernel, product); };
  return kernel;
}

} // namespace vitc::tvm_backend
