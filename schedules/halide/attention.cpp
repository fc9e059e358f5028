// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// attention: softmax(scale q k^T + bias + mask) v for each image, or window,
/// and head; on request the probabilities as well.
#include "attention.h"

#include "math.h"
#include "next_task_prefetch.h"
#include "tile.h"

using namespace Halide;

namespace vitc::halide {

Attention::Attention(const families::AttentionShape &spec,
                     const Machine &machine)
    : AttentionShape(spec), machine(machine) {
  lanesD = machine.gpu() ? machine.lanes : machine.lanesFor(headDim);
  rd = RDom(0, headDim, "rd");
  rj = RDom(0, tokens, "rj");
}

void Attention::readSchedule(Schedule &schedule) {
  readWinograd(schedule);
  static_cast<AttentionSchedule &>(*this) =
      AttentionSchedule(*this, machine, schedule,
                        /*weightTiles=*/winogradValues ? 2 : 1, winogradBytes(),
                        Values(1, std::min(tokens, 64)).worthwhileUpTo(16));
  wholeKeys = keys / panel * panel;
  restRows = divisorUpTo(block, machine.tileRows(machine.lanes, machine.lanes));
  // One line in each visit of the first product's inner loop must do.
  int blocks = (queryCount + block - 1) / block;
  bool oneLoop = together == 1 && !withMaps && wholeKeys > 0;
  int visits =
      wholeKeys / panel * (block / tileRows) * headDim / stepsOfFirst();
  bool enough = visits >= block * linesPerRow() && blocks > 1;
  prefetch = schedule.get(
      "prefetch", "1: a task fetches rows of the next one into the cache",
      oneLoop && enough && machine.leftFloats > 0, Values(0, oneLoop));
}

// ---- Algorithm

void Attention::define() {
  auto inHeads = [&](int rows, int stride) -> std::vector<Dimension> {
    return {{headDim, 1},
            {heads, headDim},
            {rows, stride},
            {batch, int64_t(rows) * stride}};
  };
  q = kernel.input("q", inHeads(queryCount, ldq), floatAlignment);
  ImageParam k = kernel.input("k", inHeads(tokens, ldk), floatAlignment);
  v = kernel.input("v", inHeads(tokens, ldv), floatAlignment);

  // Keys in panels, like a GEMM's weights. Columns beyond the last key repeat
  // it: without a bias they cannot change the maximum.
  auto key = [&](Expr d, Expr j) { return k(d, h, min(j, tokens - 1), b); };
  if (lanesD == machine.lanes) {
    Var db("db"), jb("jb");
    square.emplace(lanesD, std::vector<Var>{db, jb, h, b},
                   [&](Expr row, Expr column) {
                     return key(db * lanesD + column, jb * lanesD + row);
                   });
    keysT(j, d, jp, h, b) =
        square->at(j % lanesD, d % lanesD,
                   {d / lanesD, jp * (panel / lanesD) + j / lanesD, h, b});
  } else {
    keyRows(d, j, h, b) = key(d, j);
    keysT(j, d, jp, h, b) = keyRows(d, jp * panel + j, h, b);
  }

  // Queries beyond the last repeat it.
  Expr row = min(i, queryCount - 1);
  auto query = [&](Expr step) {
    return q(step, h, row, b) * float(scale * log2e);
  };
  if (winogradScores)
    defineWinogradScores(query);
  else
    queries(d, i, h, b) = query(d);
  std::vector<std::function<Expr(Expr)>> added;
  const std::vector<Dimension> rows = {{ldb, 1}, {queryCount, ldb}};
  const int64_t rowsFloats = int64_t(queryCount) * ldb;
  if (withBias) {
    ImageParam bias =
        kernel.input("bias", {rows[0], rows[1], {heads, rowsFloats}});
    added.push_back([=](Expr column) { return bias(column, row, h); });
  }
  if (masks > 0) {
    ImageParam mask =
        kernel.input("mask", {rows[0], rows[1], {masks, rowsFloats}});
    Expr number = masks >= batch ? Expr(b) : b % masks;
    added.push_back([=](Expr column) { return mask(column, row, number); });
  }
  auto withAdded = [&](Expr score, Expr column) {
    if (added.empty())
      return score;
    Expr sum = added[0](column);
    for (size_t n = 1; n < added.size(); ++n)
      sum += added[n](column);
    return score + sum * float(log2e);
  };
  // Whole tiles of keys, and at most one that is a vector wide: 49 keys are 56
  // columns, not 64. On a GPU a thread has one column at a time. It must ask
  // for the product by that column's number: asked for by its place in a
  // panel, a remainder, Halide would compute the whole panel.
  auto multiplied = [&](Expr sum, Expr keyColumn, Expr keyPanel) {
    return multiplyAdd(sum, queries(rd, i, h, b),
                       keysT(keyColumn, rd, keyPanel, h, b), machine.lanes);
  };
  if (machine.gpu()) {
    product(j, i, h, b) = 0.0f;
    product(j, i, h, b) = multiplied(product(j, i, h, b), j % panel, j / panel);
    scores(j, i, h, b) =
        withAdded(product(j, i, h, b), keys > ldb ? min(j, ldb - 1) : j);
  } else {
    product(j, i, jp, h, b) = 0.0f;
    if (winogradScores)
      addWinogradScores();
    else
      product(j, i, jp, h, b) = multiplied(product(j, i, jp, h, b), j, jp);
    restProduct(j, i, h, b) = 0.0f;
    restProduct(j, i, h, b) =
        multiplied(restProduct(j, i, h, b), j, panels - 1);
    scores(j, i, h, b) = undef<float>();
  }
  if (wholeKeys > 0 && !machine.gpu()) {
    whole = RDom(0, wholeKeys, "whole");
    Expr column = whole % panel, number = whole / panel,
         score = product(column, i, number, h, b);
    if (winogradScores)
      score = strict_float((score - (queryPairSums(i, h, b) +
                                     keyPairSums(column, number, h, b))) *
                           queryUndo(i, h, b));
    scores(whole, i, h, b) = withAdded(score, whole);
  }
  if (wholeKeys < keys) {
    rest = RDom(0, keys - wholeKeys, "rest");
    Expr score = restProduct(rest, i, h, b);
    if (winogradScores)
      score = strict_float(score * queryUndo(i, h, b));
    scores(wholeKeys + rest, i, h, b) = withAdded(score, wholeKeys + rest);
  }

  const int chains = machine.gpu() ? 1 : 4;
  most = reduceRow(
      "most", Combine::Max, added.empty() ? keys : tokens, keys, {i, h, b},
      machine, [&](Expr column) { return scores(column, i, h, b); }, chains);
  // Any number at the maximum or above it does; a whole one saves a subtraction
  // per score.
  top(i, h, b) = ceil(most.total(i, h, b));
  weights(j, i, h, b) = fastExp2Below(scores(j, i, h, b), top(i, h, b));
  sum = reduceRow(
      "sum", Combine::Sum, tokens, keys, {i, h, b}, machine,
      [&](Expr column) { return weights(column, i, h, b); }, chains);
  // Strict: the compiler would estimate the reciprocals of whole tiles, which
  // it takes as a vector, and divide for the rows that are left over.
  inverse(i, h, b) = strict_float(1.0f / sum.total(i, h, b));
  maps(j, i, h, b) = weights(j, i, h, b) * inverse(i, h, b);

  // With the maps as an output the second product reads them, since they are in
  // memory anyway.
  Func left = withMaps ? maps : weights;
  mixed(d, i, h, b) = 0.0f;
  Expr value = mixed(d, i, h, b);
  if (winogradValues) {
    defineWinogradValues();
    // Strict, or the order would differ between tiles.
    value = strict_float(
        (value - (weightPairSums.total(i, h, b) + valuePairSums(d, h, b))) *
        weightUndo(i, h, b));
  } else {
    mixed(d, i, h, b) = multiplyAdd(mixed(d, i, h, b), left(rj, i, h, b),
                                    v(d, h, rj, b), lanesD);
  }
  out(d, h, i, b) = withMaps ? value : value * inverse(i, h, b);

  int64_t headFloats = int64_t(headDim) * scratchKeys();
  kernel.output(keysT, "scratch",
                {{panel, 1},
                 {headDim, panel},
                 {panels, int64_t(panel) * headDim},
                 {heads, headFloats},
                 {batch, heads * headFloats}});
  if (withMaps)
    kernel.output(maps, "probabilities",
                  {{tokens, 1},
                   {queryCount, tokens},
                   {heads, int64_t(queryCount) * tokens},
                   {batch, probBatchStride}},
                  floatAlignment);
  kernel.output(out, "out", inHeads(queryCount, ldo));
}

// ---- Schedule

/// The keys are transposed once per head, in squares that stay in registers. A
/// pass of its own: done by tasks that are their head's only one, on the stack,
/// it took longer.
void Attention::scheduleKeys() {
  Var dt("dt"), dv("dv"), jt("jt"), jv("jv");
  keysT.split(d, dt, dv, lanesD)
      .split(j, jt, jv, machine.lanes)
      .reorder(jv, dv, dt, jt, jp, h, b)
      .vectorize(jv)
      .unroll(dv);
  if (square)
    square->schedule(LoopLevel(keysT, dt));
  else
    keyRows.compute_at(keysT, dt)
        .store_in(MemoryType::Register)
        .bound_extent(d, lanesD)
        .bound_extent(j, machine.lanes)
        .vectorize(d)
        .unroll(j);
  keysT.fuse(h, b, head);
  if (parallel && together > 1)
    keysT.split(head, tasks, head, together, TailStrategy::GuardWithIf)
        .parallel(tasks);
  else if (parallel)
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
  if (parallel && together > 1)
    func.split(task, tasks, task, together, TailStrategy::GuardWithIf)
        .parallel(tasks);
  else if (parallel)
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
  if (winogradValues)
    scheduleWinogradTile(mixed, valueSteps, d, i, second, LoopLevel(out, dn));
  else
    scheduleTile(mixed, d, {i}, rj, /*outerK=*/{}, second, machine,
                 LoopLevel(out, dn));

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
  kernel.stackFloats = {{queries.name(), block * headDim},
                        {scores.name(), block * keys}};
  if (winogradScores)
    scheduleWinogradScores(blockLevel);
  queries.compute_at(blockLevel)
      .store_in(MemoryType::Register)
      .vectorize(d, lanesD);
  scores.compute_at(blockLevel)
      .store_in(MemoryType::Register)
      .bound_extent(j, keys);
  auto scheduleScores = [&](Stage update, RVar columns, Func part, Tile tile) {
    Var rowTile(part.name() + "_io"), row("ii");
    RVar jo("jo"), ji("ji");
    update.split(columns, jo, ji, tile.columns)
        .split(i, rowTile, row, tile.rows, TailStrategy::RoundUp)
        .reorder(ji, row, rowTile, jo)
        .vectorize(ji, machine.lanes)
        .unroll(ji)
        .unroll(row);
    if (winogradScores && part.name() == product.name())
      scheduleWinogradTile(part, scoreSteps, j, i, tile,
                           LoopLevel(scores, rowTile));
    else
      scheduleTile(part, j, {i}, rd, /*outerK=*/{}, tile, machine,
                   LoopLevel(scores, rowTile));
  };
  Tile first = {tileRows, panel, machine.lanes, /*chains=*/1,
                /*unrollK=*/stepsOfFirst()};
  if (wholeKeys > 0)
    scheduleScores(scores.update(0), whole, product, first);
  // One step per branch: of several, the compiler loads the queries ahead and
  // spills them.
  Tile narrow = {restRows, machine.lanes, machine.lanes, /*chains=*/1,
                 /*unrollK=*/1};
  if (wholeKeys < keys)
    scheduleScores(scores.update(wholeKeys > 0 ? 1 : 0), rest, restProduct,
                   narrow);

  // The softmax, a tile of rows at a time.
  weights.compute_at(tileLevel)
      .store_in(MemoryType::Register)
      .bound_extent(j, keys)
      .vectorize(j, machine.lanes);
  // Its sums and maxima advance row by row side by side, so that none waits for
  // another's latency.
  std::vector<RowReduction *> reductions = {&most, &sum};
  std::vector<Func> values = {top, inverse};
  if (winogradValues) {
    scheduleWinogradValues(blockLevel, tileLevel);
    reductions.push_back(&weightPairSums);
    values.insert(values.end(), {weightFactor, weightUndo});
  }
  for (RowReduction *reduction : reductions) {
    scheduleReduction(*reduction, tileLevel, {i});
    reduction->lanes.bound_extent(i, tileRows);
    for (Func &stage : reduction->tree)
      stage.bound_extent(i, tileRows);
    reduction->total.bound_extent(i, tileRows);
  }
  for (Func value : values)
    value.compute_at(tileLevel)
        .store_in(MemoryType::Register)
        .bound_extent(i, tileRows)
        .unroll(i);
}

/// While a task runs, what the next one needs and no task has touched: its
/// queries and rows of the output, and a share of the next head's values.
/// Twelve heads of q, k and v exceed a Xeon's second-level cache, and rows that
/// are kilobytes apart are no stream that its own prefetcher follows: at 197
/// tokens 71% of the peak without, 77% with. Keys are left to pass by: they
/// were transposed, one after the other, just before.
void Attention::addPrefetches() {
  if (!prefetch)
    return;
  // The pass outlives this object.
  const int heads = this->heads, headDim = this->headDim, block = this->block;
  const int blocks = (queryCount + block - 1) / block;
  const int rowLines = linesPerRow();
  auto place = [=](int rows, int stride, Expr head, Expr row, Expr line) {
    return head % heads * headDim + (head / heads * rows + row) * stride +
           line % rowLines * lineFloats;
  };
  auto nextBlock = [=](const std::string &buffer, int stride) {
    int rows = queryCount;
    return PrefetchedLines{buffer, block * rowLines, [=](Expr task, Expr line) {
                             Expr next = task + 1;
                             return place(
                                 rows, stride, next / blocks,
                                 next % blocks * block + line / rowLines, line);
                           }};
  };
  auto nextHead = [=](const std::string &buffer, int stride) {
    int rows = tokens, share = (tokens * rowLines + blocks - 1) / blocks;
    return PrefetchedLines{buffer, share, [=](Expr task, Expr line) {
                             Expr all = task % blocks * share + line;
                             return place(rows, stride, task / blocks + 1,
                                          all / rowLines, all);
                           }};
  };
  kernel.prefetches.emplace_back(prefetchNextTask(
      task.name(), product.name() + ".s1." + rd.x.name() + ".ko",
      {nextHead(v.name(), ldv), nextBlock(q.name(), ldq),
       nextBlock(out.name(), ldo)}));
}

Kernel buildAttention(const families::AttentionShape &spec, Schedule &schedule,
                      const Machine &machine) {
  Attention attention(spec, machine);
  if (machine.gpu()) {
    attention.readGpuSchedule(schedule);
    attention.define();
    attention.scheduleOnGpu(schedule);
    return attention.kernel;
  }
  attention.readSchedule(schedule);
  attention.define();
  attention.scheduleKeys();
  attention.scheduleLoops();
  attention.addPrefetches();
  return attention.kernel;
}

} // namespace vitc::halide
