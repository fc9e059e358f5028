// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// attention: softmax(scale q k^T + bias + mask) v for each image, or window,
/// and head; on request the probabilities as well.
#include "common/attention.h"
#include "math.h"
#include "rows.h"
#include "tile.h"

namespace vitc::tvm_backend {

namespace {

class Attention : AttentionShape, AttentionSchedule {
public:
  Attention(const families::AttentionShape &spec, Schedule &schedule,
            const Machine &machine);
  void declare(Kernel &kernel) const;
  void define(Kernel &kernel) const;

private:
  /// Some queries of each task: `rows` from `first` on, in tiles of `height`.
  struct Queries {
    Run run;
    int offset, rows, height;
  };
  /// Tensors of the softmax of some queries.
  struct Softmax {
    Tensor queries, product, scores, weights, inverse;
    RowReduction most, sum;
  };

  Stage keyStage() const;
  Part keyPart(int firstPanel, int panelCount) const;
  Stage queryStage() const;
  Softmax defineSoftmax(Part &part, const Queries &queries) const;
  void scheduleSoftmax(Part &part, const Softmax &softmax,
                       const Queries &queries, const Loop &task,
                       const Loop &tileLevel) const;
  Part outPart(const Queries &queries, bool fromMaps) const;
  Part mapPart(const Queries &queries) const;
  std::vector<Dimension> inHeads(int rows, int stride, const Run &run) const;
  std::vector<Dimension> mapsOf(const Queries &queries) const;
  int64_t mapsOffset(const Queries &queries) const;
  std::vector<int> shapeOf(const Queries &queries) const {
    return {batch, heads, queries.run.tasks, queries.rows};
  }

