// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// norm: a row, or each of several equal groups of its channels, brought to
/// mean 0 and variance 1 (layer), to a mean square of 1 (rms) or to length 1
/// (l2).
#include "kernel.h"
#include "quantize.h"
#include "rows.h"

#include <functional>

using namespace Halide;

namespace vitc::halide {

namespace {

/// What the kinds have in common: where the elements come from and what has to
/// be scheduled once per group.
struct Group {
  int channels, readable;
  float eps;
  std::vector<Var> place; ///< the group's coordinates
  std::function<Expr(Expr)> element;
  std::vector<RowReduction> reductions;
  std::vector<Func> values;

  const RowReduction &sum(const std::string &name,
                          const std::function<Expr(Expr)> &term,
                          const Machine &machine) {
    reductions.push_back(reduceRow(name, Combine::Sum, channels, readable,
                                   place, machine, term));
    return reductions.back();
  }

  Func value(const std::string &name, Expr expr) {
    values.push_back(Func(name));
    values.back()(place) = expr;
    return values.back();
  }
};

} // namespace

/// (x - mean) / sqrt(var + eps). A float mean of values around 1000 is wrong by
/// 3e-5, which a standard deviation of 1 would show. So the mean is only a
/// shift s: with d = x - s, exact or nearly so, mean(d) is what s lacks, and
/// the variance is mean(d^2) - mean(d)^2, where nothing cancels since mean(d)
/// is tiny. Two passes, as for the plain formula.
static Expr layerNorm(Group &group, const Var &c, const Machine &machine) {
  const float perElement = float(1.0 / group.channels);
  const std::vector<Expr> place(group.place.begin(), group.place.end());
  Func sum = group.sum("sum", group.element, machine).total;
  Func shift = group.value("shift", sum(place) * perElement);
  // Strict: x - shift - rest must not become x - (shift + rest).
  auto deviation = [&](Expr column) {
    return strict_float(group.element(column) - shift(place));
  };
  Func sum1 = group.sum("sum1", deviation, machine).total;
  auto square = [&](Expr column) {
    Expr d = deviation(column);
    return d * d;
  };
  Func sum2 = group.sum("sum2", square, machine).total;
  Func rest = group.value("rest", sum1(place) * perElement);
  Expr variance =
      max(sum2(place) * perElement - rest(place) * rest(place), 0.0f);
  Func inverse = group.value("inverse", 1.0f / sqrt(variance + group.eps));
  return strict_float(deviation(c) - rest(place)) * inverse(place);
}

/// x / sqrt(mean(x^2) + eps), or x / max(|x|, eps): one pass for the sum.
static Expr scaled(Group &group, bool rms, const Var &c,
                   const Machine &machine) {
  const std::vector<Expr> place(group.place.begin(), group.place.end());
  auto square = [&](Expr column) {
    Expr x = group.element(column);
    return x * x;
  };
  Expr sum = group.sum("sum", square, machine).total(place);
  Expr size = rms ? sqrt(sum * float(1.0 / group.channels) + group.eps)
                  : max(sqrt(sum), group.eps);
  Func inverse = group.value("inverse", 1.0f / size);
  return group.element(c) * inverse(place);
}

Kernel buildNorm(const families::NormShape &spec, Schedule &schedule,
                 const Machine &machine) {
  const int rows = spec.rows, cols = spec.cols, ldx = spec.ldx, ldy = spec.ldy,
            groups = spec.groups;
  // Only the last group has padding behind it, so none is used.
  int channels = cols / groups;
  int readable = groups == 1 ? paddedColumns(cols, ldx) : channels;
  int written =
      groups == 1 ? std::min(readable, paddedColumns(cols, ldy)) : channels;

  // ---- Algorithm
  Kernel kernel;
  ImageParam x = kernel.input(
      "x", {{readable, 1}, {groups, channels}, {rows, ldx}}, floatAlignment);
  Var c("c"), g("g"), r("r");
  Group group;
  group.channels = channels;
  group.readable = readable;
  group.eps = float(spec.eps);
  group.place = {g, r};
  group.element = [&](Expr column) { return x(column, g, r); };
  // Narrow groups get vectors that divide them, but for the narrowest.
  constexpr int fewestLanes = 4;
  Machine narrow = machine;
  if (groups > 1)
    narrow.lanes = std::max(machine.lanesFor(channels), fewestLanes);
  using families::NormKind;
  Expr value = spec.kind == NormKind::Layer
                   ? layerNorm(group, c, narrow)
                   : scaled(group, spec.kind == NormKind::Rms, c, narrow);
  int parameters = groups == 1 ? roundUp(cols, paddingFloats) : channels;
  if (spec.affine)
    value *= kernel.input("gain", {{parameters, 1}, {groups, channels}})(c, g);
  if (spec.shift)
    value += kernel.input("bias", {{parameters, 1}, {groups, channels}})(c, g);
  Func out("out");
  auto scheduleGroups = [&](LoopLevel level) {
    for (RowReduction &reduction : group.reductions)
      scheduleReduction(reduction, level);
    for (Func &func : group.values)
      scheduleValue(func, level, machine);
  };
  if (spec.format != families::RowFormat::F32) {
    if (machine.gpu())
      fail(&families::NormShape::format, "a GPU writes float32 alone");
    NarrowRows rowsOut(spec.format, cols, machine);
    Func normalized("normalized"), element("element");
    normalized(c, g, r) = value;
    element(c, r) = normalized(c, 0, r);
    rowsOut.define(out, element, readable);
    kernel.output(out, "out", {{spec.rowElements(), 1}, {rows, ldy}});

    // ---- Schedule. The normalised row is visited three times; a long one is
    // computed anew instead of being kept.
    constexpr int keptColumns = 8192;
    LoopLevel row = scheduleRows(out, spec.rowElements(), rows,
                                 /*flopsPerElement=*/14, schedule, machine);
    if (cols <= keptColumns)
      normalized.compute_at(row)
          .store_in(MemoryType::Stack)
          .bound_extent(c, cols)
          .vectorize(c, machine.lanes,
                     cols % machine.lanes == 0 ? TailStrategy::RoundUp
                                               : TailStrategy::GuardWithIf);
    scheduleGroups(row);
    rowsOut.schedule(row);
    return kernel;
  }
  out(c, g, r) = value;
  kernel.output(out, "out", {{written, 1}, {groups, channels}, {rows, ldy}},
                floatAlignment);

  // ---- Schedule. A row of some KB stays in the first-level cache through its
  // two or three visits.
  scheduleGroups(scheduleRows(out, written, rows,
                              /*flopsPerElement=*/8.0 * groups, schedule,
                              narrow));
  return kernel;
}

} // namespace vitc::halide
