// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// activation, add, affine, copy, gate and scale: each element is read, changed
/// and written.
#include "gpu/elements.h"
#include "kernel.h"
#include "math.h"
#include "rows.h"

using namespace Halide;

namespace vitc::halide {

/// A thread for each element on a GPU, vectors along the rows elsewhere.
static void scheduleEach(Func out, int cols, int rows, double flopsPerElement,
                         Schedule &schedule, const Machine &machine) {
  if (machine.gpu())
    scheduleElements(out, readThreads(schedule));
  else
    scheduleRows(out, cols, rows, flopsPerElement, schedule, machine);
}

Kernel buildActivation(const families::ActivationShape &spec,
                       Schedule &schedule, const Machine &machine) {
  const int rows = spec.rows, cols = spec.cols, ldx = spec.ldx, ldy = spec.ldy;
  int width = std::min(paddedColumns(cols, ldx), paddedColumns(cols, ldy));

  // ---- Algorithm
  Kernel kernel;
  ImageParam x = kernel.input("x", {{width, 1}, {rows, ldx}});
  Var c("c"), r("r");
  Func out("out");
  out(c, r) = activation(spec.function, x(c, r));
  kernel.output(out, "out", {{width, 1}, {rows, ldy}});

  // ---- Schedule
  scheduleEach(out, width, rows, activationFlops, schedule, machine);
  return kernel;
}

Kernel buildAdd(const families::AddShape &spec, Schedule &schedule,
                const Machine &machine) {
  const int rows = spec.rows, cols = spec.cols, lda = spec.lda, ldb = spec.ldb,
            ldc = spec.ldc, period = spec.period;
  int width = std::min({paddedColumns(cols, lda), paddedColumns(cols, ldb),
                        paddedColumns(cols, ldc)});

  // ---- Algorithm
  Kernel kernel;
  ImageParam a = kernel.input("a", {{width, 1}, {rows, lda}});
  ImageParam b = kernel.input("b", {{width, 1}, {std::min(period, rows), ldb}});
  Var c("c"), r("r");
  Func out("out");
  out(c, r) = a(c, r) + b(c, period >= rows ? Expr(r) : r % period);
  kernel.output(out, "out", {{width, 1}, {rows, ldc}});

  // ---- Schedule. Bound by memory: an element costs about as much as four
  // FLOPs.
  scheduleEach(out, width, rows, /*flopsPerElement=*/4, schedule, machine);
  return kernel;
}

Kernel buildScale(const families::ScaleShape &spec, Schedule &schedule,
                  const Machine &machine) {
  const int rows = spec.rows, cols = spec.cols, ldx = spec.ldx, ldy = spec.ldy;
  int width = std::min(paddedColumns(cols, ldx), paddedColumns(cols, ldy));

  // ---- Algorithm
  Kernel kernel;
  ImageParam x = kernel.input("x", {{width, 1}, {rows, ldx}});
  Var c("c"), r("r");
  Func out("out");
  out(c, r) = x(c, r) * float(spec.factor);
  kernel.output(out, "out", {{width, 1}, {rows, ldy}});

  // ---- Schedule. Bound by memory, as above.
  scheduleEach(out, width, rows, /*flopsPerElement=*/4, schedule, machine);
  return kernel;
}

Kernel buildAffine(const families::AffineShape &spec, Schedule &schedule,
                   const Machine &machine) {
  const int rows = spec.rows, cols = spec.cols, ldx = spec.ldx, ldy = spec.ldy;
  int width = std::min(paddedColumns(cols, ldx), paddedColumns(cols, ldy));

  // ---- Algorithm
  Kernel kernel;
  ImageParam x = kernel.input("x", {{width, 1}, {rows, ldx}});
  Var c("c"), r("r");
  Expr value = x(c, r) * kernel.input("scale", {{width, 1}})(c);
  if (spec.shift)
    value += kernel.input("shift", {{width, 1}})(c);
  Func out("out");
  out(c, r) = activation(spec.activation, value);
  kernel.output(out, "out", {{width, 1}, {rows, ldy}});

  // ---- Schedule
  bool plain = spec.activation == families::Activation::None;
  scheduleEach(out, width, rows, plain ? 4 : activationFlops, schedule,
               machine);
  return kernel;
}

/// Columns of gates that a task may keep on the stack.
constexpr int mostGates = 8 * 1024;

Kernel buildGate(const families::GateShape &spec, Schedule &schedule,
                 const Machine &machine) {
  const int rows = spec.rows, cols = spec.cols, ldx = spec.ldx, ldg = spec.ldg,
            ldy = spec.ldy, perGate = spec.rowsPerGate;
  const bool plain = spec.function == families::Activation::None;

  // ---- Algorithm. A row is number r of those of gate g. x and out may be
  // columns of a wider buffer, so there is no padding to touch.
  Kernel kernel;
  int gates = (rows + perGate - 1) / perGate;
  bool whole = gates * perGate == rows; // or else one gate per row, repeated
  int inner = whole ? perGate : rows, outer = whole ? gates : 1;
  auto grouped = [&](int stride) -> std::vector<Dimension> {
    return {{cols, 1}, {inner, stride}, {outer, int64_t(inner) * stride}};
  };
  ImageParam x = kernel.input("x", grouped(ldx), floatAlignment);
  ImageParam gate =
      kernel.input("g", {{cols, 1}, {gates, ldg}}, floatAlignment);
  Var c("c"), r("r"), g("g"), task("task");
  Func open("open"), out("out");
  open(c, g) = activation(spec.function, gate(c, g));
  out(c, r, g) = x(c, r, g) * open(c, whole ? Expr(g) : r / perGate);
  kernel.output(out, "out", grouped(ldy), floatAlignment);

  // ---- Schedule. Gates that serve many rows are opened once per task.
  if (machine.gpu()) {
    scheduleElements(out, readThreads(schedule));
    return kernel;
  }
  TailStrategy tail = cols % machine.lanes == 0 ? TailStrategy::RoundUp
                                                : TailStrategy::GuardWithIf;
  constexpr double flopsPerTask = 2e5;
  bool once = whole && perGate > 1 && !plain && cols <= mostGates;
  double flopsPerRow = (once || plain ? 4 : activationFlops) * double(cols);
  int fitting =
      int(std::min<double>(rows, std::ceil(flopsPerTask / flopsPerRow)));
  out.vectorize(c, machine.lanes, tail);
  if (once) {
    int block =
        schedule.get("block_rows", "rows of a task", std::min(fitting, inner),
                     Values(1, inner).forThreads());
    int blocks = (inner + block - 1) / block;
    bool parallel = schedule.parallel(
        worthParallel(flopsPerRow * block, double(blocks) * outer));
    Var ro("ro");
    out.split(r, ro, r, block, TailStrategy::GuardWithIf).fuse(ro, g, task);
    if (parallel)
      out.parallel(task);
    open.compute_at(out, task)
        .store_in(MemoryType::Register)
        .vectorize(c, machine.lanes, tail);
    return kernel;
  }
  int block = schedule.get("block_rows", "rows of a task", fitting,
                           Values(1, rows).forThreads());
  bool parallel = schedule.parallel(
      worthParallel(flopsPerRow * block, double((rows + block - 1) / block)));
  Var row("row");
  out.fuse(r, g, row);
  if (parallel)
    out.split(row, task, row, block, TailStrategy::GuardWithIf).parallel(task);
  return kernel;
}

Kernel buildCopy(const families::CopyShape &spec, Schedule &schedule,
                 const Machine &machine) {
  const std::array<int, 4> &shape = spec.shape;

  // ---- Algorithm. Halide's innermost dimension comes first, the protocol's
  // last.
  Kernel kernel;
  std::vector<Dimension> source, target;
  for (int i = 3; i >= 0; --i) {
    source.push_back({shape[i], spec.srcStrides[i]});
    target.push_back({shape[i], spec.dstStrides[i]});
  }
  ImageParam x = kernel.input("x", source, floatAlignment);
  std::vector<Var> vars = {Var("l"), Var("k"), Var("j"), Var("i")};
  Func out("out");
  out(vars) = x(std::vector<Expr>(vars.begin(), vars.end()));
  kernel.output(out, "out", target, floatAlignment);

  if (machine.gpu()) {
    scheduleElements(out, readThreads(schedule));
    return kernel;
  }

  // ---- Schedule. Vectors run along the dimension that is contiguous on both
  // sides, or else where it is written.
  int along = -1;
  for (int i = 3; i >= 0; --i)
    if (target[i].stride == 1 && target[i].extent > 1 &&
        (along < 0 || source[i].stride <= 1))
      along = i;
  if (along >= 0) {
    std::vector<VarOrRVar> order = {vars[along]};
    for (int i = 0; i < 4; ++i)
      if (i != along)
        order.push_back(vars[i]);
    out.reorder(order);
    if (target[along].extent >= machine.lanes)
      out.vectorize(vars[along], machine.lanes,
                    target[along].extent % machine.lanes == 0
                        ? TailStrategy::RoundUp
                        : TailStrategy::GuardWithIf);
  }
  int outermost = along == 3 ? 2 : 3;
  double flops = 4.0 * shape[0] * shape[1] * shape[2] * shape[3] /
                 target[outermost].extent;
  if (schedule.parallel(worthParallel(flops, double(target[outermost].extent))))
    out.parallel(vars[outermost]);
  return kernel;
}

} // namespace vitc::halide
