/// gemm: out[m][n] = activation(sum_k a[m][k] w[n][k] + bias[n]) +
/// residual[m][n], the weights packed in panels.
#include "fast_gemm.h"
#include "kernel.h"
#include "math.h"
#include "prefetch.h"
#include "tile.h"

using namespace Halide;

namespace vitc::halide {

static GemmShape readShape(Fields &spec) {
  GemmShape shape;
  shape.rows = spec.integer("m", 1);
  shape.cols = spec.integer("n", 1);
  shape.depth = spec.integer("k", 1);
  shape.panel = spec.integer("panel", 1);
  int width = roundUp(shape.cols, shape.panel);
  shape.lda = rowStride(spec, "lda", shape.depth);
  shape.ldc = rowStride(spec, "ldc", width);
  shape.bias = spec.flag("bias");
  shape.residual = spec.flag("residual");
  shape.ldr = shape.residual ? rowStride(spec, "ldr", width) : 0;
  shape.activation = spec.wordOf("activation", activationNames());
  return shape;
}

Kernel buildGemm(Fields &spec, Schedule &schedule, const Machine &machine) {
  const GemmShape shape = readShape(spec);
  if (spec.flagOr("fast", false))
    return buildFastGemm(shape, spec, schedule, machine);
  const int rows = shape.rows, depth = shape.depth, panel = shape.panel;
  const int panels = (shape.cols + panel - 1) / panel;
  Tile tile = readTile(schedule, machine, rows, panel, depth,
                       /*mayChain=*/true);

  // ---- Algorithm. A column is (np, n), number n of panel np, so that no index
  // needs a division. A sum over k is `chains` sums over every chains-th k; but
  // for products of very few rows there is one.
  Kernel kernel;
  ImageParam a = kernel.input("a", {{depth, 1}, {rows, shape.lda}});
  ImageParam w = kernel.input(
      "w", {{panel, 1}, {depth, panel}, {panels, int64_t(panel) * depth}});
  Var n("n"), m("m"), np("np"), c("c");
  RDom k(0, depth / tile.chains, "k");
  Func product("product"), out("out");
  Expr start = 0.0f;
  if (shape.bias)
    start = kernel.input("bias", {{panel, 1}, {panels, panel}})(n, np);
  product(n, m, np, c) = select(c == 0, start, 0.0f);
  Expr kc = k * tile.chains + c;
  product(n, m, np, c) =
      multiplyAdd(product(n, m, np, c), a(kc, m), w(n, kc, np), tile.lanes);
  Expr sum = product(n, m, np, 0);
  for (int chain = 1; chain < tile.chains; ++chain)
    sum += product(n, m, np, chain);
  Expr value = activation(shape.activation, sum);
  if (shape.residual)
    value += kernel.input(
        "residual", {{panel, 1}, {rows, shape.ldr}, {panels, panel}})(n, m, np);
  out(n, m, np) = value;
  kernel.output(out, "out", {{panel, 1}, {rows, shape.ldc}, {panels, panel}});

  // ---- Schedule. The residual may be the output itself: each element is read
  // and written once, by the same tile.
  PanelLoops loops = {rows, panel, panels, /*batch=*/1,
                      /*depth=*/double(depth)};
  TileLoops tiles = schedulePanels(out, loops, tile, schedule);
  scheduleTile(product, n, {m, c}, k, /*outerK=*/{}, tile, machine,
               tiles.rowTile);
  if (int lines = readPrefetch(
          schedule, panels > 1 ? defaultPrefetch(tile, tiles.rowTiles) : 0))
    kernel.pass.reset(
        spreadPrefetch({w.name(), depth, panel, tile.columns, lines,
                        tiles.columnTile, tiles.nextColumnTile}));
  return kernel;
}

} // namespace vitc::halide
