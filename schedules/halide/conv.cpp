// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// conv: out[(b,oy,ox)][n] = activation(sum over a window of x[b][y][x][c]
/// w[n][...] + bias[n]) + residual[(b,oy,ox)][n], the weights packed in panels.
#include "gpu/elements.h"
#include "gpu/product.h"
#include "kernel.h"
#include "math.h"
#include "prefetch.h"
#include "tile.h"
#include "window.h"

using namespace Halide;

namespace vitc::halide {

namespace {
/// A sum over a window as three nested loops, innermost first.
struct Depth {
  int extents[3];
  int64_t strides[3]; ///< in the map; the weights are dense
};
} // namespace

/// The order of k in the weights, with loops joined that run on in memory.
static Depth depthOf(const Windows &windows, bool planes,
                     const WindowSource &source) {
  const Windows &w = windows;
  if (planes)
    return {{w.kernelW, w.kernelH, w.channels}, {1, source.row, source.plane}};
  if (source.pixel == w.channels)
    return {{w.kernelW * w.channels, w.kernelH, 1}, {1, source.row, 0}};
  return {{w.channels, w.kernelW, w.kernelH}, {1, source.pixel, source.row}};
}

Kernel buildConv(const families::ConvShape &spec, Schedule &schedule,
                 const Machine &machine) {
  const Windows windows(spec);
  const bool planes = spec.layout == families::ConvLayout::Nchw,
             hasBias = spec.bias, hasResidual = spec.residual;
  const int ldx = spec.ldx, ldc = spec.ldc, ldr = spec.ldr, panel = spec.panel,
            panels = spec.columns() / panel, rows = windows.outputs;
  const families::Activation function = spec.activation;

  // ---- Algorithm. The map is one run of floats; `base` is where an output's
  // window starts in it. A copied map has no padding between its pixels, so
  // that a window's row is one run.
  Kernel kernel;
  WindowSource source =
      readMap(kernel, windows, planes, ldx, /*pixelFloats=*/windows.channels);
  const Depth depth = depthOf(windows, planes, source);
  const int *extents = depth.extents;
  int length = extents[0] * extents[1] * extents[2];
  ImageParam w =
      kernel.input("w", {{panel, 1},
                         {extents[0], panel},
                         {extents[1], int64_t(panel) * extents[0]},
                         {extents[2], int64_t(panel) * extents[0] * extents[1]},
                         {panels, int64_t(panel) * length}});
  Var n("n"), m("m"), np("np");
  Func base("base"), out("out");
  // The last tile may ask for pixels beyond the last one.
  Expr pixel = min(m, rows - 1);
  Expr image = pixel / (windows.outH * windows.outW);
  Expr y = pixel / windows.outW % windows.outH, x = pixel % windows.outW;
  int64_t stepY = windows.strideH * source.row,
          stepX = windows.strideW * source.pixel;
  base(m) = image * int(source.image) + y * int(stepY) + x * int(stepX);
  int64_t lastBase = (windows.batch - 1) * source.image +
                     (windows.outH - 1) * stepY + (windows.outW - 1) * stepX;
  auto element = [&](Expr start, Expr x, Expr y, Expr z) {
    return source.map(unsafe_promise_clamped(start, 0, int(lastBase)) + x +
                      y * int(depth.strides[1]) + z * int(depth.strides[2]));
  };
  Expr bias = 0.0f;
  if (hasBias)
    bias = kernel.input("bias", {{panel, 1}, {panels, panel}})(n, np);
  // Last, as gemm's, but for the short sums of a stem: they lose nothing to
  // the bias, and their unrolled windows leave ARM no registers for it.
  constexpr int shortSum = 64;
  bool biasFirst = length < shortSum && !machine.gpu();
  auto define = [&](Expr sum) {
    if (hasBias && !biasFirst)
      sum = strict_float(sum + bias);
    Expr value = activation(function, sum);
    if (hasResidual)
      value += kernel.input(
          "residual", {{panel, 1}, {rows, ldr}, {panels, panel}})(n, m, np);
    out(n, m, np) = value;
    kernel.output(out, "out", {{panel, 1}, {rows, ldc}, {panels, panel}});
  };
  if (machine.gpu()) {
    auto split = [&](Expr k) {
      return std::vector<Expr>{k % extents[0], k / extents[0] % extents[1],
                               k / (extents[0] * extents[1])};
    };
    GpuProductShape sizes = {rows, panel, panels, /*batch=*/1, length};
    GpuProduct product = defineProduct(
        sizes, readGpuTile(schedule, sizes), {n, m, np},
        [&](Expr k, Expr row) {
          std::vector<Expr> at = split(k);
          return element(base(row), at[0], at[1], at[2]);
        },
        [&](Expr column, Expr k) {
          std::vector<Expr> at = split(k);
          return w(column, at[0], at[1], at[2], np);
        });
    define(product.sum(n, m, np));
    scheduleProduct(out, product, sizes, /*vectorLeft=*/false, machine);
    scheduleMapOnGpu(source, readThreads(schedule));
    return kernel;
  }
  Tile tile =
      readTile(schedule, machine, rows, panel, extents[0], Chains::None);
  RDom k(0, extents[0], 0, extents[1], 0, extents[2], "k");
  Func product("product");
  product(n, m, np) = biasFirst ? bias : Expr(0.0f);
  product(n, m, np) =
      multiplyAdd(product(n, m, np), element(base(m), k.x, k.y, k.z),
                  w(n, k.x, k.y, k.z, np), tile.lanes);
  define(product(n, m, np));

  // ---- Schedule. As gemm's: the rows are the outputs' pixels, and a tile runs
  // on from one line of the image to the next.
  PanelLoops loops = {rows, panel, panels, /*batch=*/1,
                      /*depth=*/double(length)};
  TileLoops tiles = schedulePanels(out, loops, tile, schedule);
  scheduleTile(product, n, {m}, k.x, /*outerK=*/{k.y, k.z}, tile, machine,
               tiles.rowTile);
  base.compute_at(tiles.rowTile).store_in(MemoryType::Register).unroll(m);
  scheduleMap(source, planes, windows.channels,
              schedule.values().at("parallel") == 1, machine);
  // Lines of a narrow window share a branch. Sixteen steps would spill.
  constexpr int mostSteps = 9;
  if (tile.unrollK == extents[0] && 2 * extents[0] <= mostSteps)
    product.update().unroll(k.y,
                            divisorUpTo(extents[1], mostSteps / extents[0]));
  if (int lines = readPrefetch(
          schedule,
          panels > 1 && !planes ? defaultPrefetch(tile, tiles.rowTiles) : 0))
    kernel.prefetches.emplace_back(
        spreadPrefetch({w.name(), length, panel, tile.columns, lines,
                        tiles.columnTile, tiles.nextColumnTile}));
  return kernel;
}

} // namespace vitc::halide
