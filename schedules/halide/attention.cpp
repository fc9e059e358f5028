/// attention: softmax(scale q k^T) v for each image and head; on request the
/// probabilities as well.
#include "kernel.h"
#include "math.h"
#include "rows.h"
#include "tile.h"

using namespace Halide;

namespace vitc::halide {

/// The scratch argument is sized for whole panels of this many keys.
constexpr int scratchPanel = 32;

/// Bytes of a task's scores and queries on the stack; one tile's weights come
/// on top.
constexpr int blockBytes = 64 * 1024;

/// Bytes of stack that the protocol allows a kernel.
constexpr int stackBytes = 128 * 1024;

namespace {

class Attention {
public:
  Attention(Fields &spec, const Machine &machine);
  void define();
  void scheduleKeys();
  void readSchedule(Schedule &schedule, Fields &spec);
  void scheduleLoops();

  Kernel kernel;

private:
  void splitQueries(Func func, const std::vector<VarOrRVar> &inner);

  const Machine &machine;
  int batch, heads, tokens, headDim;
  double scale;
  int ldq, ldk, ldv, ldo, probBatchStride = 0;
  bool withMaps;
  int panel, panels,
      keys;   ///< columns of a panel of keys, panels, both together
  int lanesD; ///< vectors along a head, which must not touch its neighbour

  int tileRows, block, unrollK;
  bool parallel;

