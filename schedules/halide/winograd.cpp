// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "winograd.h"

using namespace Halide;

namespace vitc::halide {

WinogradSum addWinograd(Func product, const std::vector<Expr> &place, int first,
                        int depth, const Operand &x, const Operand &y,
                        int triples) {
  WinogradSum sum;
  const int twoBlocks = 2 * triples * stepsPerTriple,
            blocks = depth / twoBlocks;
  // Of each triple a pair and a step as it is; of each two blocks of triples
  // one in each form.
  sum.triples = RDom(0, 2, 0, triples, 0, 2, 0, blocks, "triples");
  RVar part = sum.triples.x, triple = sum.triples.y, form = sum.triples.z,
       block = sum.triples.w;
  Expr k = first + ((block * 2 + form) * triples + triple) * stepsPerTriple;
  Expr added = (x(k) + y(k + 1)) * (x(k + 1) + y(k)),
       subtracted = (y(k + 1) - x(k)) * (x(k + 1) - y(k));
  product(place) = product(place) + select(part == 1, x(k + 2) * y(k + 2),
                                           form == 0, added, subtracted);
  if (int left = depth % twoBlocks) {
    sum.rest = RDom(0, left, "rest");
    Expr step = first + blocks * twoBlocks + sum.rest;
    product(place) = product(place) + x(step) * y(step);
  }
  return sum;
}

void scheduleWinogradTile(Func product, const WinogradSum &sum, Var n, Var row,
                          const Tile &tile, LoopLevel level) {
  Var vector("vector"), lane("lane");
  product.compute_at(level)
      .store_in(MemoryType::Register)
      .bound_extent(n, tile.columns)
      .vectorize(n, tile.lanes)
      .unroll(n)
      .unroll(row);
  // The pair and the single step of a row stand together, so that additions and
  // multiplications mix.
  RVar part = sum.triples.x, triple = sum.triples.y, form = sum.triples.z,
       block = sum.triples.w;
  product.update()
      .split(n, vector, lane, tile.lanes)
      .reorder({lane, vector, part, row, triple, form, block})
      .vectorize(lane)
      .unroll(vector)
      .unroll(part)
      .unroll(row)
      .unroll(form);
  if (sum.rest.defined())
    product.update(1)
        .split(n, vector, lane, tile.lanes)
        .reorder({lane, vector, row, sum.rest})
        .vectorize(lane)
        .unroll(vector)
        .unroll(row);
}

Expr ownPair(Expr pair, const Operand &x, int triples) {
  Expr first = pair * stepsPerTriple, product = x(first) * x(first + 1);
  return select(pair / triples % 2 == 0, product, -product);
}

constexpr int exponentBits = 0x7f800000;

Expr powerOfTwo(Expr ratio) {
  constexpr float least = 0x1p-64f, most = 0x1p64f;
  Expr bits = reinterpret<int32_t>(clamp(ratio, least, most));
  return reinterpret<float>(bits & Expr(exponentBits));
}

/// The exponents of both, each with its bias of 127, add up to 254.
Expr inverseOfPower(Expr power) {
  constexpr int twiceTheBias = 254 << 23;
  return reinterpret<float>(twiceTheBias - reinterpret<int32_t>(power));
}

int winogradTileRows(const Machine &machine, int vectors) {
  constexpr int others = 6;
  return std::max(1, (machine.registers - others - stepsPerTriple * vectors) /
                         vectors);
}

} // namespace vitc::halide
