// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// norm: rows, or groups of a row's channels, normalised by their mean and
/// variance (layer), their mean square (rms) or their length (l2).
#include "rows.h"

namespace vitc::tvm_backend {

namespace {

/// What the kinds have in common: where the elements come from and what has to
/// be scheduled once per group.
struct Group {
  std::vector<int> shape; ///< tasks, rows, groups
  int channels, readable, lanes;
  float eps;
  std::function<Expr(const Place &, const Expr &)> element;
  /// In the order of their computation; a value follows what it needs.
  std::vector<std::function<void(Loops &, const Loop &)>> schedules;

  Tensor sum(const std::string &name,
             const std::function<Expr(const Place &, const Expr &)> &term) {
    RowReduction made =
        reduceRow(name, Combine::Sum, shape, channels, readable, lanes, term);
    schedules.push_back([made](Loops &loops, const Loop &level) {
      scheduleReduction(loops, made, level);
    });
    return made.total;
  }

  Tensor value(const std::string &name,
               const std::function<Expr(const Place &)> &formula) {
    Tensor made = compute(name, shape, formula);
    schedules.push_back([made](Loops &loops, const Loop &level) {
      loops.computeAt(made, level);
      loops.keepLocal(made);
    });
    return made;
  }
};

using RowValue = std::function<Expr(const Place &, const Expr &)>;

} // namespace

/// (x - mean) / sqrt(var + eps). A float mean of values around 1000 is wrong by
/// 3e-5, which a standard deviation of 1 would show. So the mean is only a
/// shift s: with d = x - s, exact or nearly so, mean(d) is what s lacks, and
/// the variance is mean(d^2) - mean(d)^2, where nothing cancels since mean(d)
/// is tiny. Two passes, as for the plain formula.
static RowValue layerNorm(Group &group) {
  const Expr perElement = 1.0 / group.channels;
  RowValue element = group.element;
  Tensor sum = group.sum("sum", element);
  Tensor shift = group.value(
      "shift", [&](const Place &at) { return sum.at(at) * perElement; });
  RowValue deviation = [=](const Place &at, const Expr &column) {
    return element(at, column) - shift.at(at);
  };
  Tensor sum1 = group.sum("sum1", deviation);
  Tensor sum2 = group.sum("sum2", [&](const Place &at, const Expr &column) {
    return let("d", deviation(at, column), [](const Expr &d) { return d * d; });
  });
  Tensor rest = group.value(
      "rest", [&](const Place &at) { return sum1.at(at) * perElement; });
  Tensor inverse = group.value("inverse", [&](const Place &at) {
    Expr variance =
        greaterOf(sum2.at(at) * perElement - rest.at(at) * rest.at(at), 0.0f);
    return Expr(1.0f) / squareRoot(variance + Expr(group.eps));
  });
  return [=](const Place &at, const Expr &column) {
    return (deviation(at, column) - rest.at(at)) * inverse.at(at);
  };
}

/// x / sqrt(mean(x^2) + eps), or x / max(|x|, eps): one pass for the sum.
static RowValue scaled(Group &group, bool rms) {
  RowValue element = group.element;
  Tensor sum = group.sum("sum", [&](const Place &at, const Expr &column) {
    return let("e", element(at, column), [](const Expr &x) { return x * x; });
  });
  Tensor inverse = group.value("inverse", [&](const Place &at) {
    Expr total = sum.at(at);
    Expr size =
        rms ? squareRoot(total * Expr(1.0 / group.channels) + Expr(group.eps))
            : greaterOf(squareRoot(total), group.eps);
    return Expr(1.0f) / size;
  });
  return [=](const Place &at, const Expr &column) {
    return element(at, column) * inverse.at(at);
  };
}

Kernel buildNorm(const families::NormShape &spec, Schedule &schedule,
                 const Machine &machine) {
  const int rows = spec.rows, cols = spec.cols, ldx = spec.ldx, ldy = spec.ldy,
            groups = spec.groups;
  const double eps = spec.eps;
  const bool affine = spec.affine, shift = spec.shift;
  using families::NormKind;
  const NormKind kind = spec.kind;
  // Only the last group has padding behind it, so none is used.
  const int channels = cols / groups;
  const int readable = groups == 1 ? paddedColumns(cols, ldx) : channels;
  const int written =
      groups == 1 ? std::min(readable, paddedColumns(cols, ldy)) : channels;
  // Narrow groups get vectors that divide them, but for the narrowest.
  constexpr int fewestLanes = 4;
  const int lanes = groups == 1
                        ? machine.lanes
                        : std::max(machine.lanesFor(channels), fewestLanes);
  const RowTasks tasks = readRowTasks(schedule, rows, 8.0 * cols);

  Kernel kernel;
  kernel.input("x");
  if (affine)
    kernel.input("gain");
  if (shift)
    kernel.input("bias");
  kernel.output("out");
  kernel.mayAlias = true;
  kernel.define = [=](Kernel &kernel) {
    addRowStage(kernel, rows, tasks, [&](Part &part, const Run &run) {
      // ---- Algorithm
      auto matrix = [&](int width, int stride) -> std::vector<Dimension> {
        return {{run.tasks, int64_t(run.each) * stride},
                {run.each, stride},
                {groups, channels},
                {width, 1}};
      };
      Tensor x =
          part.input("x", matrix(readable, ldx), int64_t(run.first) * ldx);
      Tensor gain, bias;
      if (affine)
        gain = part.input("gain", {{groups, channels}, {written, 1}});
      if (shift)
        bias = part.input("bias", {{groups, channels}, {written, 1}});
      Group group;
      group.shape = {run.tasks, run.each, groups};
      group.channels = channels;
      group.readable = readable;
      group.lanes = lanes;
      group.eps = float(eps);
      group.element = [=](const Place &at, const Expr &column) {
        return x.at({at[0], at[1], at[2], column});
      };
      RowValue normal = kind == NormKind::Layer
                            ? layerNorm(group)
                            : scaled(group, kind == NormKind::Rms);
      Tensor out = compute("result", {run.tasks, run.each, groups, written},
                           [&](const Place &at) {
                             Expr value = normal({at[0], at[1], at[2]}, at[3]);
                             if (affine)
                               value = value * gain.at({at[2], at[3]});
                             if (shift)
                               value = value + bias.at({at[2], at[3]});
                             return value;
                           });
      part.output(out, "out", matrix(written, ldy), int64_t(run.first) * ldy);

      // ---- Schedule. A row of some KB stays in the first-level cache through
      // its two or three visits.
      Loop level = scheduleRows(part, out, machine.lanesFor(written));
      for (size_t i = group.schedules.size(); i-- > 0;)
        group.schedules[i](part.schedule(), level);
    });
  };
  return kernel;
}

} // namespace vitc::tvm_backend
