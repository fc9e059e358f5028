// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// single_query_attention: attention of one query per image over all of the
/// image's tokens, as the last block has for the class token. Keys and values
/// are never formed: the query goes through the key matrix to the tokens, and
/// the mixed tokens go through the value matrix.
#include "common/attention.h"
#include "gpu/elements.h"
#include "kernel.h"
#include "math.h"
#include "rows.h"
#include "tile.h"

#include <numeric>

using namespace Halide;

namespace vitc::halide {

namespace {

class SingleQueryAttention : SingleQueryShape {
public:
  SingleQueryAttention(const families::SingleQueryAttentionShape &spec,
                       const Machine &machine);
  void readSchedule(Schedule &schedule);
  void define();
  void scheduleProjection();
  void scheduleWeights();
  void schedulePooled();
  void scheduleOut();
  void scheduleOnGpu(Schedule &schedule);

  Kernel kernel;

private:
  const Machine &machine;
  int lanes; ///< vectors along the channels

  int tileHeads;
  bool parallel;
  Tile valueTile = {1, 1, /*lanes=*/2, /*chains=*/1, 1};

  Var c{"c"}, h{"h"}, b{"b"}, j{"j"}, n{"n"}, np{"np"}, chain{"chain"};
  Var task{"task"}, hi{"hi"}, ho{"ho"};
  RDom rd, rj, rc;
  Func projection{"projection"}, projected{"projected"}, score{"score"};
  Func exponential{"exponential"}, inverse{"inverse"}, weights{"weights"};
  Func mixed{"mixed"}, pooled{"pooled"}, product{"product"}, out{"out"};
  RowReduction dot, most, sum;
};

} // namespace

SingleQueryAttention::SingleQueryAttention(
    const families::SingleQueryAttentionShape &spec, const Machine &machine)
    : SingleQueryShape(spec, machine), machine(machine) {
  lanes = machine.gpu() ? machine.lanes : machine.lanesFor(readable);
}

void SingleQueryAttention::readSchedule(Schedule &schedule) {
  tileHeads = readTileHeads(schedule);
  parallel = readParallel(schedule, tileHeads);

  // The last product is a gemm of few rows, whose vectors stay inside a head.
  int columns = panel, vector = machine.lanesFor(std::gcd(panel, headDim));
  while (columns / vector > accumulators)
    columns = divisorUpTo(panel, columns - 1) / vector * vector;
  int rows = std::min(batch, std::max(1, accumulators / (columns / vector)));
  int chains = divisorUpTo(
      channels, std::max(1, accumulators / (rows * (columns / vector))));
  valueTile = {rows, columns, vector, chains,
               /*unrollK=*/divisorUpTo(channels / chains, 4)};
}

// ---- Algorithm

void SingleQueryAttention::define() {
  ImageParam x = kernel.input(
      "x",
      {{paddedColumns(channels, ldx), 1}, {tokens, ldx}, {batch, batchStride}});
  ImageParam query =
      kernel.input("query", {{headDim, 1}, {heads, headDim}, {batch, ldq}});
  const Type stored = storedType(storedAs);
  const bool isScaled = storedAs == families::WeightFormat::I8;
  ImageParam key = kernel.input("key",
                                {{paddedColumns(channels, ldk), 1},
                                 {headDim, ldk},
                                 {heads, int64_t(headDim) * ldk}},
                                lineAlignment, stored);
  ImageParam keyScales, valueScales;
  if (isScaled)
    keyScales = kernel.input("key_scales", {{headDim, 1}, {heads, headDim}});
  ImageParam value = kernel.input(
      "value",
      {{panel, 1}, {channels, panel}, {panels, int64_t(panel) * channels}},
      lineAlignment, stored);
  if (isScaled)
    valueScales = kernel.input("value_scales", {{panel, 1}, {panels, panel}});

  // q·(K x_j) = (q K)·x_j: the query as a vector of channels, once per head.
  // Scores in units of log2, so that the softmax takes powers of two.
  rd = RDom(0, headDim, "rd");
  projection(c, b, h) = 0.0f;
  Expr queryValue = query(rd, h, b);
  if (isScaled)
    queryValue = strict_float(queryValue * keyScales(rd, h));
  projection(c, b, h) = multiplyAdd(projection(c, b, h), queryValue,
                                    widened(key(c, rd, h), storedAs), lanes);
  projected(c, b, h) = projection(c, b, h) * float(scale * log2e);

  // Scores beyond the last token repeat it: they cannot change the maximum.
  dot = reduceRow(
      "dot", Combine::Sum, channels, readable, {j, h, b}, machine,
      [&](Expr column) {
        return x(column, min(j, tokens - 1), b) * projected(column, b, h);
      },
      /*chains=*/1);
  score(j, h, b) = dot.total(j, h, b);
  most = reduceRow("most", Combine::Max, scores, scores, {h, b}, machine,
                   [&](Expr column) { return score(column, h, b); });
  // Strict, since the power's n = round(difference) must not be subtracted from
  // the large score first.
  Expr difference = strict_float(score(j, h, b) - most.total(h, b));
  exponential(j, h, b) = fastExp2Below(difference, 0.0f);
  sum = reduceRow("sum", Combine::Sum, tokens, scores, {h, b}, machine,
                  [&](Expr column) { return exponential(column, h, b); });
  inverse(h, b) = 1.0f / sum.total(h, b);
  weights(j, h, b) = exponential(j, h, b) * inverse(h, b);

  // Σ_j p_j (V x_j) = V (Σ_j p_j x_j): the tokens are mixed first.
  rj = RDom(0, tokens, "rj");
  mixed(c, h, b) = 0.0f;
  mixed(c, h, b) =
      multiplyAdd(mixed(c, h, b), weights(rj, h, b), x(c, rj, b), lanes);
  pooled(c, h, b) = mixed(c, h, b);

  // Column n of panel np belongs to one head; columns beyond the last repeat
  // its head, with weights of zero.
  rc = RDom(0, channels / valueTile.chains, "rc");
  Expr head = min((np * panel + n) / headDim, heads - 1);
  Expr k = rc * valueTile.chains + chain;
  product(n, b, np, chain) = 0.0f;
  product(n, b, np, chain) =
      multiplyAdd(product(n, b, np, chain), pooled(k, head, b),
                  widened(value(n, k, np), storedAs), valueTile.lanes);
  Expr total = product(n, b, np, 0);
  for (int i = 1; i < valueTile.chains; ++i)
    total += product(n, b, np, i);
  if (isScaled)
    total = strict_float(total * valueScales(n, np));
  out(n, b, np) = total;

  kernel.scratch(projected, "projected",
                 {{readable, 1}, {batch, row()}, {heads, batch * row()}});
  kernel.scratch(
      weights, "weights",
      {{scores, 1}, {heads, scoreRow()}, {batch, heads * scoreRow()}});
  kernel.scratch(pooled, "pooled",
                 {{readable, 1}, {heads, row()}, {batch, heads * row()}});
  kernel.output(out, "out", {{panel, 1}, {batch, ldo}, {panels, panel}});
}

// ---- Schedule. Four products follow each other; each is shared out over its
// outputs.

/// A head's rows of the key matrix, once for all images: as many columns at a
/// time as registers can hold, so that memory is read in long runs.
void SingleQueryAttention::scheduleProjection() {
  int rows = std::min(batch, 3);
  int vectors = divisorUpTo(readable / lanes, accumulators / rows);
  Tile tile = {rows, /*columns=*/lanes * vectors, lanes, /*chains=*/1,
               /*unrollK=*/divisorUpTo(headDim, 4)};
  Var co("co"), ci("ci"), bo("bo"), bi("bi");
  projected.split(c, co, ci, tile.columns)
      .split(b, bo, bi, rows,
             batch % rows == 0 ? TailStrategy::RoundUp
                               : TailStrategy::GuardWithIf)
      .reorder(ci, bi, bo, co, h)
      .vectorize(ci, lanes)
      .unroll(ci)
      .unroll(bi);
  if (parallel)
    projected.parallel(h);
  scheduleTile(projection, c, {b}, rd, /*outerK=*/{}, tile, machine,
               LoopLevel(projected, bo));
}

/// The scores of some heads of an image and their softmax, on the stack; only
/// the weights go to the scratch.
void SingleQueryAttention::scheduleWeights() {
  weights.split(h, ho, hi, tileHeads)
      .reorder(j, hi, ho, b)
      .vectorize(j, machine.lanes)
      .fuse(ho, b, task);
  if (parallel)
    weights.parallel(task);

  // A tile of scores has one vector of partial sums for each head and token.
  // MemoryType::Register stays on the stack, whatever the size.
  LoopLevel taskLevel(weights, task);
  int rows = std::min(std::max(1, accumulators / tileHeads), scores);
  Var jo("jo"), ji("ji");
  score.compute_at(taskLevel)
      .store_in(MemoryType::Register)
      .bound_extent(j, scores)
      .bound_extent(h, tileHeads)
      .split(j, jo, ji, rows, TailStrategy::ShiftInwards)
      .reorder(h, ji, jo)
      .unroll(h)
      .unroll(ji);
  // The tokens stand inside the heads: a head's vector is then used up at once.
  // The other order keeps one per head alive and spills.
  scheduleReduction(dot, LoopLevel(score, jo), {j, h});
  exponential.compute_at(taskLevel)
      .store_in(MemoryType::Register)
      .bound_extent(j, scores)
      .vectorize(j, machine.lanes);
  scheduleReduction(most, LoopLevel(exponential, h));
  inverse.compute_at(weights, hi).store_in(MemoryType::Register);
  scheduleReduction(sum, LoopLevel(weights, hi));
}

/// Some columns of an image, mixed with the weights of some heads. Each row of
/// x gives a run of whole cache lines.
void SingleQueryAttention::schedulePooled() {
  int vectors = divisorUpTo(readable / lanes, accumulators / tileHeads);
  Tile tile = {tileHeads, /*columns=*/lanes * vectors, lanes, /*chains=*/1,
               /*unrollK=*/1};
  int tiles = readable / tile.columns, together = 1;
  while (together < tiles &&
         !worthParallel(2.0 * together * tokens * tile.columns * tileHeads, 2))
    ++together;
  Var co("co"), ci("ci"), ct("ct");
  pooled.split(c, co, ci, tile.columns)
      .split(co, ct, co, together, TailStrategy::GuardWithIf)
      .split(h, ho, hi, tileHeads)
      .reorder(ci, hi, co, ct, ho, b)
      .vectorize(ci, lanes)
      .unroll(ci)
      .unroll(hi)
      .fuse(ct, ho, task)
      .fuse(task, b, task);
  if (parallel)
    pooled.parallel(task);
  scheduleTile(mixed, c, {h}, rj, /*outerK=*/{}, tile, machine,
               LoopLevel(pooled, co));
}

void SingleQueryAttention::scheduleOut() {
  Var no("no"), ni("ni"), bo("bo"), bi("bi");
  out.split(n, no, ni, valueTile.columns)
      .split(b, bo, bi, valueTile.rows,
             batch % valueTile.rows == 0 ? TailStrategy::RoundUp
                                         : TailStrategy::GuardWithIf)
      .reorder(ni, bi, bo, no, np)
      .vectorize(ni, valueTile.lanes)
      .unroll(ni)
      .unroll(bi);
  if (parallel)
    out.parallel(np);
  scheduleTile(product, n, {b, chain}, rc, /*outerK=*/{}, valueTile, machine,
               LoopLevel(out, bo));
}

/// Products over the channels have a thread for each result. The scores and
/// their softmax have a block for each head, whose rows of threads take a token
/// each.
void SingleQueryAttention::scheduleOnGpu(Schedule &schedule) {
  constexpr int tokensAtOnce = 8;
  int threads = readThreads(schedule);
  scheduleInThread(projection, scheduleElements(projected, threads));
  scheduleInThread(mixed, scheduleElements(pooled, threads));
  scheduleInThread(product, scheduleElements(out, threads));

  Var turn("turn"), thread("thread"), jo("jo"), ji("ji");
  auto alongTokens = [&](Func func) {
    func.split(j, turn, thread, machine.lanes)
        .reorder(turn, thread)
        .gpu_threads(thread);
  };
  alongTokens(weights);
  weights.gpu_blocks(h, b);
  LoopLevel block(weights, h);
  score.compute_at(block)
      .bound_extent(j, scores)
      .split(j, jo, ji, tokensAtOnce)
      .gpu_threads(ji);
  scheduleReduction(dot, LoopLevel(score, jo), {j});
  exponential.compute_at(block).bound_extent(j, scores);
  alongTokens(exponential);
  scheduleReduction(most, block);
  scheduleReduction(sum, block);
  inverse.compute_at(block);
}

Kernel
buildSingleQueryAttention(const families::SingleQueryAttentionShape &spec,
                          Schedule &schedule, const Machine &machine) {
  if (spec.weights != families::WeightFormat::F32 && machine.gpu())
    fail(&families::SingleQueryAttentionShape::weights,
         machine.name + " takes float32 weights");
  SingleQueryAttention attention(spec, machine);
  if (machine.gpu()) {
    attention.define();
    attention.scheduleOnGpu(schedule);
    return attention.kernel;
  }
  attention.readSchedule(schedule);
  attention.define();
  attention.scheduleProjection();
  attention.scheduleWeights();
  attention.schedulePooled();
  attention.scheduleOut();
  return attention.kernel;
}

} // namespace vitc::halide
