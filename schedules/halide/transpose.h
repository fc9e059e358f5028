// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Squares of floats that are transposed in registers.
#ifndef VITC_SCHEDULES_HALIDE_TRANSPOSE_H
#define VITC_SCHEDULES_HALIDE_TRANSPOSE_H

#include "Halide.h"

#include <functional>
#include <vector>

namespace vitc::halide {

/// A square of size x size floats, a power of two, for each point of `outer`,
/// read by rows and used by columns.
class TransposedSquare {
public:
  /// `element` gives the float of a row and a column of the square.
  TransposedSquare(
      int size, const std::vector<Halide::Var> &outer,
      const std::function<Halide::Expr(Halide::Expr row, Halide::Expr column)>
          &element);

  /// The float of `column` and `row`, of the square at `outer`. A vector along
  /// `row` is one register.
  Halide::Expr at(Halide::Expr row, Halide::Expr column,
                  const std::vector<Halide::Expr> &outer) const;

  /// Computes the square that is needed at `level`.
  void schedule(Halide::LoopLevel level);

private:
  int size;
  std::vector<Halide::Func>
      stages; ///< the rows, then one shuffle after another
};

} // namespace vitc::halide

#endif // VITC_SCHEDULES_HALIDE_TRANSPOSE_H
