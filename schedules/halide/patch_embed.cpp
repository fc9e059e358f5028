// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// patch_embed: the patches of an image times the packed weights, plus bias and
/// position. A GEMM whose left operand is gathered from the image, since
/// patches that do not overlap need no copy of it.
#include "gpu/product.h"
#include "kernel.h"
#include "prefetch.h"
#include "tile.h"

using namespace Halide;

namespace vitc::halide {

Kernel buildPatchEmbed(const families::PatchEmbedShape &spec,
                       Schedule &schedule, const Machine &machine) {
  const int batch = spec.batch, channels = spec.channels, height = spec.height,
            width = spec.width, patchH = spec.patchH, patchW = spec.patchW;
  const int panel = spec.panel, panels = spec.columns() / panel;
  const bool hasBias = spec.bias, hasPosition = spec.position;
  const int ldc = spec.ldc, ldp = spec.ldp, batchStride = spec.batchStride;
  const int gridW = spec.gridW(), patches = spec.patches(),
            depth = spec.depth(), imageFloats = channels * height * width;

  // ---- Algorithm. The image is one run of floats; `base` is where a patch
  // starts in it.
  Kernel kernel;
  ImageParam image = kernel.input("image", {{int64_t(batch) * imageFloats, 1}},
                                  floatAlignment);
  ImageParam w = kernel.input("w",
                              {{panel, 1},
                               {patchW, panel},
                               {patchH, int64_t(panel) * patchW},
                               {channels, int64_t(panel) * patchW * patchH},
                               {panels, int64_t(panel) * depth}},
                              lineAlignment, storedType(spec.weights));
  if (spec.weights != families::WeightFormat::F32 && machine.gpu())
    fail(&families::PatchEmbedShape::weights,
         machine.name + " takes float32 weights");
  Var n("n"), p("p"), np("np"), b("b");
  Func base("base"), out("out");
  // The last tile may ask for patches beyond the last one.
  Expr patch = min(p, patches - 1);
  base(p) = (patch % gridW) * patchW + (patch / gridW) * (patchH * width);
  int lastBase =
      (gridW - 1) * patchW + (height / patchH - 1) * (patchH * width);
  auto pixel = [&](Expr start, Expr x, Expr y, Expr channel) {
    return image(
        unsafe_promise_clamped(start, 0, lastBase) +
        (b * imageFloats + channel * (height * width) + y * width + x));
  };
  auto define = [&](Expr value) {
    if (spec.weights == families::WeightFormat::I8)
      value = strict_float(
          value * kernel.input("scales", {{panel, 1}, {panels, panel}})(n, np));
    if (hasBias) // last, as gemm's
      value = strict_float(
          value + kernel.input("bias", {{panel, 1}, {panels, panel}})(n, np));
    if (hasPosition)
      value += kernel.input(
          "position", {{panel, 1}, {patches, ldp}, {panels, panel}})(n, p, np);
    out(n, p, np, b) = value;
    kernel.output(
        out, "out",
        {{panel, 1}, {patches, ldc}, {panels, panel}, {batch, batchStride}});
  };
  if (machine.gpu()) {
    auto split = [&](Expr k) {
      return std::vector<Expr>{k % patchW, k / patchW % patchH,
                               k / (patchW * patchH)};
    };
    GpuProductShape sizes = {patches, panel, panels, batch, depth};
    GpuProduct product = defineProduct(
        sizes, readGpuTile(schedule, sizes), {n, p, np, b},
        [&](Expr k, Expr row) {
          std::vector<Expr> at = split(k);
          return pixel(base(row), at[0], at[1], at[2]);
        },
        [&](Expr column, Expr k) {
          std::vector<Expr> at = split(k);
          return w(column, at[0], at[1], at[2], np);
        });
    define(product.sum(n, p, np, b));
    scheduleProduct(out, product, sizes, /*vectorLeft=*/patchW % 4 == 0,
                    machine);
    return kernel;
  }
  Tile tile = readTile(schedule, machine, patches, panel, patchW, Chains::None);
  RDom k(0, patchW, 0, patchH, 0, channels, "k");
  Func product("product");
  product(n, p, np, b) = 0.0f;
  product(n, p, np, b) =
      multiplyAdd(product(n, p, np, b), pixel(base(p), k.x, k.y, k.z),
                  widened(w(n, k.x, k.y, k.z, np), spec.weights), tile.lanes);
  define(product(n, p, np, b));

  // ---- Schedule. As gemm's; the start of each of a tile's patches is found
  // once per tile and kept in a register, so the inner loop over a patch's row
  // addresses them like rows of a matrix.
  PanelLoops loops = {patches, panel, panels, batch, /*depth=*/double(depth)};
  TileLoops tiles = schedulePanels(out, loops, tile, schedule);
  scheduleTile(product, n, {p}, k.x, /*outerK=*/{k.y, k.z}, tile, machine,
               tiles.rowTile);
  base.compute_at(tiles.rowTile).store_in(MemoryType::Register).unroll(p);
  if (int lines = readPrefetch(
          schedule, panels > 1 ? defaultPrefetch(tile, tiles.rowTiles) : 0))
    kernel.prefetches.emplace_back(
        spreadPrefetch({w.name(), depth, panel, tile.columns, lines,
                        tiles.columnTile, tiles.nextColumnTile, w.type()}));
  return kernel;
}

} // namespace vitc::halide