  Var d{"d"}, i{"i"}, j{"j"}, h{"h"}, b{"b"}, jp{"jp"};
  Var head{"head"}, task{"task"}, ib{"ib"}, io{"io"}, ii{"ii"};
  RDom rd, rj;
  Func keyRows{"keyRows"}, keysT{"keysT"}, queries{"queries"},
      product{"product"}, scores{"scores"};
  Func weights{"weights"}, inverse{"inverse"}, maps{"maps"}, mixed{"mixed"},
      out{"out"};
  RowReduction most, sum;
};

} // namespace

Attention::Attention(Fields &spec, const Machine &machine) : machine(machine) {
  batch = spec.integer("batch", 1);
  heads = spec.integer("heads", 1);
  tokens = spec.integer("tokens", 1);
  headDim = spec.integer("head_dim", 1);
  scale = spec.number("scale");
  ldq = rowStride(spec, "ldq", heads * headDim);
  ldk = rowStride(spec, "ldk", heads * headDim);
  ldv = rowStride(spec, "ldv", heads * headDim);
  ldo = rowStride(spec, "ldo", heads * headDim);
  withMaps = spec.flag("probabilities");
  if (withMaps)
    probBatchStride =
        rowStride(spec, "prob_batch_stride", heads * tokens * tokens);

  panel = machine.tileN;
  panels = (tokens + panel - 1) / panel;
  keys = panels * panel;
  lanesD = machine.lanesFor(headDim);
  rd = RDom(0, headDim, "rd");
  rj = RDom(0, tokens, "rj");
}

// ---- Algorithm

void Attention::define() {
  auto inHeads = [&](int stride) -> std::vector<Dimension> {
    return {{headDim, 1},
            {heads, headDim},
            {tokens, stride},
            {batch, int64_t(tokens) * stride}};
  };
  ImageParam q = kernel.input("q", inHeads(ldq), floatAlignment);
  ImageParam k = kernel.input("k", inHeads(ldk), floatAlignment);
  ImageParam v = kernel.input("v", inHeads(ldv), floatAlignment);

  // Keys in panels, like a GEMM's weights. Columns beyond the last key repeat
  // it: they cannot change the maximum.
  keyRows(d, j, h, b) = k(d, h, min(j, tokens - 1), b);
  keysT(j, d, jp, h, b) = keyRows(d, jp * panel + j, h, b);

  // Scores in units of log2, so that the softmax takes powers of two. Queries
  // beyond the last repeat it.
  constexpr double log2e = 1.4426950408889634;
  queries(d, i, h, b) = q(d, h, min(i, tokens - 1), b) * float(scale * log2e);
  product(j, i, jp, h, b) = 0.0f;
  product(j, i, jp, h, b) =
      multiplyAdd(product(j, i, jp, h, b), queries(rd, i, h, b),
                  keysT(j, rd, jp, h, b), machine.lanes);
  scores(j, i, h, b) = product(j % panel, i, j / panel, h, b);

  most = reduceRow("most", Combine::Max, keys, keys, {i, h, b}, machine,
                   [&](Expr column) { return scores(column, i, h, b); });
  // Strict, since the power's n = round(difference) must not be subtracted from
  // the large score first.
  Expr difference = strict_float(scores(j, i, h, b) - most.total(i, h, b));
  weights(j, i, h, b) = fastExp2NonPositive(difference);
  sum = reduceRow("sum", Combine::Sum, tokens, keys, {i, h, b}, machine,
                  [&](Expr column) { return weights(column, i, h, b); });
  inverse(i, h, b) = 1.0f / sum.total(i, h, b);
  maps(j, i, h, b) = weights(j, i, h, b) * inverse(i, h, b);

  // With the maps as an output the second product reads them, since they are in
  // memory anyway.
  Func left = withMaps ? maps : weights;
  mixed(d, i, h, b) = 0.0f;
  mixed(d, i, h, b) =
      multiplyAdd(mixed(d, i, h, b), left(rj, i, h, b), v(d, h, rj, b), lanesD);
  Expr value = mixed(d, i, h, b);
  out(d, h, i, b) = withMaps ? value : value * inverse(i, h, b);

  int64_t headFloats = int64_t(headDim) * roundUp(tokens, scratchPanel);
  kernel.output(keysT, "scratch",
                {{panel, 1},
                 {headDim, panel},
                 {panels, int64_t(panel) * headDim},
                 {heads, headFloats},
                 {batch, heads * headFloats}});
  if (withMaps)
    kernel.output(maps, "probabilities",
                  {{tokens, 1},
                   {tokens, tokens},
                   {heads, int64_t(tokens) * tokens},
                   {batch, probBatchStride}},
                  floatAlignment);
  kernel.output(out, "out", inHeads(ldo));
}

// ---- Schedule

/// A task is a block of queries of one head, whose scores stand on the stack.
void Attention::readSchedule(Schedule &schedule, Fields &spec) {
  const int floatBytes = sizeof(float);
  tileRows = std::min(machine.tileRowsMax, tokens);
  while (tileRows > 1 && tileRows * (keys + headDim) * floatBytes > blockBytes)
    --tileRows;
  if (int64_t(tileRows) * (2 * keys + headDim) * floatBytes > stackBytes)
    spec.fail("tokens", std::to_string(tokens) + " need more than " +
                            std::to_string(stackBytes / 1024) +
                            " KiB of stack for one row of scores");
  tileRows = schedule.get("tile_m", tileRows, 1, 64);

  int fitting =
      std::max(1, blockBytes / floatBytes / (keys + headDim) / tileRows) *
      tileRows;
  block = schedule.get("block_q", std::min(fitting, roundUp(tokens, tileRows)),
                       tileRows, 4096);
  if (block % tileRows != 0)
    schedule.fail("block_q", std::to_string(block) +
                                 " is not a multiple of tile_m " +
                                 std::to_string(tileRows));
  unrollK = schedule.get("unroll_k", 1, 1, std::min(tokens, 64));
  int blocks = (tokens + block - 1) / block;
  double flopsPerTask = 4.0 * block * tokens * headDim;
  parallel = schedule.get(
      "parallel", worthParallel(flopsPerTask, double(batch) * heads * blocks),
      0, 1);
}

/// The keys are transposed once per head, in squares that stay in registers.
void Attention::scheduleKeys() {
  int square = std::min(lanesD, machine.lanes);
  Var dt("dt"), dv("dv"), jt("jt"), jv("jv");
  keysT.split(d, dt, dv, square)
      .split(j, jt, jv, machine.lanes)
      .reorder(jv, dv, dt, jt, jp, h, b)
      .vectorize(jv)
      .unroll(dv)
      .fuse(h, b, head);
  keyRows.compute_at(keysT, dt)
      .store_in(MemoryType::Register)
      .bound_extent(d, square)
      .bound_extent(j, machine.lanes)
      .vectorize(d)
      .unroll(j);
  if (parallel)
    keysT.parallel(head);
}

/// Blocks of queries, in tiles of rows, for the output and for the maps alike.
/// `inner` are the loops inside a tile.
void Attention::splitQueries(Func func, const std::vector<VarOrRVar> &inner) {
  std::vector<VarOrRVar> order = inner;
  order.insert(order.end(), {io, ib, h, b});
  func.split(i, ib, ii, block, TailStrategy::GuardWithIf)
      .split(ii, io, ii, tileRows, TailStrategy::GuardWithIf)
      .reorder(order)
      .fuse(h, b, head)
      .fuse(ib, head, task);
  if (parallel)
    func.parallel(task);
}

void Attention::scheduleLoops() {
  // The second product. Its tile is as high as the first one's, so that the
  // weights of a tile are used while they are in the first-level cache. Four
  // steps share a branch; a rest of steps gets code of its own.
  int vectors = divisorUpTo(headDim / lanesD, machine.tileN / machine.lanes);
  Tile second = {tileRows, /*columns=*/lanesD * vectors, lanesD, /*chains=*/1,
                 unrollK};
  Var dn("dn"), di("di");
  out.split(d, dn, di, second.columns);
  splitQueries(out, {di, ii, dn});
  out.vectorize(di, lanesD).unroll(di).unroll(ii);
  scheduleTile(mixed, d, {i}, rj, /*outerK=*/{}, second, LoopLevel(out, dn));

  Func consumer = out;
  if (withMaps) {
    splitQueries(maps, {j, ii});
    maps.vectorize(j, machine.lanes,
                   tokens % machine.lanes == 0 ? TailStrategy::RoundUp
                                               : TailStrategy::GuardWithIf);
    consumer = maps;
  }

  // The first product: a panel of keys stays in the first-level cache while all
  // tiles of the block pass by. Halide would move more than 16 KB from
  // MemoryType::Stack to the heap; MemoryType::Register stays on the stack.
  LoopLevel blockLevel(consumer, task), tileLevel(consumer, io);
  queries.compute_at(blockLevel)
      .store_in(MemoryType::Register)
      .vectorize(d, lanesD);
  Tile first = {tileRows, panel, machine.lanes, /*chains=*/1,
                /*unrollK=*/divisorUpTo(headDim, 4)};
  Var jo("jo"), ji("ji");
  scores.compute_at(blockLevel)
      .store_in(MemoryType::Register)
      .bound_extent(j, keys)
      .split(j, jo, ji, panel)
      .split(i, io, ii, tileRows, TailStrategy::RoundUp)
      .reorder(ji, ii, io, jo)
      .vectorize(ji, machine.lanes)
      .unroll(ji)
      .unroll(ii);
  scheduleTile(product, j, {i}, rd, /*outerK=*/{}, first,
               LoopLevel(scores, io));

  // The softmax, a tile of rows at a time.
  weights.compute_at(tileLevel)
      .store_in(MemoryType::Register)
      .bound_extent(j, keys)
      .vectorize(j, machine.lanes);
  scheduleReduction(most, LoopLevel(weights, i));
  inverse.compute_at(tileLevel).store_in(MemoryType::Register);
  scheduleReduction(sum, LoopLevel(inverse, i));
}

Kernel buildAttention(Fields &spec, Schedule &schedule,
                      const Machine &machine) {
  Attention attention(spec, machine);
  attention.define();
  attention.readSchedule(schedule, spec);
  attention.scheduleKeys();
  attention.scheduleLoops();
  return attention.kernel;
}

} // namespace vitc::halide
