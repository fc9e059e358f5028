// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// gemm: out[m][n] = activation(sum_k a[m][k] w[n][k] + bias[n]) +
/// residual[m][n], the weights packed in panels.
#include "gemm.h"
#include "gpu/product.h"
#include "kernel.h"
#include "math.h"
#include "prefetch.h"
#include "tile.h"
#include "winograd.h"

using namespace Halide;

namespace vitc::halide {

/// Steps of k of one pass over the output. A long sum of many rows has a left
/// operand that leaves the second-level cache before the next column tile needs
/// it; a block of it, and the output, may stay. An activation needs the whole
/// sum, and a residual that is also the output must be read before anything is
/// written: both together leave one pass.
static int readBlockK(const GemmShape &shape, Schedule &schedule,
                      const Machine &machine) {
  const int depth = shape.k;
  bool onePass =
      shape.residual && shape.activation != families::Activation::None;
  bool crowded = machine.leftFloats > 0 && !shape.rowInvariant &&
                 int64_t(shape.m) * depth > machine.leftFloats &&
                 depth > shape.n;
  return schedule.get(
      "block_k", "steps of k of one pass over the output",
      crowded && !onePass ? divisorUpTo(depth, machine.blockDepth) : depth,
      Values(onePass ? depth : 1, depth)
          .dividing(depth, "k, " + std::to_string(depth))
          .worthwhileFrom(depth / 8));
}

/// Rows whose left operand stays in the second-level cache. Blocks of fewer
/// than this many would read the weights, which come from memory, too often:
/// 99 rows instead of 197 take twice the time.
static int rowsInCache(int depth, const Machine &machine) {
  constexpr int least = 192;
  int rows = machine.leftFloats / depth;
  return rows < least ? 0 : rows;
}

/// Whether the product is Winograd's, where it may be.
static bool readWinograd(const GemmShape &shape, Schedule &schedule,
                         const Machine &machine) {
  if (!shape.winograd)
    return false;
  bool able = !machine.gpu() && shape.k >= families::winogradSteps;
  return schedule.get("winograd",
                      "1: two multiplications become one and two additions",
                      able && machine.hasSeparateAdders, Values(0, able));
}

Kernel buildGemm(const families::GemmShape &shape, Schedule &schedule,
                 const Machine &machine) {
  if (shape.multiply != families::FactorType::F32)
    fail(&GemmShape::multiply, "vitc-halide multiplies f32 only");
  if (shape.strassen) {
    if (machine.gpu())
      fail(&GemmShape::strassen,
           "there is no Strassen product for " + machine.name);
    return buildStrassenGemm(shape, schedule, machine);
  }
  if (shape.weights != families::WeightFormat::F32 && machine.gpu())
    fail(&GemmShape::weights, machine.name + " takes float32 weights");
  if (shape.rowInvariant && machine.gpu())
    fail(&GemmShape::rowInvariant, machine.name + " takes rows together");
  if (readWinograd(shape, schedule, machine))
    return buildWinogradGemm(shape, schedule, machine);
  const int rows = shape.m, depth = shape.k, panel = shape.panel;
  const int panels = shape.width() / panel;

  // ---- Algorithm. A column is (np, n), number n of panel np, so that no index
  // needs a division. The bias is added to the sum: a sum that starts at a
  // large bias rounds every step to the bias's precision. Strict: with a
  // residual, LLVM would add the two first, in some tiles only.
  Kernel kernel;
  ImageParam a = kernel.input("a", {{depth, 1}, {rows, shape.lda}});
  ImageParam w = kernel.input(
      "w", {{panel, 1}, {depth, panel}, {panels, int64_t(panel) * depth}},
      lineAlignment, storedType(shape.weights));
  Var n("n"), m("m"), np("np"), c("c");
  Expr bias = 0.0f, residual = 0.0f, scale;
  if (shape.weights == families::WeightFormat::I8)
    scale = kernel.input("scales", {{panel, 1}, {panels, panel}})(n, np);
  if (shape.bias)
    bias = kernel.input("bias", {{panel, 1}, {panels, panel}})(n, np);
  if (shape.winograd)
    winogradSumsInput(kernel, shape);
  if (shape.residual)
    residual = kernel.input(
        "residual", {{panel, 1}, {rows, shape.ldr}, {panels, panel}})(n, m, np);
  Func out("out"), unused("unused");
  if (shape.winograd) {
    // The scratch of a Winograd product, which may be `a`: an argument must be
    // some buffer's, and this one is never written.
    unused(n) = undef<float>();
    kernel.scratch(unused, "unused", {{1, 1}});
  }
  auto makeOutput = [&] {
    kernel.output(out, "out", {{panel, 1}, {rows, shape.ldc}, {panels, panel}});
  };
  if (machine.gpu()) {
    GpuProductShape sizes = {rows, panel, panels, /*batch=*/1, depth};
    GpuProduct product = defineProduct(
        sizes, readGpuTile(schedule, sizes), {n, m, np},
        [&](Expr k, Expr row) { return a(k, row); },
        [&](Expr column, Expr k) { return w(column, k, np); });
    Expr sum = product.sum(n, m, np);
    if (shape.bias)
      sum = strict_float(sum + bias);
    out(n, m, np) = activation(shape.activation, sum) + residual;
    makeOutput();
    scheduleProduct(out, product, sizes, /*vectorLeft=*/shape.lda % 4 == 0,
                    machine);
    return kernel;
  }

  // A sum over k is `chains` sums over every chains-th k; but for products of
  // very few rows there is one. Each pass over the output adds a block of k.
  const int blockK = readBlockK(shape, schedule, machine),
            passes = depth / blockK;
  Tile tile = readTile(schedule, machine, rows, panel, blockK,
                       shape.rowInvariant ? Chains::OneRow : Chains::FewRows);
  RDom k(0, blockK / tile.chains, "k");
  std::vector<Func> products;
  for (int pass = 0; pass < passes; ++pass) {
    Func product("product");
    product(n, m, np, c) = 0.0f;
    Expr kc = pass * blockK + k * tile.chains + c;
    product(n, m, np, c) =
        multiplyAdd(product(n, m, np, c), a(kc, m),
                    widened(w(n, kc, np), shape.weights), tile.lanes);
    Expr value = product(n, m, np, 0);
    for (int chain = 1; chain < tile.chains; ++chain)
      value += product(n, m, np, chain);
    if (scale.defined())
      value = strict_float(value * scale);
    if (shape.bias && pass == 0)
      value = strict_float(value + bias);
    if (pass > 0)
      value = out(n, m, np) + value;
    if (pass == passes - 1)
      value = activation(shape.activation, value);
    if (shape.residual && pass == 0)
      value += residual;
    out(n, m, np) = value;
    products.push_back(product);
  }
  makeOutput();

  // ---- Schedule. The residual may be the output itself: each element is read
  // before it is written, by the same tile.
  PanelLoops loops = {rows,
                      panel,
                      panels,
                      /*batch=*/1,
                      /*depth=*/double(blockK),
                      rowsInCache(blockK, machine)};
  TileLoops tiles = schedulePanels(out, loops, tile, schedule);
  for (int pass = 0; pass < passes; ++pass)
    scheduleTile(products[pass], n, {m, c}, k, /*outerK=*/{}, tile, machine,
                 tiles.rowTile);
  if (int lines = readPrefetch(
          schedule, panels > 1 ? defaultPrefetch(tile, tiles.rowTiles) : 0))
    kernel.prefetches.emplace_back(
        spreadPrefetch({w.name(), blockK, panel, tile.columns, lines,
                        tiles.columnTile, tiles.nextColumnTile, w.type()}));
  return kernel;
}

} // namespace vitc::halide
