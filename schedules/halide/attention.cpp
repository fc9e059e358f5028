/// attention: softmax(scale q k^T) v for each image and head; on request the
/// probabilities as well.
#include "kernel.h"
#include "math.h"
#include "rows.h"
#include "tile.h"

using namespace Halide;

namespace vitc::halide {

/// Keys per panel of the transposed keys; the scratch argument is sized for
/// whole panels of this many.
constexpr int scratchPanel = 32;

namespace {
struct Shape {
  int batch, heads, tokens, headDim;
  double scale;
  int ldq, ldk, ldv, ldo;
  bool probabilities;
  int probBatchStride;
};
} // namespace

static Shape readShape(Fields &spec) {
  Shape s = {};
  s.batch = spec.integer("batch", 1);
  s.heads = spec.integer("heads", 1);
  s.tokens = spec.integer("tokens", 1);
  s.headDim = spec.integer("head_dim", 1);
  s.scale = spec.number("scale");
  s.ldq = rowStride(spec, "ldq", s.heads * s.headDim);
  s.ldk = rowStride(spec, "ldk", s.heads * s.headDim);
  s.ldv = rowStride(spec, "ldv", s.heads * s.headDim);
  s.ldo = rowStride(spec, "ldo", s.heads * s.headDim);
  s.probabilities = spec.flag("probabilities");
  if (s.probabilities)
    s.probBatchStride =
        rowStride(spec, "prob_batch_stride", s.heads * s.tokens * s.tokens);
  return s;
}

Kernel buildAttention(Fields &spec, Schedule &schedule,
                      const Machine &machine) {
  Shape s = readShape(spec);
  int panel = machine.tileN;
  int panels = (s.tokens + panel - 1) / panel, keys = panels * panel;
  auto heads = [&](int stride) -> std::vector<Dimension> {
    return {{s.headDim, 1},
            {s.heads, s.headDim},
            {s.tokens, stride},
            {s.batch, int64_t(s.tokens) * stride}};
  };

  // ---- Algorithm
  Kernel kernel;
  ImageParam q = kernel.input("q", heads(s.ldq), floatAlignment);
  ImageParam k = kernel.input("k", heads(s.ldk), floatAlignment);
  ImageParam v = kernel.input("v", heads(s.ldv), floatAlignment);
  Var d("d"), i("i"), j("j"), h("h"), b("b"), jp("jp");
  RDom rd(0, s.headDim, "rd"), rj(0, s.tokens, "rj");

  // Keys in panels, like a GEMM's weights. Columns beyond the last key repeat
  // it, so that they never are the maximum alone and hold no NaN of their own.
  Func keysT("keysT");
  keysT(j, d, jp, h, b) = k(d, h, min(jp * panel + j, s.tokens - 1), b);

  // Scores in units of log2, so that the softmax takes powers of two. Queries
  // beyond the last repeat it.
  constexpr double log2e = 1.4426950408889634;
  Func queries("queries"), product("product"), scores("scores");
  queries(d, i, h, b) =
      q(d, h, min(i, s.tokens - 1), b) * float(s.scale * log2e);
  product(j, i, jp, h, b) = 0.0f;
  product(j, i, jp, h, b) += queries(rd, i, h, b) * keysT(j, rd, jp, h, b);
  scores(j, i, h, b) = product(j % panel, i, j / panel, h, b);

  RowReduction most =
      reduceRow("most", Combine::Max, keys, keys, {i, h, b}, machine,
                [&](Expr column) { return scores(column, i, h, b); });
  Func weights("weights"), inverse("inverse");
  weights(j, i, h, b) = fastExp2NonPositive(
      strict_float(scores(j, i, h, b) - most.total(i, h, b)));
  RowReduction sum =
      reduceRow("sum", Combine::Sum, s.tokens, keys, {i, h, b}, machine,
                [&](Expr column) { return weights(column, i, h, b); });
  inverse(i, h, b) = 1.0f / sum.total(i, h, b);

  // With the maps as an output the second product reads them, since they are in
  // memory anyway.
  Func probabilities("probabilities"), mixed("mixed"), out("out");
  probabilities(j, i, h, b) = weights(j, i, h, b) * inverse(i, h, b);
  mixed(d, i, h, b) = 0.0f;
  if (s.probabilities) {
    mixed(d, i, h, b) += probabilities(rj, i, h, b) * v(d, h, rj, b);
    out(d, h, i, b) = mixed(d, i, h, b);
  } else {
    mixed(d, i, h, b) += weights(rj, i, h, b) * v(d, h, rj, b);
    out(d, h, i, b) = mixed(d, i, h, b) * inverse(i, h, b);
  }

  int64_t headFloats = int64_t(s.headDim) * roundUp(s.tokens, scratchPanel);
  kernel.output(keysT, "scratch",
                {{panel, 1},
                 {s.headDim, panel},
                 {panels, int64_t(panel) * s.headDim},
                 {s.heads, headFloats},
                 {s.batch, s.heads * headFloats}});
  if (s.probabilities)
    kernel.output(probabilities, "probabilities",
                  {{s.tokens, 1},
                   {s.tokens, s.tokens},
                   {s.heads, int64_t(s.tokens) * s.tokens},
                   {s.batch, s.probBatchStride}},
                  floatAlignment);
  kernel.output(out, "out", heads(s.ldo),
                s.ldo % paddingFloats == 0 ? lineAlignment : floatAlignment);

  // ---- Schedule. A task is a block of queries of one head. Its scores stand
  // on the stack; Halide would move more than 16 KB from MemoryType::Stack to
  // the heap, MemoryType::Register stays.
  int tileRows = std::min(machine.tileRowsMax, s.tokens);
  constexpr int scoreBytes = 64 * 1024;
  while (tileRows > 1 && tileRows * keys * int(sizeof(float)) > scoreBytes)
    --tileRows;
  tileRows = schedule.get("tile_m", tileRows, 1, 64);
  int fitting =
      std::max(1, scoreBytes / int(sizeof(float)) / keys / tileRows) * tileRows;
  int block =
      schedule.get("block_q", std::min(fitting, roundUp(s.tokens, tileRows)),
                   tileRows, 4096);
  if (block % tileRows != 0)
    schedule.fail("block_q", std::to_string(block) +
                                 " is not a multiple of tile_m " +
                                 std::to_string(tileRows));
  int blocks = (s.tokens + block - 1) / block;
  double flopsPerTask = 4.0 * block * s.tokens * s.headDim;
  bool parallel = schedule.get(
      "parallel",
      worthParallel(flopsPerTask, double(s.batch) * s.heads * blocks), 0, 1);

  Var head("head"), task("task"), ib("ib"), io("io"), ii("ii"), dn("dn"),
      di("di"), jo("jo"), ji("ji");
  keysT.reorder(j, d, jp, h, b).vectorize(j, machine.lanes).fuse(h, b, head);
  if (parallel)
    keysT.parallel(head);

  // Blocks of queries, in tiles of rows, for the output and for the maps alike.
  // `inner` are the loops inside a tile.
  auto splitQueries = [&](Func func, const std::vector<VarOrRVar> &inner) {
    std::vector<VarOrRVar> order = inner;
    order.insert(order.end(), {io, ib, h, b});
    func.split(i, ib, ii, block, TailStrategy::GuardWithIf)
        .split(ii, io, ii, tileRows, TailStrategy::GuardWithIf)
        .reorder(order)
        .fuse(h, b, head)
        .fuse(ib, head, task);
    if (parallel)
      func.parallel(task);
  };

  int lanesD = machine.lanesFor(s.headDim);
  Tile second = {
      tileRows,
      lanesD * divisorUpTo(s.headDim / lanesD, machine.tileN / machine.lanes),
      lanesD, divisorUpTo(s.tokens, 4)};
  out.split(d, dn, di, second.columns);
  splitQueries(out, {di, ii, dn});
  out.vectorize(di, lanesD).unroll(di).unroll(ii);
  scheduleTile(mixed, d, i, rj, /*outerK=*/{}, second, LoopLevel(out, dn));

  Func consumer = out;
  if (s.probabilities) {
    splitQueries(probabilities, {j, ii});
    probabilities.vectorize(j, machine.lanes,
                            s.tokens % machine.lanes == 0
                                ? TailStrategy::RoundUp
                                : TailStrategy::GuardWithIf);
    consumer = probabilities;
  }
  LoopLevel blockLevel(consumer, task), tileLevel(consumer, io);
  queries.compute_at(blockLevel)
      .store_in(MemoryType::Register)
      .vectorize(d, lanesD);
  Tile first = {tileRows, panel, machine.lanes, divisorUpTo(s.headDim, 4)};
  scores.compute_at(blockLevel)
      .store_in(MemoryType::Register)
      .bound_extent(j, keys)
      .split(j, jo, ji, panel)
      .split(i, io, ii, tileRows, TailStrategy::RoundUp)
      .reorder(ji, ii, io, jo)
      .vectorize(ji, machine.lanes)
      .unroll(ji)
      .unroll(ii);
  scheduleTile(product, j, i, rd, /*outerK=*/{}, first, LoopLevel(scores, io));
  weights.compute_at(tileLevel)
      .store_in(MemoryType::Register)
      .bound_extent(j, keys)
      .vectorize(j, machine.lanes);
  scheduleReduction(most, LoopLevel(weights, i));
  inverse.compute_at(tileLevel).store_in(MemoryType::Register);
  scheduleReduction(sum, LoopLevel(inverse, i));
  return kernel;
}

} // namespace vitc::halide
