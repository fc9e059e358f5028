/// gemm as a paired product: with y a column of the weights,
///
///   x0 y0 + x1 y1 = (x0 + y1)(x1 + y0) - x0 x1 - y0 y1
///                 = (y1 - x0)(x1 - y0) + x0 x1 + y0 y1
///
/// (S. Winograd, 1968). The products of two x belong to a row and those of two
/// y to a column: the former are summed once per row, the latter when the model
/// is compiled. What is left of two multiply-adds is one, and two additions.
/// On a processor that adds beside its multipliers, as AMD's do since Zen, the
/// additions are free up to one per multiply-add: of three steps of k, two as a
/// pair and one as it is take two multiply-adds and two additions, 2/3 of the
/// time.
///
/// What it costs in precision. Sums hold x0 x1 and y0 y1 beside what is wanted,
/// so x and y should be of one size: a row of x is scaled by a power of two, as
/// is the result, both exactly. Then the error is bounded by the norms of the
/// row and the column, as that of a usual sum is; and half as many roundings of
/// terms twice as large leave the usual error just as it is. Blocks of pairs
/// take the two forms in turn, or the products of x that are all positive, as
/// those behind a GELU are, would grow with k.
#include "gemm.h"

#include "math.h"
#include "rows.h"
#include "tile.h"

using namespace Halide;

namespace vitc::halide {

namespace {

class PairedGemm {
public:
  PairedGemm(const GemmShape &shape, const Machine &machine)
      : shape(shape), machine(machine),
        panels((shape.cols + shape.panel - 1) / shape.panel) {}
  void readSchedule(Schedule &schedule);
  void define();
  void scheduleLeft();
  void scheduleProducts(Schedule &schedule);

  Kernel kernel;

private:
  void defineLeft();
  Func defineProduct(int pass);

  const GemmShape shape;
  const Machine &machine;
  const int panels;
  Tile tile;
  int blockK; ///< steps of k of one pass over the output
  bool parallel = false;