  Machine machine;
  int lanesD; ///< vectors along a head, which must not touch its neighbour
};

} // namespace

/// The last rows of a block have tiles and weights of their own, and TVM's
/// loops have no rest of steps.
Attention::Attention(const families::AttentionShape &spec, Schedule &schedule,
                     const Machine &machine)
    : AttentionShape(spec),
      AttentionSchedule(
          *this, machine, schedule, /*weightTiles=*/2, /*otherBytes=*/0,
          Values(1, std::min(tokens, 64))
              .dividing(tokens, "the " + std::to_string(tokens) + " tokens")
              .worthwhileUpTo(16)),
      machine(machine), lanesD(machine.lanesFor(headDim)) {}

void Attention::declare(Kernel &kernel) const {
  for (const char *name : {"q", "k", "v"})
    kernel.input(name);
  if (withBias)
    kernel.input("bias");
  if (masks > 0)
    kernel.input("mask");
  kernel.output("scratch");
  if (withMaps)
    kernel.output("probabilities");
  kernel.output("out");
}

/// q, k, v and out: images, heads, tasks' rows, a task's rows, a head's
/// columns.
std::vector<Dimension> Attention::inHeads(int rows, int stride,
                                          const Run &run) const {
  return {{batch, int64_t(rows) * stride},
          {heads, headDim},
          {run.tasks, int64_t(run.each) * stride},
          {run.each, stride},
          {headDim, 1}};
}

// ---- Keys in panels, like a GEMM's weights. Columns beyond the last key
// repeat it: without a bias they cannot change the maximum.

Part Attention::keyPart(int firstPanel, int panelCount) const {
  Part part;
  const Run all{0, tokens, 1};
  Tensor k = part.input("k", inHeads(tokens, ldk, all));
  const bool beyond = (firstPanel + panelCount) * panel > tokens;
  Tensor keysT = compute("keysT", {batch, heads, panelCount, headDim, panel},
                         [&](const Place &at) {
                           Expr key =
                               (at[2] + Expr(firstPanel)) * Expr(panel) + at[4];
                           if (beyond)
                             key = lesserOf(key, tokens - 1);
                           return k.at({at[0], at[1], 0, key, at[3]});
                         });
  const int64_t panelFloats = int64_t(panel) * headDim,
                headFloats = int64_t(headDim) * scratchKeys();
  part.output(keysT, "scratch",
              {{batch, heads * headFloats},
               {heads, headFloats},
               {panelCount, panelFloats},
               {headDim, panel},
               {panel, 1}},
              firstPanel * panelFloats);
  // A vector of keys is gathered from as many rows, whose cache lines stay for
  // the next columns of the head.
  Loops &loops = part.schedule();
  std::vector<Loop> at = loops.around(keysT);
  std::vector<Loop> lanes = loops.split(at[4], {0, machine.lanes});
  loops.reorder({at[2], lanes[0], at[3], lanes[1]});
  loops.tasks(loops.fuse({at[0], at[1]}));
  loops.vectorize(lanes[1]);
  return part;
}

Stage Attention::keyStage() const {
  const int whole = tokens / panel;
  Section section{batch * heads, {}};
  if (whole > 0)
    section.parts.push_back(keyPart(0, whole));
  if (whole < panels)
    section.parts.push_back(keyPart(whole, panels - whole));
  return {{std::move(section)}, parallel, together};
}

// ---- The softmax of some queries

Attention::Softmax Attention::defineSoftmax(Part &part,
                                            const Queries &queries) const {
  const Run &run = queries.run;
  const int first = run.first + queries.offset;
  std::vector<Dimension> queryRows = inHeads(queryCount, ldq, run);
  queryRows[3].extent = queries.rows;
  Tensor q = part.input("q", queryRows, int64_t(first) * ldq);
  const int64_t panelFloats = int64_t(panel) * headDim,
                headFloats = int64_t(headDim) * scratchKeys();
  Tensor keysT = part.input("scratch", {{batch, heads * headFloats},
                                        {heads, headFloats},
                                        {panels, panelFloats},
                                        {headDim, panel},
                                        {panel, 1}});
  const int64_t tableFloats = int64_t(queryCount) * ldb;
  auto table = [&](const char *name, int count) {
    return part.input(name,
                      {{count, tableFloats},
                       {run.tasks, int64_t(run.each) * ldb},
                       {queries.rows, ldb},
                       {ldb, 1}},
                      int64_t(first) * ldb);
  };
  Tensor bias, mask;
  if (withBias)
    bias = table("bias", heads);
  if (masks > 0)
    mask = table("mask", masks);

  Softmax softmax;
  softmax.queries =
      compute("queries", {batch, heads, run.tasks, queries.rows, headDim},
              [&](const Place &at) { return q.at(at) * Expr(scale * log2e); });
  // Columns in vectors, so that the last panel may be narrower.
  const int vectors = keys / machine.lanes, perPanel = panel / machine.lanes;
  softmax.product = reduce(
      "product", Combine::Sum,
      {batch, heads, run.tasks, queries.rows, vectors, machine.lanes},
      {headDim}, [&](const Place &at, const Place &d) {
        Expr query = softmax.queries.at({at[0], at[1], at[2], at[3], d[0]});
        Expr key =
            keysT.at({at[0], at[1], floorDiv(at[4], perPanel), d[0],
                      floorMod(at[4], perPanel) * Expr(machine.lanes) + at[5]});
        return query * key;
      });
  softmax.scores = compute(
      "scores", {batch, heads, run.tasks, queries.rows, vectors, machine.lanes},
      [&](const Place &at) {
        Expr score = softmax.product.at(at);
        Expr column = at[4] * Expr(machine.lanes) + at[5];
        if (!withBias && masks == 0)
          return score;
        Expr added = 0.0f;
        if (withBias)
          added = bias.at({at[1], at[2], at[3], column});
        if (masks > 0) {
          Expr number = masks >= batch ? at[0] : floorMod(at[0], masks);
          Expr value = mask.at({number, at[2], at[3], column});
          added = withBias ? added + value : value;
        }
        return score + added * Expr(log2e);
      });
  auto scoreAt = [&](const Place &row, const Expr &column) {
    return softmax.scores.at({row[0], row[1], row[2], row[3],
                              floorDiv(column, machine.lanes),
                              floorMod(column, machine.lanes)});
  };
  const bool added = withBias || masks > 0;
  softmax.most = reduceRow("most", Combine::Max, shapeOf(queries),
                           added ? tokens : keys, keys, machine.lanes, scoreAt);
  softmax.weights =
      compute("weights", {batch, heads, run.tasks, queries.rows, keys},
              [&](const Place &at) {
                Place row(at.begin(), at.begin() + 4);
                return fastExp2NonPositive(scoreAt(row, at[4]) -
                                           softmax.most.total.at(row));
              });
  softmax.sum = reduceRow(
      "sum", Combine::Sum, shapeOf(queries), tokens, keys, machine.lanes,
      [&](const Place &row, const Expr &column) {
        return softmax.weights.at({row[0], row[1], row[2], row[3], column});
      });
  softmax.inverse = compute("inverse", shapeOf(queries), [&](const Place &row) {
    return Expr(1.0f) / softmax.sum.total.at(row);
  });
  return softmax;
}

/// The scores of a task's queries stand on the stack; the softmax is taken a
/// tile of rows at a time, at `tileLevel`.
void Attention::scheduleSoftmax(Part &part, const Softmax &softmax,
                                const Queries &queries, const Loop &task,
                                const Loop &tileLevel) const {
  Loops &loops = part.schedule();
  loops.computeAt(softmax.inverse, tileLevel);
  loops.keepLocal(softmax.inverse);
  // Sums and maxima of the rows advance side by side, so that none waits for
  // another's latency.
  scheduleReduction(loops, softmax.sum, tileLevel, /*together=*/1);
  loops.computeAt(softmax.weights, tileLevel);
  loops.keepLocal(softmax.weights);
  std::vector<Loop> at = loops.around(softmax.weights);
  loops.vectorize(loops.split(at.back(), {0, machine.lanes})[1]);
  scheduleReduction(loops, softmax.most, tileLevel, /*together=*/1);

  // The first product: a panel of keys stays in the first-level cache while all
  // tiles of the block pass by.
  loops.computeAt(softmax.scores, task);
  loops.keepLocal(softmax.scores);
  at = loops.around(softmax.scores);
  const size_t last = at.size() - 1;
  const int perTile = divisorUpTo(keys / machine.lanes, panel / machine.lanes);
  std::vector<Loop> rows = loops.split(at[last - 2], {0, queries.height});
  std::vector<Loop> vectors = loops.split(at[last - 1], {0, perTile});
  loops.reorder({vectors[0], rows[0], rows[1], vectors[1], at[last]});
  loops.vectorize(at[last]);
  loops.computeAt(softmax.product, rows[0]);
  loops.keepLocal(softmax.product);
  at = loops.around(softmax.product);
  const size_t end = at.size();
  std::vector<Loop> steps =
      loops.split(at[end - 1], {0, divisorUpTo(headDim, 4)});
  loops.reorder({steps[0], steps[1], at[end - 4], at[end - 3], at[end - 2]});
  loops.vectorize(at[end - 2]);
  for (const Loop &loop : {steps[1], at[end - 4], at[end - 3]})
    loops.unroll(loop);
  loops.decompose(softmax.product, steps[0]);

  loops.computeAt(softmax.queries, task);
  loops.keepLocal(softmax.queries);
  loops.vectorize(
      loops.split(loops.around(softmax.queries).back(), {0, lanesD})[1]);
}

// ---- The probabilities and the output

std::vector<Dimension> Attention::mapsOf(const Queries &queries) const {
  return {{batch, probBatchStride},
          {heads, int64_t(queryCount) * tokens},
          {queries.run.tasks, int64_t(queries.run.each) * tokens},
          {queries.rows, tokens},
          {tokens, 1}};
}

int64_t Attention::mapsOffset(const Queries &queries) const {
  return int64_t(queries.run.first + queries.offset) * tokens;
}

/// The probabilities of some queries.
Part Attention::mapPart(const Queries &queries) const {
  Part part;
  Softmax softmax = defineSoftmax(part, queries);
  std::vector<int> shape = shapeOf(queries);
  shape.push_back(tokens);
  Tensor maps = compute("maps", shape, [&](const Place &at) {
    Place row(at.begin(), at.begin() + 4);
    return softmax.weights.at(at) * softmax.inverse.at(row);
  });
  part.output(maps, "probabilities", mapsOf(queries), mapsOffset(queries));

  Loops &loops = part.schedule();
  std::vector<Loop> at = loops.around(maps);
  std::vector<Loop> rows = loops.split(at[3], {0, queries.height});
  Loop task = loops.fuse({at[0], at[1], at[2]});
  loops.tasks(task);
  loops.vectorize(loops.split(at[4], {0, machine.lanesFor(tokens)})[1]);
  scheduleSoftmax(part, softmax, queries, task, rows[0]);
  return part;
}

/// The output of some queries: their probabilities times the values. With the
/// maps as an output it reads them, since they are in memory anyway.
Part Attention::outPart(const Queries &queries, bool fromMaps) const {
  const Run &run = queries.run;
  Part part;
  Softmax softmax;
  Tensor maps;
  if (fromMaps)
    maps = part.input("probabilities", mapsOf(queries), mapsOffset(queries));
  else
    softmax = defineSoftmax(part, queries);
  const Run all{0, tokens, 1};
  Tensor v = part.input("v", inHeads(tokens, ldv, all));
  std::vector<int> shape = shapeOf(queries);
  shape.push_back(headDim);
  Tensor mixed = reduce("mixed", Combine::Sum, shape, {tokens},
                        [&](const Place &at, const Place &j) {
                          Place weight = {at[0], at[1], at[2], at[3], j[0]};
                          return (fromMaps ? maps.at(weight)
                                           : softmax.weights.at(weight)) *
                                 v.at({at[0], at[1], 0, j[0], at[4]});
                        });
  Tensor out = compute("result", shape, [&](const Place &at) {
    Place row(at.begin(), at.begin() + 4);
    return fromMaps ? mixed.at(at) : mixed.at(at) * softmax.inverse.at(row);
  });
  std::vector<Dimension> place = inHeads(queryCount, ldo, run);
  place[3].extent = queries.rows;
  part.output(out, "out", place, int64_t(run.first + queries.offset) * ldo);

  // The tile is as high as the first product's, so that the weights of a tile
  // are used while they are in the first-level cache.
  const int vectors =
      divisorUpTo(headDim / lanesD, machine.tileN / machine.lanes);
  const Tile tile = {queries.height, /*columns=*/lanesD * vectors, lanesD,
                     /*chains=*/1, unrollK};
  Loops &loops = part.schedule();
  std::vector<Loop> at = loops.around(out);
  std::vector<Loop> rows = loops.split(at[3], {0, queries.height});
  std::vector<Loop> columns = loops.split(at[4], {0, tile.columns});
  std::vector<Loop> lanes = loops.split(columns[1], {0, lanesD});
  loops.reorder({rows[0], columns[0], rows[1], lanes[0], lanes[1]});
  Loop task = loops.fuse({at[0], at[1], at[2]});
  loops.tasks(task);
  loops.vectorize(lanes[1]);
  scheduleTile(loops, mixed, columns[0], tile, /*sums=*/1);
  if (!fromMaps)
    scheduleSoftmax(part, softmax, queries, task, rows[0]);
  return part;
}

Stage Attention::queryStage() const {
  Stage stage{{}, parallel, together};
  for (const Run &run : runsOf(queryCount, std::min(block, queryCount))) {
    Section section{batch * heads * run.tasks, {}};
    const int height = std::min(tileRows, run.each), rest = run.each % height;
    std::vector<Queries> pieces = {{run, 0, run.each - rest, height}};
    if (rest > 0)
      pieces.push_back({run, run.each - rest, rest, rest});
    for (const Queries &queries : pieces) {
      if (withMaps)
        section.parts.push_back(mapPart(queries));
      section.parts.push_back(outPart(queries, withMaps));
    }
    stage.sections.push_back(std::move(section));
  }
  return stage;
}

void Attention::define(Kernel &kernel) const {
  kernel.stages.push_back(keyStage());
  kernel.stages.push_back(queryStage());
}

Kernel buildAttention(const families::AttentionShape &spec, Schedule &schedule,
                      const Machine &machine) {
  Attention attention(spec, schedule, machine);
  Kernel kernel;
  attention.declare(kernel);
  kernel.define = [attention](Kernel &kernel) { attention.define(kernel); };
  return kernel;
}

} // namespace vitc::tvm_backend
