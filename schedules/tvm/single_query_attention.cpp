// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// single_query_attention: attention of one query per image over all of the
/// image's tokens, as the last block has for the class token. Keys and values
/// are never formed: the query goes through the key matrix to the tokens, and
/// the mixed tokens go through the value matrix.
#include "common/attention.h"
#include "math.h"
#include "rows.h"
#include "tile.h"

#include <numeric>

namespace vitc::tvm_backend {

namespace {

class SingleQueryAttention : SingleQueryShape {
public:
  SingleQueryAttention(const families::SingleQueryAttentionShape &spec,
                       Schedule &schedule, const Machine &machine);
  void define(Kernel &kernel) const;

private:
  Part projectedPart() const;
  Part weightsPart() const;
  Part pooledPart() const;
  Part outPart() const;

  std::vector<Dimension> tokensOf() const {
    return {{batch, batchStride}, {tokens, ldx}, {readable, 1}};
  }

  Machine machine;
  int lanes;                   ///< vectors along the channels
  int64_t weightsAt, pooledAt; ///< in the scratch
  int tileHeads;
  bool parallel;
};

} // namespace

SingleQueryAttention::SingleQueryAttention(
    const families::SingleQueryAttentionShape &spec, Schedule &schedule,
    const Machine &machine)
    : SingleQueryShape(spec, machine), machine(machine),
      lanes(machine.lanesFor(readable)) {
  weightsAt = int64_t(heads) * batch * row();
  pooledAt = weightsAt + int64_t(heads) * batch * scoreRow();
  tileHeads = readTileHeads(schedule);
  parallel = readParallel(schedule, tileHeads);
}

/// q·(K x_j) = (q K)·x_j: the query as a vector of channels, once per head. A
/// head's rows of the key matrix are read in long runs.
Part SingleQueryAttention::projectedPart() const {
  Part part;
  Tensor query =
      part.input("query", {{batch, ldq}, {heads, headDim}, {headDim, 1}});
  Tensor key = part.input(
      "key", {{heads, int64_t(headDim) * ldk}, {headDim, ldk}, {readable, 1}});
  Tensor sum = reduce("projection", Combine::Sum, {heads, batch, 1, readable},
                      {headDim}, [&](const Place &at, const Place &d) {
                        return query.at({at[1], at[0], d[0]}) *
                               key.at({at[0], d[0], at[3]});
                      });
  Tensor out =
      compute("projected", {heads, batch, 1, readable}, [&](const Place &at) {
        return sum.at(at) * Expr(scale * log2e);
      });
  part.output(
      out, "scratch",
      {{heads, batch * row()}, {batch, row()}, {1, row()}, {readable, 1}});

  const int vectors = divisorUpTo(readable / lanes, accumulators);
  Loops &loops = part.schedule();
  std::vector<Loop> at = loops.around(out);
  loops.tasks(at[0]);
  std::vector<Loop> tiles = loops.split(at[3], {0, lanes * vectors});
  loops.vectorize(loops.split(tiles[1], {0, lanes})[1]);
  scheduleTile(loops, sum, tiles[0],
               {/*rows=*/1, lanes * vectors, lanes, /*chains=*/1,
                /*unrollK=*/divisorUpTo(headDim, 4)},
               /*sums=*/1);
  return part;
}

/// The scores of some heads of an image and their softmax, on the stack; only
/// the weights go to the scratch.
Part SingleQueryAttention::weightsPart() const {
  Part part;
  const int tiles = heads / tileHeads;
  Tensor x = part.input("x", tokensOf());
  Tensor projected = part.input(
      "scratch", {{heads, batch * row()}, {batch, row()}, {readable, 1}});
  auto headOf = [&](const Expr &tile, const Expr &head) {
    return tile * Expr(tileHeads) + head;
  };
  // Scores beyond the last token repeat it: they cannot change the maximum.
  // (image, tile of heads, tile of tokens, token, head)
  const int together = std::max(1, accumulators / tileHeads);
  const int rows = divisorUpTo(scores, together);
  RowReduction dot = reduceRow(
      "dot", Combine::Sum, {batch, tiles, scores / rows, rows, tileHeads},
      channels, readable, machine.lanes,
      [&](const Place &at, const Expr &column) {
        Expr token = lesserOf(at[2] * Expr(rows) + at[3], Expr(tokens - 1));
        return x.at({at[0], token, column}) *
               projected.at({headOf(at[1], at[4]), at[0], column});
      },
      /*chains=*/1);
  Tensor score =
      compute("score", {batch, tiles, scores / rows, rows, tileHeads},
              [&](const Place &at) { return dot.total.at(at); });
  auto scoreAt = [&](const Place &at, const Expr &token) {
    return score.at(
        {at[0], at[1], floorDiv(token, rows), floorMod(token, rows), at[2]});
  };
  const std::vector<int> shape = {batch, tiles, tileHeads};
  RowReduction most = reduceRow("most", Combine::Max, shape, scores, scores,
                                machine.lanes, scoreAt);
  Tensor exponential = compute(
      "exponential", {batch, tiles, tileHeads, scores}, [&](const Place &at) {
        Place head = {at[0], at[1], at[2]};
        return fastExp2NonPositive(scoreAt(head, at[3]) - most.total.at(head));
      });
  RowReduction sum =
      reduceRow("sum", Combine::Sum, shape, tokens, scores, machine.lanes,
                [&](const Place &at, const Expr &token) {
                  return exponential.at({at[0], at[1], at[2], token});
                });
  Tensor inverse = compute("inverse", shape, [&](const Place &at) {
    return Expr(1.0f) / sum.total.at(at);
  });
  Tensor weights = compute(
      "weights", {batch, tiles, tileHeads, scores}, [&](const Place &at) {
        return exponential.at(at) * inverse.at({at[0], at[1], at[2]});
      });
  part.output(weights, "scratch",
              {{batch, heads * scoreRow()},
               {tiles, tileHeads * scoreRow()},
               {tileHeads, scoreRow()},
               {scores, 1}},
              weightsAt);

  Loops &loops = part.schedule();
  std::vector<Loop> at = loops.around(weights);
  Loop task = loops.fuse({at[0], at[1]});
  loops.tasks(task);
  loops.vectorize(loops.split(at[3], {0, machine.lanes})[1]);
  loops.computeAt(inverse, at[2]);
  loops.keepLocal(inverse);
  scheduleReduction(loops, sum, at[2]);
  loops.computeAt(exponential, task);
  loops.keepLocal(exponential);
  std::vector<Loop> inner = loops.around(exponential);
  Loop head = inner[inner.size() - 2];
  loops.vectorize(loops.split(inner.back(), {0, machine.lanes})[1]);
  scheduleReduction(loops, most, head);
  // A tile of scores has one vector of partial sums for each head and token.
  loops.computeAt(score, task);
  loops.keepLocal(score);
  inner = loops.around(score);
  scheduleReduction(loops, dot, inner[inner.size() - 3], /*together=*/2);
  return part;
}

/// Σ_j p_j (V x_j) = V (Σ_j p_j x_j): the tokens are mixed first. Each row of x
/// gives a run of whole cache lines.
Part SingleQueryAttention::pooledPart() const {
  Part part;
  const int tiles = heads / tileHeads;
  Tensor x = part.input("x", tokensOf());
  Tensor weights = part.input("scratch",
                              {{batch, heads * scoreRow()},
                               {tiles, tileHeads * scoreRow()},
                               {tileHeads, scoreRow()},
                               {tokens, 1}},
                              weightsAt);
  const std::vector<int> shape = {batch, tiles, tileHeads, readable};
  Tensor mixed = reduce("mixed", Combine::Sum, shape, {tokens},
                        [&](const Place &at, const Place &j) {
                          return weights.at({at[0], at[1], at[2], j[0]}) *
                                 x.at({at[0], j[0], at[3]});
                        });
  Tensor pooled =
      compute("pooled", shape, [&](const Place &at) { return mixed.at(at); });
  part.output(pooled, "scratch",
              {{batch, heads * row()},
               {tiles, tileHeads * row()},
               {tileHeads, row()},
               {readable, 1}},
              pooledAt);

  const int vectors =
      divisorUpTo(readable / lanes, std::max(1, accumulators / tileHeads));
  Loops &loops = part.schedule();
  std::vector<Loop> at = loops.around(pooled);
  std::vector<Loop> columns = loops.split(at[3], {0, lanes * vectors});
  std::vector<Loop> inner = loops.split(columns[1], {0, lanes});
  loops.reorder({columns[0], at[2], inner[0], inner[1]});
  loops.tasks(loops.fuse({at[0], at[1]}));
  loops.vectorize(inner[1]);
  scheduleTile(loops, mixed, columns[0],
               {tileHeads, lanes * vectors, lanes, /*chains=*/1,
                /*unrollK=*/1},
               /*sums=*/1);
  return part;
}

/// A gemm of few rows. Column n of panel np belongs to one head; columns beyond
/// the last repeat its head, with weights of zero.
Part SingleQueryAttention::outPart() const {
  Part part;
  Tensor pooled = part.input(
      "scratch", {{batch, heads * row()}, {heads, row()}, {channels, 1}},
      pooledAt);
  Tensor value = part.input(
      "value",
      {{panels, int64_t(panel) * channels}, {channels, panel}, {panel, 1}});
  const int vector = machine.lanesFor(std::gcd(panel, headDim));
  const int columns = vector * divisorUpTo(panel / vector, accumulators);
  const int chains =
      divisorUpTo(channels, std::max(1, accumulators / (columns / vector)));
  // Vectors stand inside a head, so that its number is theirs.
  auto headOf = [&](const Expr &np, const Expr &v) {
    Expr first = np * Expr(panel) + v * Expr(vector);
    return lesserOf(floorDiv(first, headDim), Expr(heads - 1));
  };
  const std::vector<int> shape = {panels, batch, chains, panel / vector,
                                  vector};
  Tensor sum =
      reduce("product", Combine::Sum, shape, {channels / chains},
             [&](const Place &at, const Place &k) {
               Expr channel = k[0] * Expr(chains) + at[2];
               return pooled.at({at[1], headOf(at[0], at[3]), channel}) *
                      value.at({at[0], channel, at[3] * Expr(vector) + at[4]});
             });
  Tensor out = compute(
      "result", {panels, batch, panel / vector, vector}, [&](const Place &at) {
        Expr total = sum.at({at[0], at[1], 0, at[2], at[3]});
        for (int chain = 1; chain < chains; ++chain)
          total = total + sum.at({at[0], at[1], chain, at[2], at[3]});
        return total;
      });
  part.output(
      out, "out",
      {{panels, panel}, {batch, ldo}, {panel / vector, vector}, {vector, 1}});

  Loops &loops = part.schedule();
  std::vector<Loop> at = loops.around(out);
  loops.tasks(at[0]);
  std::vector<Loop> tiles = loops.split(at[2], {0, columns / vector});
  loops.vectorize(at[3]);
  loops.computeAt(sum, tiles[0]);
  loops.keepLocal(sum);
  std::vector<Loop> inner = loops.around(sum);
  const size_t end = inner.size();
  std::vector<Loop> steps =
      loops.split(inner[end - 1], {0, divisorUpTo(channels / chains, 4)});
  loops.reorder(
      {steps[0], steps[1], inner[end - 4], inner[end - 3], inner[end - 2]});
  loops.vectorize(inner[end - 2]);
  for (const Loop &loop : {steps[1], inner[end - 4], inner[end - 3]})
    loops.unroll(loop);
  loops.decompose(sum, steps[0]);
  return part;
}

void SingleQueryAttention::define(Kernel &kernel) const {
  kernel.stage(heads, parallel, projectedPart());
  kernel.stage(batch * heads / tileHeads, parallel, weightsPart());
  kernel.stage(batch * heads / tileHeads, parallel, pooledPart());
  kernel.stage(panels, parallel, outPart());
}

Kernel
buildSingleQueryAttention(const families::SingleQueryAttentionShape &spec,
                          Schedule &schedule, const Machine &machine) {
  if (spec.weights != families::WeightFormat::F32)
    fail(&families::SingleQueryAttentionShape::weights,
         "vitc-tvm takes float32 weights");
  SingleQueryAttention attention(spec, schedule, machine);
  Kernel kernel;
  for (const char *name : {"x", "query", "key", "value"})
    kernel.input(name);
  kernel.output("scratch");
  kernel.output("out");
  kernel.define = [attention](Kernel &kernel) { attention.define(kernel); };
  return kernel;
}

} // namespace vitc::tvm_backend
