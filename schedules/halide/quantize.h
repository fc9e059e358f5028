// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Rows in fewer bits than float32: how they are written and read.
#ifndef VITC_SCHEDULES_HALIDE_QUANTIZE_H
#define VITC_SCHEDULES_HALIDE_QUANTIZE_H

#include "kernel.h"
#include "rows.h"

namespace vitc::halide {

/// A row that is written in another format than float32.
class NarrowRows {
public:
  NarrowRows(families::RowFormat format, int cols, const Machine &machine)
      : format(format), cols(cols), machine(machine) {}

  /// Defines `out(c, r)`, the row's bytes or bfloat16, of `element(c, r)`,
  /// whose columns up to `readable` may be asked for.
  void define(Halide::Func out, Halide::Func element, int readable);
  /// Schedules what `out` needs of a row; `row` is one of its rows.
  void schedule(Halide::LoopLevel row);

  /// Elements of a row of `out`.
  int rowElements() const;

private:
  Halide::Expr byte(Halide::Func element, Halide::Var c, Halide::Var r);

  const families::RowFormat format;
  const int cols;
  const Machine &machine;
  std::vector<RowReduction> reductions;
  std::vector<Halide::Func> values;
};

/// The scale and the offset of row `m` of 8-bit rows of `cols` columns.
struct RowScale {
  Halide::Expr scale, offset;
};
RowScale rowScale(const Halide::ImageParam &rows, const Halide::Var &m,
                  int cols);

} // namespace vitc::halide

#endif // VITC_SCHEDULES_HALIDE_QUANTIZE_H
