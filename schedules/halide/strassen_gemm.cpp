// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// gemm with `strassen`: one level of Strassen's algorithm. Seven products of
/// half the size in each direction take the place of eight; the combinations of
/// the weights are made when the model is compiled, those of the left operand
/// here, but for two products that take a quarter of it as it stands.
#include "gemm.h"

#include "math.h"
#include "prefetch.h"
#include "tile.h"

using namespace Halide;

namespace vitc::halide {

/// Bytes of stack for the seven products of a task; the protocol allows 128
/// KiB.
constexpr int productBytes = 96 * 1024;

/// Products of Strassen's algorithm: those of quarters as they stand come
/// first.
constexpr int productCount = families::strassenProducts,
              combinedProducts = families::strassenCombinations,
              plainProducts = productCount - combinedProducts;

namespace {

class StrassenGemm {
public:
  StrassenGemm(const GemmShape &shape, const Machine &machine);
  void readSchedule(Schedule &schedule);
  void define();
  void scheduleCombined();
  void scheduleChunk(int chunk, Schedule &schedule);
  void addPrefetch(Schedule &schedule);

  Kernel kernel;
  int chunks() const { return halfDepth / blockK; }

private:
  Expr quarter(int chunk);

  const GemmShape shape;
  const Machine &machine;
  int halfRows, halfCols, halfDepth, panels;
  int lowerStart; ///< the lower half's first row, which may be the upper one's
                  ///< last: both halves have as many
  Tile tile;
  int blockK; ///< steps of k of one pass over the output
  int blockM; ///< rows of a half whose products stand on the stack together
  bool parallel = false;

