// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// activation, add, affine, copy, gate and scale: each element is read, changed
/// and written.
#include "math.h"
#include "rows.h"

namespace vitc::tvm_backend {

/// What an element costs that only passes through memory, in FLOPs.
constexpr double copyFlops = 4;
/// The same of an activation function.
constexpr double activationFlops = 30;

namespace {

/// A matrix that is read: an argument with its row stride.
struct Operand {
  std::string name;
  int stride;
};

/// out[r][c] = value(operands' elements), for kernels whose operands have the
/// output's rows. `columns` are per-column parameters, one row each.
struct ElementwiseRows {
  int rows, width, ldy;
  double flopsPerElement;
  std::vector<Operand> operands;
  std::vector<std::string> columns;
  std::function<Expr(const std::vector<Expr> &)> value;
};

} // namespace

static Kernel buildRows(const ElementwiseRows &rows, Schedule &schedule,
                        const Machine &machine) {
  Kernel kernel;
  for (const Operand &operand : rows.operands)
    kernel.input(operand.name);
  for (const std::string &name : rows.columns)
    kernel.input(name);
  kernel.output("out");
  kernel.mayAlias = true;
  const RowTasks tasks =
      readRowTasks(schedule, rows.rows, rows.flopsPerElement * rows.width);
  const int lanes = machine.lanesFor(rows.width);
  kernel.define = [=](Kernel &kernel) {
    addRowStage(kernel, rows.rows, tasks, [&](Part &part, const Run &run) {
      auto matrix = [&](int stride) -> std::vector<Dimension> {
        return {{run.tasks, int64_t(run.each) * stride},
                {run.each, stride},
                {rows.width, 1}};
      };
      std::vector<Tensor> matrices, vectors;
      for (const Operand &operand : rows.operands)
        matrices.push_back(part.input(operand.name, matrix(operand.stride),
                                      int64_t(run.first) * operand.stride));
      for (const std::string &name : rows.columns)
        vectors.push_back(part.input(name, {{rows.width, 1}}));
      Tensor out = compute("result", {run.tasks, run.each, rows.width},
                           [&](const Place &at) {
                             std::vector<Expr> values;
                             for (const Tensor &matrix : matrices)
                               values.push_back(matrix.at(at));
                             for (const Tensor &vector : vectors)
                               values.push_back(vector.at({at[2]}));
                             return rows.value(values);
                           });
      part.output(out, "out", matrix(rows.ldy), int64_t(run.first) * rows.ldy);
      scheduleRows(part, out, lanes);
    });
  };
  return kernel;
}

Kernel buildActivation(const families::ActivationShape &spec,
                       Schedule &schedule, const Machine &machine) {
  const int rows = spec.rows, cols = spec.cols, ldx = spec.ldx, ldy = spec.ldy;
  const families::Activation function = spec.function;
  int width = std::min(paddedColumns(cols, ldx), paddedColumns(cols, ldy));
  return buildRows(
      {rows, width, ldy, activationFlops,
       /*operands=*/{{"x", ldx}}, /*columns=*/{},
       [=](const std::vector<Expr> &x) { return activation(function, x[0]); }},
      schedule, machine);
}

Kernel buildScale(const families::ScaleShape &spec, Schedule &schedule,
                  const Machine &machine) {
  const int rows = spec.rows, cols = spec.cols, ldx = spec.ldx, ldy = spec.ldy;
  const double factor = spec.factor;
  int width = std::min(paddedColumns(cols, ldx), paddedColumns(cols, ldy));
  return buildRows(
      {rows, width, ldy, copyFlops, /*operands=*/{{"x", ldx}}, /*columns=*/{},
       [=](const std::vector<Expr> &x) { return x[0] * Expr(factor); }},
      schedule, machine);
}

Kernel buildAffine(const families::AffineShape &spec, Schedule &schedule,
                   const Machine &machine) {
  const int rows = spec.rows, cols = spec.cols, ldx = spec.ldx, ldy = spec.ldy;
  const bool shift = spec.shift;
  const families::Activation function = spec.activation;
  int width = std::min(paddedColumns(cols, ldx), paddedColumns(cols, ldy));
  std::vector<std::string> columns = {"scale"};
  if (shift)
    columns.push_back("shift");
  return buildRows(
      {rows, width, ldy,
       function == families::Activation::None ? copyFlops : activationFlops,
       /*operands=*/{{"x", ldx}}, columns,
       [=](const std::vector<Expr> &x) {
         return activation(function, shift ? x[0] * x[1] + x[2] : x[0] * x[1]);
       }},
      schedule, machine);
}

Kernel buildAdd(const families::AddShape &spec, Schedule &schedule,
                const Machine &machine) {
  const int rows = spec.rows, cols = spec.cols, lda = spec.lda, ldb = spec.ldb,
            ldc = spec.ldc, period = spec.period;
  int width = std::min({paddedColumns(cols, lda), paddedColumns(cols, ldb),
                        paddedColumns(cols, ldc)});
  const RowTasks tasks = readRowTasks(schedule, rows, copyFlops * width);
  const int lanes = machine.lanesFor(width);
  Kernel kernel;
  kernel.input("a");
  kernel.input("b");
  kernel.output("out");
  kernel.mayAlias = true;
  kernel.define = [=](Kernel &kernel) {
    addRowStage(kernel, rows, tasks, [&](Part &part, const Run &run) {
      auto matrix = [&](int stride) -> std::vector<Dimension> {
        return {{run.tasks, int64_t(run.each) * stride},
                {run.each, stride},
                {width, 1}};
      };
      Tensor a = part.input("a", matrix(lda), int64_t(run.first) * lda);
      Tensor b = part.input("b", {{std::min(period, rows), ldb}, {width, 1}});
      Tensor out =
          compute("result", {run.tasks, run.each, width}, [&](const Place &at) {
            Expr row = at[0] * Expr(run.each) + at[1] + Expr(run.first);
            if (period < rows)
              row = floorMod(row, period);
            return a.at(at) + b.at({row, at[2]});
          });
      part.output(out, "out", matrix(ldc), int64_t(run.first) * ldc);
      scheduleRows(part, out, lanes);
    });
  };
  return kernel;
}

Kernel buildCopy(const families::CopyShape &spec, Schedule &schedule,
                 const Machine &machine) {
  constexpr int rank = 4;
  const std::array<int, rank> shape = spec.shape, from = spec.srcStrides,
                              to = spec.dstStrides;
  std::vector<Dimension> source, target;
  for (int i = 0; i < rank; ++i) {
    source.push_back({shape[i], from[i]});
    target.push_back({shape[i], to[i]});
  }

  // Vectors run along the dimension that is contiguous on both sides, or else
  // where it is written; tasks along the outermost of the others.
  int along = -1;
  for (int i = 0; i < rank; ++i)
    if (to[i] == 1 && shape[i] > 1 && (along < 0 || from[i] <= 1))
      along = i;
  int outermost = along == 0 ? 1 : 0;
  for (int i = rank - 1; i >= 0; --i)
    if (i != along && shape[i] > 1)
      outermost = i;
  const int tasks = shape[outermost];
  double flops = copyFlops * shape[0] * shape[1] * shape[2] * shape[3] / tasks;
  const bool parallel = schedule.parallel(worthParallel(flops, tasks));
  const int lanes = along < 0 ? 1 : machine.lanesFor(shape[along]);

  Kernel kernel;
  kernel.input("x");
  kernel.output("out");
  kernel.define = [=](Kernel &kernel) {
    Part part;
    Tensor x = part.input("x", source);
    Tensor out = compute("result", {shape.begin(), shape.end()},
                         [&](const Place &at) { return x.at(at); });
    part.output(out, "out", target);
    Loops &loops = part.schedule();
    std::vector<Loop> all = loops.around(out), order = {all[outermost]};
    for (int i = 0; i < rank; ++i)
      if (i != outermost && i != along)
        order.push_back(all[i]);
    if (along >= 0)
      order.push_back(all[along]);
    loops.reorder(order);
    loops.tasks(order.front());
    if (lanes > 1)
      loops.vectorize(loops.split(order.back(), {0, lanes})[1]);
    kernel.stage(tasks, parallel, std::move(part));
  };
  return kernel;
}

} // namespace vitc::tvm_backend
