// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The products of an attention as Winograd inner products (winograd.h). Rows
/// are scaled one by one: a query to the size of a key, the weights of a query
/// to that of a column of values. The scores' error is bounded by the norms of
/// query and key, as a plain sum's is; that of the result by the sum of a row's
/// weights times the size of the values.
#include "attention.h"

using namespace Halide;

namespace vitc::halide {

/// Triples of a block of the first product's pairs: heads are short.
constexpr int scoreTriples = 10;

void Attention::readWinograd(Schedule &schedule) {
  if (!winograd)
    return;
  bool vectors = lanesD == machine.lanes,
       longEnough = tokens >= families::winogradSteps;
  bool able = vectors && longEnough && pairCount(headDim, scoreTriples) > 0;
  winogradScores = schedule.get(
      "winograd", "1: two multiplications become one and two additions",
      able && machine.hasSeparateAdders, Values(0, able));
  // Maps are the weights as they are.
  winogradValues = winogradScores && !withMaps;
}

/// The keys' own pairs; and for what belongs to a row or a column of values,
/// and for registers that LLVM puts aside, some kilobytes.
int Attention::winogradBytes() const {
  constexpr int small = 8 * 1024;
  return winogradScores
             ? roundUp(tokens, machine.tileN) * int(sizeof(float)) + small
             : 0;
}

// ---- The first product

void Attention::defineWinogradScores(const Operand &query) {
  // One panel of keys tells their size well enough.
  someKeys = RDom(0, panel, 0, headDim, "someKeys");
  keySize(h, b) += abs(keysT(someKeys.x, someKeys.y, 0, h, b));
  querySize = reduceRow(
      "querySize", Combine::Sum, headDim, headDim, {i, h, b}, machine,
      [&](Expr column) { return abs(query(column)); }, /*chains=*/1);
  constexpr float least = 1e-30f;
  queryFactor(i, h, b) = powerOfTwo(keySize(h, b) * (1.0f / panel) /
                                    max(querySize.total(i, h, b), least));
  queryUndo(i, h, b) = inverseOfPower(queryFactor(i, h, b));
  queries(d, i, h, b) = strict_float(query(d) * queryFactor(i, h, b));

  const int pairs = pairCount(headDim, scoreTriples);
  queryOwn = reduceRow(
      "queryOwn", Combine::Sum, pairs, pairs, {i, h, b}, machine,
      [&](Expr pair) {
        return ownPair(
            pair, [&](Expr step) { return queries(step, i, h, b); },
            scoreTriples);
      },
      /*chains=*/1);
  queryPairSums(i, h, b) = queryOwn.total(i, h, b);
  keySteps = RDom(0, pairs, "keySteps");
  keyPairSums(j, jp, h, b) += ownPair(
      keySteps, [&](Expr step) { return keysT(j, step, jp, h, b); },
      scoreTriples);
}

void Attention::addWinogradScores() {
  scoreSteps = addWinograd(
      product, {j, i, jp, h, b}, /*first=*/0, headDim,
      [&](Expr step) { return queries(step, i, h, b); },
      [&](Expr step) { return keysT(j, step, jp, h, b); }, scoreTriples);
}

/// All by each task: the keys' own pairs are a hundredth of its time.
void Attention::scheduleWinogradScores(LoopLevel blockLevel) {
  for (Func value : {queryFactor, queryUndo, queryPairSums, keySize})
    value.compute_at(blockLevel).store_in(MemoryType::Register);
  scheduleReduction(querySize, LoopLevel(queryFactor, i));
  scheduleReduction(queryOwn, LoopLevel(queryPairSums, i));
  keySize.update().atomic().vectorize(someKeys.x, machine.lanes);
  keyPairSums.compute_at(blockLevel)
      .store_in(MemoryType::Register)
      .bound_extent(j, panel)
      .vectorize(j, machine.lanes)
      .unroll(j);
  keyPairSums.update()
      .reorder(j, keySteps, jp)
      .vectorize(j, machine.lanes)
      .unroll(j);
}

// ---- The second product

void Attention::defineWinogradValues() {
  constexpr int everyNth = 8;
  someValues = RDom(0, tokens / everyNth, "someValues");
  valueSizes(d, h, b) += abs(v(d, h, someValues * everyNth, b));
  columns = RDom(0, headDim, "columns");
  valueSize(h, b) += valueSizes(columns, h, b);
  weightFactor(i, h, b) = powerOfTwo(
      valueSize(h, b) * (float(everyNth) / headDim) / sum.total(i, h, b));
  weightUndo(i, h, b) = inverseOfPower(weightFactor(i, h, b));
  scaledWeights(j, i, h, b) = weights(j, i, h, b) * weightFactor(i, h, b);

  const int pairs = pairCount(tokens);
  auto weight = [&](Expr step) { return scaledWeights(step, i, h, b); };
  auto value = [&](Expr step) { return v(d, h, step, b); };
  // One chain: those of all rows of a tile advance side by side, and four for
  // each row would not fit into the registers.
  weightPairSums = reduceRow(
      "weightPairSums", Combine::Sum, pairs, pairs, {i, h, b}, machine,
      [&](Expr pair) { return ownPair(pair, weight); }, /*chains=*/1);
  valueBlocks = RDom(0, pairs, "valueBlocks");
  valuePairSums(d, h, b) += ownPair(valueBlocks, value);
  valueSteps =
      addWinograd(mixed, {d, i, h, b}, /*first=*/0, tokens, weight, value);
}

void Attention::scheduleWinogradValues(LoopLevel blockLevel,
                                       LoopLevel tileLevel) {
  scaledWeights.compute_at(tileLevel)
      .store_in(MemoryType::Register)
      .bound_extent(j, keys)
      .vectorize(j, machine.lanes);
  for (Func sums : {valueSizes, valuePairSums})
    sums.compute_at(blockLevel)
        .store_in(MemoryType::Register)
        .bound_extent(d, headDim)
        .vectorize(d, lanesD)
        .unroll(d);
  valueSizes.update().reorder(d, someValues).vectorize(d, lanesD).unroll(d);
  valuePairSums.update().reorder(d, valueBlocks).vectorize(d, lanesD).unroll(d);
  valueSize.compute_at(blockLevel).store_in(MemoryType::Register);
  valueSize.update().atomic().vectorize(columns.x, lanesD);
}

} // namespace vitc::halide
