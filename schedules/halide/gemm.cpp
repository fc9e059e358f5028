/// gemm: out[m][n] = activation(sum_k a[m][k] w[n][k] + bias[n]) +
/// residual[m][n], the weights packed in panels.
#include "kernel.h"
#include "math.h"
#include "tile.h"

using namespace Halide;

namespace vitc::halide {

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

  // ---- Algorithm. A column is (np, n), number n of panel np, so that no index
  // needs a division.
  Kernel kernel;
  ImageParam a = kernel.input("a", {{depth, 1}, {rows, lda}});
  ImageParam w = kernel.input(
      "w", {{panel, 1}, {depth, panel}, {panels, int64_t(panel) * depth}});
  Var n("n"), m("m"), np("np");
  RDom k(0, depth, "k");
  Func product("product"), out("out");
  Expr start = 0.0f;
  if (hasBias)
    start = kernel.input("bias", {{panel, 1}, {panels, panel}})(n, np);
  product(n, m, np) = start;
  product(n, m, np) += a(k, m) * w(n, k, np);
  Expr value = activation(function, product(n, m, np));
  if (hasResidual)
    value += kernel.input("residual",
                          {{panel, 1}, {rows, ldr}, {panels, panel}})(n, m, np);
  out(n, m, np) = value;
  kernel.output(out, "out", {{panel, 1}, {rows, ldc}, {panels, panel}});

  // ---- Schedule. The residual may be the output itself: each element is read
  // and written once, by the same tile.
  Tile tile = readTile(schedule, machine, rows, panel, depth);
  PanelLoops loops = {rows, panel, panels, /*batch=*/1,
                      /*depth=*/double(depth)};
  LoopLevel level = schedulePanels(out, loops, tile, schedule);
  scheduleTile(product, n, m, k, /*outerK=*/{}, tile, level);
  return kernel;
}

} // namespace vitc::halide
