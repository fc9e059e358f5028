// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transpose.h"

#include "math.h"

using namespace Halide;

namespace vitc::halide {

/// A perfect shuffle takes the first float, the one in the middle, the second,
/// the one after the middle, and so on: the number of a float's place is
/// rotated by one bit. A place is (row, column), and as many shuffles as a
/// column has bits make it (column, row). One shuffle interleaves the registers
/// of the upper half with those of the lower half: for 16 x 16 floats 64
/// instructions in all, where the compiler, left to itself, needs three times
/// as many.
TransposedSquare::TransposedSquare(
    int size, const std::vector<Var> &outer,
    const std::function<Expr(Expr, Expr)> &element)
    : size(size) {
  Var bit("bit"), place("place");
  const int half = size * size / 2;
  std::vector<Var> args = {bit, place};
  args.insert(args.end(), outer.begin(), outer.end());
  Expr whole = place + half * bit;
  Func rows("squareRows");
  rows(args) = element(whole / size, whole % size);
  stages.push_back(rows);
  for (int bits = size; bits > 1; bits /= 2) {
    Func shuffled("squareShuffled");
    std::vector<Expr> from = {whole % 2, whole / 2};
    if (stages.size() == 1)
      from = {whole / half, whole % half};
    from.insert(from.end(), outer.begin(), outer.end());
    shuffled(args) = stages.back()(from);
    stages.push_back(shuffled);
  }
}

Expr TransposedSquare::at(Expr row, Expr column,
                          const std::vector<Expr> &outer) const {
  Expr place = column * size + row;
  std::vector<Expr> args = {place % 2, place / 2};
  args.insert(args.end(), outer.begin(), outer.end());
  return stages.back()(args);
}

void TransposedSquare::schedule(LoopLevel level) {
  for (Func &stage : stages) {
    Var bit = stage.args()[0], place = stage.args()[1];
    stage.compute_at(level)
        .store_in(MemoryType::Register)
        .bound_extent(bit, 2)
        .bound_extent(place, size * size / 2)
        .vectorize(place, size)
        .unroll(place)
        .unroll(bit);
  }
  // The rows one after the other in memory, the others' bits interleaved.
  stages.front().reorder_storage(stages.front().args()[1],
                                 stages.front().args()[0]);
}

} // namespace vitc::halide
