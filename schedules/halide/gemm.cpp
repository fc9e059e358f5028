/// gemm: out[m][n] = activation(sum_k a[m][k] w[n][k] + bias[n]) +
/// residual[m][n], the weights packed in panels.
#include "kernel.h"
#include "math.h"
#include "prefetch.h"
#include "tile.h"

using namespace Halide;

namespace vitc::halide {

/// Prefetches per step of k that get the next column tile into the cache in
/// time: the tile's cache lines over the steps of all row tiles. With cold
/// weights, AVX2 on Zen 3 gains 3 to 4% at 197 rows (1 prefetch), 10% at 50
/// rows (1) and nothing at 1576, where the weights are visited long enough;
/// AVX-512 on a Xeon 12% at 197 rows (1). More than 4 would be the burst that
/// it is meant to avoid.
static int defaultPrefetch(const Tile &tile, int rowTiles, int panels) {
  constexpr int lineFloats = 16, most = 4;
  int linesPerK = (tile.columns + lineFloats - 1) / lineFloats;
  int steps = rowTiles, lines = linesPerK * tile.unrollK * tile.chains;
  return rowTiles > 1 && panels > 1
             ? std::min(most, (lines + steps - 1) / steps)
             : 0;
}

Kernel buildGemm(Fields &spec, Schedule &schedule, const Machine &machine) {
  int rows = spec.integer("m", 1), cols = spec.integer("n", 1),
      depth = spec.integer("k", 1);
  int panel = spec.integer("panel", 1);
  int panels = (cols + panel - 1) / panel;
  int lda = rowStride(spec, "lda", depth);
  int ldc = rowStride(spec, "ldc", panels * panel);
  bool hasBias = spec.flag("bias"), hasResidual = spec.flag("residual");
  int ldr = hasResidual ? rowStride(spec, "ldr", panels * panel) : 0;
  std::string function = spec.wordOf("activation", activationNames());

  Tile tile = readTile(schedule, machine, rows, panel, depth,
                       /*mayChain=*/true);

  // ---- Algorithm. A column is (np, n), number n of panel np, so that no index
  // needs a division. A sum over k is `chains` sums over every chains-th k; but
  // for products of very few rows there is one.
  Kernel kernel;
  ImageParam a = kernel.input("a", {{depth, 1}, {rows, lda}});
  ImageParam w = kernel.input(
      "w", {{panel, 1}, {depth, panel}, {panels, int64_t(panel) * depth}});
  Var n("n"), m("m"), np("np"), c("c");
  RDom k(0, depth / tile.chains, "k");
  Func product("product"), out("out");
  Expr start = 0.0f;
  if (hasBias)
    start = kernel.input("bias", {{panel, 1}, {panels, panel}})(n, np);
  product(n, m, np, c) = select(c == 0, start, 0.0f);
  Expr kc = k * tile.chains + c;
  product(n, m, np, c) =
      multiplyAdd(product(n, m, np, c), a(kc, m), w(n, kc, np), tile.lanes);
  Expr sum = product(n, m, np, 0);
  for (int chain = 1; chain < tile.chains; ++chain)
    sum += product(n, m, np, chain);
  Expr value = activation(function, sum);
  if (hasResidual)
    value += kernel.input("residual",
                          {{panel, 1}, {rows, ldr}, {panels, panel}})(n, m, np);
  out(n, m, np) = value;
  kernel.output(out, "out", {{panel, 1}, {rows, ldc}, {panels, panel}});

  // ---- Schedule. The residual may be the output itself: each element is read
  // and written once, by the same tile.
  PanelLoops loops = {rows, panel, panels, /*batch=*/1,
                      /*depth=*/double(depth)};
  TileLoops tiles = schedulePanels(out, loops, tile, schedule);
  scheduleTile(product, n, {m, c}, k, /*outerK=*/{}, tile, tiles.rowTile);
  if (int lines = schedule.get(
          "prefetch", defaultPrefetch(tile, tiles.rowTiles, panels), 0, 16))
    kernel.pass.reset(
        spreadPrefetch({w.name(), depth, panel, tile.columns, lines,
                        tiles.columnTile, tiles.nextColumnTile}));
  return kernel;
}

} // namespace vitc::halide