  Var n{"n"}, m{"m"}, np{"np"}, k{"k"};
  ImageParam a, w, pairs;
  Func left{"left"}, factor{"factor"}, back{"back"}, out{"out"};
  RowReduction size, own;
  std::vector<Func> products; ///< one per pass
  std::vector<RDom> triples;
  RDom rest;
};

} // namespace

ImageParam pairsInput(Kernel &kernel, const GemmShape &shape) {
  // The columns' sums, and in a line of its own the size of a column.
  int width = roundUp(shape.cols, shape.panel) + lineFloats;
  return kernel.input("pairs", {{width, 1}});
}

/// Rows of a tile: of 32 registers 20 hold sums, 6 weights of three steps, and
/// the rest what is broadcast and added.
static int mostRows(const Machine &machine, int vectors) {
  constexpr int others = 6;
  return (machine.registers - others - stepsPerTriple * vectors) / vectors;
}

void PairedGemm::readSchedule(Schedule &schedule) {
  bool onePass = shape.residual && shape.activation != "none";
  blockK = schedule.get(
      "block_k", "steps of k of one pass over the output", shape.depth,
      Values(onePass || shape.depth % pairedSteps != 0 ? shape.depth
                                                      : pairedSteps,
             shape.depth)
          .dividing(shape.depth, "k, " + std::to_string(shape.depth))
          .multipleOf(shape.depth % pairedSteps == 0 ? pairedSteps : 1,
                      "two blocks of pairs"));
  int columns = divisorUpTo(shape.panel, machine.tileN),
      lanes = machine.lanesFor(columns);
  int most = mostRows(machine, columns / lanes);
  int rows = schedule.get("tile_m", "rows of the register tile",
                          std::min(shape.rows, most),
                          Values(1, std::min(shape.rows, 2 * most))
                              .worthwhileUpTo(most));
  tile = {rows, columns, lanes, /*chains=*/1, /*unrollK=*/1};
}

// ---- Algorithm

/// Row m of the left operand, scaled; behind it, in its padding, the sum of its
/// own pairs and what undoes the scale.
void PairedGemm::defineLeft() {
  const int depth = shape.depth,
            groups = depth / pairedSteps * 2 * triplesPerBlock;
  size = reduceRow(
      "size", Combine::Sum, depth, depth, {m}, machine,
      [&](Expr column) { return abs(a(column, m)); });
  // The greatest power of two that makes the row no larger than a column, and
  // what undoes it: the exponents of both are the bias away from each other.
  // Within 2^±64 neither overflows.
  constexpr int exponent = 0x7f800000, twiceOne = 0x7f000000;
  constexpr float most = 0x1p64f, least = 0x1p-64f;
  Expr ratio = pairs(panels * shape.panel) / max(size.total(m), least);
  Expr bits = reinterpret<int32_t>(clamp(ratio, least, most)) & Expr(exponent);
  factor(m) = reinterpret<float>(bits);
  back(m) = reinterpret<float>(twiceOne - reinterpret<int32_t>(factor(m)));
  own = reduceRow(
      "own", Combine::Sum, groups, groups, {m}, machine, [&](Expr group) {
        // Strict: the factor's square might overflow.
        auto scaled = [&](Expr step) {
          return strict_float(a(step, m) * factor(m));
        };
        Expr first = group * stepsPerTriple,
             product = scaled(first) * scaled(first + 1);
        return select(group / triplesPerBlock % 2 == 0, product, -product);
      });
  left(k, m) = select(k < depth, a(min(k, depth - 1), m) * factor(m),
                      k == depth, own.total(m), back(m));
  kernel.scratch(left, "left",
                 {{depth + lineFloats, 1}, {shape.rows, shape.lds}});
}

Func PairedGemm::defineProduct(int pass) {
  Func product("product");
  product(n, m, np) = 0.0f;
  const int first = pass * blockK, blocks = blockK / pairedSteps;
  auto x = [&](Expr step) { return left(step, m); };
  auto y = [&](Expr step) { return w(n, step, np); };
  Expr sum = product(n, m, np);

  // Of each triple a pair and a step as it is; of each two blocks of triples
  // one in each form.
  RDom r(0, 2, 0, triplesPerBlock, 0, 2, 0, blocks, "r");
  Expr k0 = first + ((r.w * 2 + r.z) * triplesPerBlock + r.y) * stepsPerTriple;
  Expr added = (x(k0) + y(k0 + 1)) * (x(k0 + 1) + y(k0)),
       subtracted = (y(k0 + 1) - x(k0)) * (x(k0 + 1) - y(k0));
  product(n, m, np) =
      sum + select(r.x == 1, x(k0 + 2) * y(k0 + 2), r.z == 0, added, subtracted);
  triples.push_back(r);

  if (int remaining = blockK % pairedSteps) {
    rest = RDom(0, remaining, "rest");
    Expr step = first + blocks * pairedSteps + rest;
    product(n, m, np) = sum + x(step) * y(step);
  }
  return product;
}

void PairedGemm::define() {
  a = kernel.input("a", {{shape.depth, 1}, {shape.rows, shape.lda}});
  w = kernel.input("w", {{shape.panel, 1},
                         {shape.depth, shape.panel},
                         {panels, int64_t(shape.panel) * shape.depth}});
  Expr bias = 0.0f, residual = 0.0f;
  if (shape.bias)
    bias = kernel.input("bias",
                        {{shape.panel, 1}, {panels, shape.panel}})(n, np);
  pairs = pairsInput(kernel, shape);
  if (shape.residual)
    residual = kernel.input("residual", {{shape.panel, 1},
                                         {shape.rows, shape.ldr},
                                         {panels, shape.panel}})(n, m, np);
  defineLeft();

  // Strict, or the compiler would add in one order in some tiles and in another
  // in others.
  const int passes = shape.depth / blockK;
  Expr ownPairs = left(shape.depth, m), undo = left(shape.depth + 1, m);
  for (int pass = 0; pass < passes; ++pass) {
    products.push_back(defineProduct(pass));
    Expr value = products[pass](n, m, np);
    if (pass == 0)
      value = strict_float(
          (value - (ownPairs + pairs(np * shape.panel + n))) * undo + bias);
    else
      value = strict_float(out(n, m, np) + value * undo);
    if (pass == passes - 1)
      value = activation(shape.activation, value);
    if (pass == 0)
      value += residual;
    out(n, m, np) = value;
  }
  kernel.output(
      out, "out",
      {{shape.panel, 1}, {shape.rows, shape.ldc}, {panels, shape.panel}});
}

// ---- Schedule

/// A row at a time: its size, its own pairs, and while it is in the cache, its
/// copy.
void PairedGemm::scheduleLeft() {
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
  for (Func value : {factor, back})
    scheduleValue(value, row, machine);
}

void PairedGemm::scheduleProducts(Schedule &schedule) {
  PanelLoops loops = {shape.rows, shape.panel, panels, /*batch=*/1,
                      /*depth=*/double(blockK)};
  TileLoops tiles = schedulePanels(out, loops, tile, schedule);
  parallel = schedule.values()["parallel"] == 1;
  for (size_t pass = 0; pass < products.size(); ++pass) {
    Func product = products[pass];
    RDom r = triples[pass];
    product.compute_at(tiles.rowTile)
        .store_in(MemoryType::Register)
        .bound_extent(n, tile.columns)
        .vectorize(n, tile.lanes)
        .unroll(n)
        .unroll(m);
    // The pair and the single step of a row stand together, so that additions
    // and multiplications mix.
    Var vector("vector"), lane("lane");
    product.update()
        .split(n, vector, lane, tile.lanes)
        .reorder({lane, vector, r.x, m, r.y, r.z, r.w})
        .vectorize(lane)
        .unroll(vector)
        .unroll(r.x)
        .unroll(m)
        .unroll(r.z);
    if (rest.defined())
      product.update(1)
          .split(n, vector, lane, tile.lanes)
          .reorder({lane, vector, m, rest})
          .vectorize(lane)
          .unroll(vector)
          .unroll(m);
  }
}

Kernel buildPairedGemm(const GemmShape &shape, Schedule &schedule,
                       const Machine &machine) {
  PairedGemm gemm(shape, machine);
  gemm.readSchedule(schedule);
  gemm.define();
  gemm.scheduleProducts(schedule);
  gemm.scheduleLeft();
  return gemm.kernel;
}

} // namespace vitc::halide