  Var n{"n"}, m{"m"}, np{"np"}, right{"right"}, k{"k"}, p{"p"};
  RDom rk, r;
  Expr row; ///< of a half
  ImageParam a, w;
  Func combined{"combined"}, out{"out"};
  /// The products of one chunk of k, and their sums while they grow.
  struct Chunk {
    Func plain{"plain"}, plainSum{"plainSum"};
    Func combined{"product"}, combinedSum{"productSum"};
  };
  std::vector<Chunk> products;
};

} // namespace

StrassenGemm::StrassenGemm(const GemmShape &shape, const Machine &machine)
    : shape(shape), machine(machine) {
  halfRows = (shape.m + 1) / 2;
  lowerStart = shape.m - halfRows;
  halfCols = shape.n / 2;
  halfDepth = shape.k / 2;
  panels = halfCols / shape.panel;
}

void StrassenGemm::readSchedule(Schedule &schedule) {
  // An activation needs the whole sum, and a residual that is also the output
  // must be read before anything is written: both together leave one pass.
  bool onePass =
      shape.residual && shape.activation != families::Activation::None;
  blockK = schedule.get(
      "block_k", "steps of k/2 of one pass over the output",
      onePass ? halfDepth : divisorUpTo(halfDepth, machine.strassenDepth),
      Values(onePass ? halfDepth : 1, halfDepth)
          .dividing(halfDepth, "half of k, " + std::to_string(halfDepth)));
  tile =
      readTile(schedule, machine, halfRows, shape.panel, blockK, Chains::None);
  int fitting = productBytes / int(sizeof(float)) / productCount / tile.columns;
  int blocks = (halfRows + fitting - 1) / fitting;
  blockM = schedule.get(
      "block_m", "rows of each half that a pass takes",
      std::min(halfRows, roundUp((halfRows + blocks - 1) / blocks, tile.rows)),
      Values(1, std::min(halfRows, fitting)));
}

// ---- Algorithm

/// An element of the quarter (right, r.x), out of the seven products of a chunk
/// of k.
Expr StrassenGemm::quarter(int chunk) {
  auto product = [&](int i) -> Expr {
    if (i < plainProducts)
      return products[chunk].plain(n, row, i, np);
    return products[chunk].combined(n, row, i - plainProducts, np);
  };
  return select(r.x == 0 && right == 0,
                product(2) + product(1) - product(4) + product(6), r.x == 0,
                product(0) + product(4), right == 0, product(3) + product(1),
                product(2) - product(3) + product(0) + product(5));
}

void StrassenGemm::define() {
  a = kernel.input(
      "a", {{halfDepth, 1}, {2, shape.halfStride}, {shape.m, shape.lda}});
  w = kernel.input("w",
                   {{shape.panel, 1},
                    {halfDepth, shape.panel},
                    {productCount, int64_t(shape.panel) * halfDepth},
                    {panels, int64_t(productCount) * shape.panel * halfDepth}});

  // The left operands that are combinations, once for all columns.
  auto part = [&](int lower, int rightHalf) -> Expr {
    return a(k, rightHalf, m + lower * lowerStart);
  };
  Expr a11 = part(0, 0), a12 = part(0, 1), a21 = part(1, 0), a22 = part(1, 1);
  combined(k, m, p) = select(p == 0, a11 + a22, p == 1, a21 + a22, p == 2,
                             a11 + a12, p == 3, a21 - a11, a12 - a22);
  kernel.scratch(combined, "combined",
                 {{halfDepth, 1},
                  {halfRows, halfDepth},
                  {combinedProducts, int64_t(halfRows) * halfDepth}});

  rk = RDom(0, blockK, "rk");
  auto multiply = [&](Func product, Func sum, Expr left, Expr weight) {
    sum(n, m, p, np) = 0.0f;
    sum(n, m, p, np) = multiplyAdd(sum(n, m, p, np), left, weight, tile.lanes);
    product(n, m, p, np) = sum(n, m, p, np);
  };
  products.resize(chunks());
  for (int chunk = 0; chunk < chunks(); ++chunk) {
    Chunk &of = products[chunk];
    Expr step = chunk * blockK + rk;
    // A11 and A22: the halves of the rows and of the columns go together.
    multiply(of.plain, of.plainSum, a(step, p, m + p * lowerStart),
             w(n, step, p, np));
    multiply(of.combined, of.combinedSum, combined(step, m, p),
             w(n, step, p + plainProducts, np));
  }

  // The quarters, added up chunk by chunk in the output itself. A row is r.y of
  // block r.z of half r.x; one that belongs to both halves is the upper one's.
  auto halves = [&](int stride) -> std::vector<Dimension> {
    return {{shape.panel, 1},
            {shape.m, stride},
            {panels, shape.panel},
            {2, halfCols}};
  };
  Expr start = 0.0f;
  if (shape.bias)
    start = kernel.input(
        "bias",
        {{shape.panel, 1}, {panels, shape.panel}, {2, halfCols}})(n, np, right);
  ImageParam residual;
  if (shape.residual)
    residual = kernel.input("residual", halves(shape.ldr));
  int blocks = (halfRows + blockM - 1) / blockM;
  r = RDom(0, 2, 0, blockM, 0, blocks, "r");
  row = r.z * blockM + r.y;
  Expr place = r.x * lowerStart + row;
  if (blocks * blockM > halfRows)
    r.where(row < halfRows);
  if (shape.m % 2 != 0)
    r.where(r.x == 0 || row > 0);
  // What the conditions say, for the bounds of what is computed and stored.
  row = unsafe_promise_clamped(row, 0, halfRows - 1);
  place = unsafe_promise_clamped(place, 0, shape.m - 1);
  out(n, m, np, right) = undef<float>();
  for (int chunk = 0; chunk < chunks(); ++chunk) {
    bool last = chunk == chunks() - 1;
    Expr value = quarter(chunk);
    value += chunk == 0 ? start : Expr(out(n, place, np, right));
    if (last)
      value = activation(shape.activation, value);
    if (shape.residual && chunk == 0)
      value += residual(n, place, np, right);
    out(n, place, np, right) = value;
  }
  kernel.output(out, "out", halves(shape.ldc));
}

// ---- Schedule

/// All combinations of a row at once, while its parts are in registers.
void StrassenGemm::scheduleCombined() {
  int lanes = machine.lanesFor(halfDepth);
  combined.reorder(p, k, m).unroll(p).vectorize(k, lanes);
  if (parallel) {
    Var block("block");
    constexpr int rowsPerTask = 4; // 99 rows must share out evenly
    combined.split(m, block, m, rowsPerTask, TailStrategy::GuardWithIf)
        .parallel(block);
  }
}

/// For each column tile the seven products, one after the other, on the stack;
/// then the four quarters out of them. The products at the row tile instead
/// would leave a panel of weights too early. The left operands of some rows,
/// 1 MB at k = 768, pass by for each column tile, so rows are the
/// outermost loop.
void StrassenGemm::scheduleChunk(int chunk, Schedule &schedule) {
  if (chunk == 0)
    parallel = schedule.parallel(
        worthParallel(2.0 * productCount * halfRows * halfDepth * tile.columns,
                      double(halfCols) / tile.columns));
  Var no("no"), ni("ni"), mo("mo"), mi("mi"), task("task");
  Stage stage = out.update(chunk);
  stage.split(n, no, ni, tile.columns)
      .reorder(ni, right, r.x, r.y, no, np, r.z)
      .vectorize(ni, tile.lanes)
      .unroll(ni)
      .unroll(right)
      .unroll(r.x)
      .fuse(no, np, task);
  if (parallel)
    stage.parallel(task);

  auto scheduleProducts = [&](Func product, Func sum) {
    product.compute_at(out, task)
        .store_in(MemoryType::Register)
        .bound_extent(n, tile.columns)
        .split(m, mo, mi, tile.rows,
               blockM == halfRows ? TailStrategy::GuardWithIf
                                  : TailStrategy::ShiftInwards)
        .reorder(n, mi, mo, p)
        .vectorize(n, tile.lanes)
        .unroll(n)
        .unroll(mi);
    scheduleTile(sum, n, {m}, rk, /*outerK=*/{}, tile, machine,
                 LoopLevel(product, mo));
  };
  scheduleProducts(products[chunk].plain, products[chunk].plainSum);
  scheduleProducts(products[chunk].combined, products[chunk].combinedSum);
}

/// While one product is computed, the next one's weights: those of the last
/// product are followed by the next panel's.
void StrassenGemm::addPrefetch(Schedule &schedule) {
  int rowTiles = (std::min(blockM, halfRows) + tile.rows - 1) / tile.rows;
  if (int lines = readPrefetch(schedule, defaultPrefetch(tile, rowTiles)))
    kernel.prefetches.emplace_back(
        spreadPrefetch({w.name(), blockK, shape.panel, tile.columns, lines,
                        /*tileLoop=*/p.name(), /*nextTile=*/1}));
}

Kernel buildStrassenGemm(const GemmShape &shape, Schedule &schedule,
                         const Machine &machine) {
  StrassenGemm gemm(shape, machine);
  gemm.readSchedule(schedule);
  gemm.define();
  for (int chunk = 0; chunk < gemm.chunks(); ++chunk)
    gemm.scheduleChunk(chunk, schedule);
  gemm.addPrefetch(schedule);
  gemm.scheduleCombined();
  return gemm.kernel;
}

} // namespace vitc::halide
