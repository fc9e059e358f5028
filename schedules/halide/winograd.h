// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Sums of products with fewer multiplications: with x of a row and y of a
/// column,
///
///   x0 y0 + x1 y1 = (x0 + y1)(x1 + y0) - x0 x1 - y0 y1
///                 = (y1 - x0)(x1 - y0) + x0 x1 + y0 y1
///
/// (S. Winograd, 1968). The products of two x belong to the row and those of
/// two y to the column, so that they are summed once for each. What is left of
/// two multiply-adds is one, and two additions. On a processor that adds beside
/// its multipliers, as AMD's do since Zen, the additions are free up to one per
/// multiply-add: of three steps of k, two as a pair and one as it is take two
/// multiply-adds and two additions, 2/3 of the time.
///
/// What it costs in precision. Sums hold x0 x1 and y0 y1 beside what is wanted,
/// so x and y should be of one size: a row of x is scaled by a power of two, as
/// is the result, both exactly. Then the error is bounded by the norms of the
/// row and the column; and half as many roundings of terms twice as large leave
/// the usual error just as it is. Blocks of pairs take the two forms in turn,
/// or the products of x that are all positive, as those behind a GELU are,
/// would grow with k.
#ifndef VITC_SCHEDULES_HALIDE_WINOGRAD_H
#define VITC_SCHEDULES_HALIDE_WINOGRAD_H

#include "tile.h"

#include <functional>

namespace vitc::halide {

/// Of so many steps of k two are a pair; blocks of so many triples take its two
/// forms in turn. Steps beyond a block of each form are taken as they are.
constexpr int stepsPerTriple = families::tripleSteps,
              triplesPerBlock = families::blockTriples;

/// Pairs of a sum of `depth` steps, in blocks of so many triples.
constexpr int pairCount(int depth, int triples = triplesPerBlock) {
  return depth / (2 * triples * stepsPerTriple) * 2 * triples;
}

/// An operand at a step of k.
using Operand = std::function<Halide::Expr(Halide::Expr step)>;

/// A sum's own loops.
struct WinogradSum {
  Halide::RDom triples, rest; ///< rest is not defined if nothing is left over
};

/// Adds `depth` steps from `first` on to `product` at `place`, as updates.
WinogradSum addWinograd(Halide::Func product,
                        const std::vector<Halide::Expr> &place, int first,
                        int depth, const Operand &x, const Operand &y,
                        int triples = triplesPerBlock);

/// Schedules `product`, defined over n and `row` among others, with nothing but
/// `sum` added to it, as a tile in registers.
void scheduleWinogradTile(Halide::Func product, const WinogradSum &sum,
                          Halide::Var n, Halide::Var row, const Tile &tile,
                          Halide::LoopLevel level);

/// Pair number `pair` of one operand, with its sign: what their sum over all
/// pairs adds to the product.
Halide::Expr ownPair(Halide::Expr pair, const Operand &x,
                     int triples = triplesPerBlock);

/// The greatest power of two that is not more than `ratio`, kept within 2^±64,
/// so that neither it nor its inverse overflows.
Halide::Expr powerOfTwo(Halide::Expr ratio);
/// 1 / power, exactly.
Halide::Expr inverseOfPower(Halide::Expr power);

/// Rows of a tile of so many vectors: of 32 registers 20 hold sums, 6 weights
/// of three steps, and the rest what is broadcast and added.
int winogradTileRows(const Machine &machine, int vectors);

} // namespace vitc::halide

#endif // VITC_SCHEDULES_HALIDE_WINOGRAD_H
