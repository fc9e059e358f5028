// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// gemm as a Winograd product (winograd.h): the left operand is scaled and its
/// own pairs are summed first, those of the weights were when the model was
/// compiled.
#include "gemm.h"

#include "math.h"
#include "rows.h"
#include "winograd.h"

using namespace Halide;

namespace vitc::halide {

namespace {

class WinogradGemm {
public:
  WinogradGemm(const GemmShape &shape, const Machine &machine)
      : shape(shape), machine(machine), panels(shape.width() / shape.panel) {}
  void readSchedule(Schedule &schedule);
  void define();
  void scheduleLeft();
  void scheduleProducts(Schedule &schedule);

  Kernel kernel;

private:
  void defineLeft();

  const GemmShape shape;
  const Machine &machine;
  const int panels;
  Tile tile;
  int blockK; ///< steps of k of one pass over the output
  bool parallel = false;

  Var n{"n"}, m{"m"}, np{"np"}, k{"k"};
  ImageParam a, w, winogradSums;
  Func left{"left"}, factor{"factor"}, undo{"undo"}, out{"out"};
  RowReduction size, own;
  std::vector<Func> products;    ///< one per pass
  std::vector<WinogradSum> sums; ///< theirs
};

} // namespace

ImageParam winogradSumsInput(Kernel &kernel, const GemmShape &shape) {
  // The columns' sums, and in a line of its own the size of a column.
  int width = shape.width() + families::winogradFloats;
  return kernel.input("winograd_sums", {{width, 1}});
}

void WinogradGemm::readSchedule(Schedule &schedule) {
  // An activation needs the whole sum, and a residual that is also the output
  // must be read before anything is written; steps that are left over come
  // last.
  const int depth = shape.k;
  bool onePass =
      (shape.residual && shape.activation != families::Activation::None) ||
      depth % families::winogradSteps != 0;
  Values passes = Values(onePass ? depth : families::winogradSteps, depth)
                      .dividing(depth, "k, " + std::to_string(depth));
  if (!onePass)
    passes.multipleOf(families::winogradSteps, "a block of each form of pairs");
  blockK = schedule.get("block_k", "steps of k of one pass over the output",
                        depth, passes);
  int columns = divisorUpTo(shape.panel, machine.tileN),
      lanes = machine.lanesFor(columns);
  int most = winogradTileRows(machine, columns / lanes);
  int rows = schedule.get(
      "tile_m", "rows of the register tile", std::min(shape.m, most),
      Values(1, std::min(shape.m, 2 * most)).worthwhileUpTo(most));
  tile = {rows, columns, lanes, /*chains=*/1, /*unrollK=*/1};
}

// ---- Algorithm

/// Row m of the left operand, scaled; behind it, in its padding, the sum of its
/// own pairs and what undoes the scale.
void WinogradGemm::defineLeft() {
  const int depth = shape.k;
  size = reduceRow("size", Combine::Sum, depth, depth, {m}, machine,
                   [&](Expr column) { return abs(a(column, m)); });
  constexpr float least = 1e-30f;
  factor(m) = powerOfTwo(winogradSums(panels * shape.panel) /
                         max(size.total(m), least));
  undo(m) = inverseOfPower(factor(m));
  own = reduceRow("own", Combine::Sum, pairCount(depth), pairCount(depth), {m},
                  machine, [&](Expr pair) {
                    // Strict: the factor's square might overflow.
                    return ownPair(pair, [&](Expr step) {
                      return strict_float(a(step, m) * factor(m));
                    });
                  });
  left(k, m) = select(k < depth, a(min(k, depth - 1), m) * factor(m),
                      k == depth, own.total(m), undo(m));
  kernel.scratch(left, "left",
                 {{depth + families::winogradFloats, 1}, {shape.m, shape.lds}});
}

void WinogradGemm::define() {
  a = kernel.input("a", {{shape.k, 1}, {shape.m, shape.lda}});
  w = kernel.input("w", {{shape.panel, 1},
                         {shape.k, shape.panel},
                         {panels, int64_t(shape.panel) * shape.k}});
  Expr bias = 0.0f, residual = 0.0f;
  if (shape.bias)
    bias =
        kernel.input("bias", {{shape.panel, 1}, {panels, shape.panel}})(n, np);
  winogradSums = winogradSumsInput(kernel, shape);
  if (shape.residual)
    residual = kernel.input("residual", {{shape.panel, 1},
                                         {shape.m, shape.ldr},
                                         {panels, shape.panel}})(n, m, np);
  defineLeft();

  // Strict, or the compiler would add in one order in some tiles and in another
  // in others.
  const int passes = shape.k / blockK;
  Expr ownPairSum = left(shape.k, m), unscale = left(shape.k + 1, m);
  for (int pass = 0; pass < passes; ++pass) {
    Func product("product");
    product(n, m, np) = 0.0f;
    sums.push_back(addWinograd(
        product, {n, m, np}, /*first=*/pass * blockK, /*depth=*/blockK,
        [&](Expr step) { return left(step, m); },
        [&](Expr step) { return w(n, step, np); }));
    products.push_back(product);
    Expr value = products[pass](n, m, np);
    if (pass == 0)
      value = strict_float(
          (value - (ownPairSum + winogradSums(np * shape.panel + n))) *
              unscale +
          bias);
    else
      value = strict_float(out(n, m, np) + value * unscale);
    if (pass == passes - 1)
      value = activation(shape.activation, value);
    if (pass == 0)
      value += residual;
    out(n, m, np) = value;
  }
  kernel.output(
      out, "out",
      {{shape.panel, 1}, {shape.m, shape.ldc}, {panels, shape.panel}});
}

// ---- Schedule

/// A row at a time: its size, its own pairs, and while it is in the cache, its
/// copy.
void WinogradGemm::scheduleLeft() {
  left.vectorize(k, machine.lanes);
  LoopLevel row(left, m);
  if (parallel) {
    Var block("block");
    constexpr int rowsPerTask = 4;
    left.split(m, block, m, rowsPerTask, TailStrategy::GuardWithIf)
        .parallel(block);
  }
  scheduleReduction(size, row);
  scheduleReduction(own, row);
  for (Func value : {factor, undo})
    scheduleValue(value, row, machine);
}

void WinogradGemm::scheduleProducts(Schedule &schedule) {
  PanelLoops loops = {shape.m, shape.panel, panels, /*batch=*/1,
                      /*depth=*/double(blockK)};
  TileLoops tiles = schedulePanels(out, loops, tile, schedule);
  parallel = schedule.values()["parallel"] == 1;
  for (size_t pass = 0; pass < products.size(); ++pass)
    scheduleWinogradTile(products[pass], sums[pass], n, m, tile, tiles.rowTile);
}

Kernel buildWinogradGemm(const GemmShape &shape, Schedule &schedule,
                         const Machine &machine) {
  WinogradGemm gemm(shape, machine);
  gemm.readSchedule(schedule);
  gemm.define();
  gemm.scheduleProducts(schedule);
  gemm.scheduleLeft();
  return gemm.kernel;
}

} // namespace vitc::halide
