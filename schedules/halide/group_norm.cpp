// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// group_norm: out[(b,r)][c] = activation((x[(b,r)][c] - mean) / sqrt(var +
/// eps)
/// * gain[c] + bias[c] + residual[(b,r)][c]), mean and variance over the rows
/// of image b and the channels of c's group.
#include "kernel.h"
#include "math.h"

#include <functional>

using namespace Halide;

namespace vitc::halide {

/// Channels whose sums stand on the stack together: six floats each.
constexpr int mostChannels = 4096;

/// Rows that are summed side by side, and at most one after another before
/// their sum is added to the others': of 12544 squares of a 112x112 map, a
/// single chain of additions would lose the last four bits.
constexpr int rowChains = 2, segmentRows = 64;

namespace {

/// Sums over an image's rows, one for each channel.
struct ColumnSums {
  std::vector<Var> args; ///< the channel first
  Func segment, total;
  RDom segments;
  int width, block, lanes; ///< all channels, those in registers, a vector

  Expr at(int i, const std::vector<Expr> &where) {
    return total.outputs() == 1 ? Expr(total(where)) : total(where)[i];
  }
  void schedule(LoopLevel level);
};

} // namespace

/// Sums element(row) over the rows: one or several values.
static ColumnSums
sumRows(const std::string &name, int rows, const std::vector<Var> &args,
        int width, const Machine &machine,
        const std::function<std::vector<Expr>(Expr)> &element) {
  ColumnSums sums;
  sums.args = args;
  sums.width = width;
  sums.lanes = machine.lanesFor(width);
  sums.block = sums.lanes * divisorUpTo(width / sums.lanes, 2);
  sums.segment = Func(name + "_segment");
  sums.total = Func(name);
  auto value = [](FuncRef ref, int i, size_t count) {
    return count == 1 ? Expr(ref) : ref[i];
  };
  auto define = [](FuncRef ref, const std::vector<Expr> &values) {
    if (values.size() == 1)
      ref = values[0];
    else
      ref = Tuple(values);
  };

  // An odd row comes first. The others make segments of equal length.
  int steps = rows / rowChains,
      length = divisorUpTo(std::max(steps, 1), segmentRows);
  if (length < 8) // a prime number of them, say
    length = steps;
  std::vector<Expr> start = element(rows - 1);
  size_t count = start.size();
  if (rows % rowChains == 0)
    start.assign(count, 0.0f);
  define(sums.total(args), start);
  if (steps == 0)
    return sums;

  Var chain("chain"), s("s");
  sums.segments = RDom(0, steps / length, name + "_s");
  RDom step(0, length, name + "_step");
  std::vector<Var> segmentArgs = {args[0], chain, s};
  segmentArgs.insert(segmentArgs.end(), args.begin() + 1, args.end());
  define(sums.segment(segmentArgs), std::vector<Expr>(count, 0.0f));
  std::vector<Expr> added = element((s * length + step) * rowChains + chain);
  std::vector<Expr> where(segmentArgs.begin(), segmentArgs.end());
  for (size_t i = 0; i < count; ++i)
    added[i] = strict_float(value(sums.segment(where), i, count) + added[i]);
  define(sums.segment(where), added);
  std::vector<Expr> here(args.begin(), args.end());
  for (size_t i = 0; i < count; ++i) {
    auto part = [&](int chain) {
      where[1] = chain;
      where[2] = sums.segments;
      return value(sums.segment(where), i, count);
    };
    added[i] = strict_float(value(sums.total(here), i, count) +
                            strict_float(part(0) + part(1)));
  }
  define(sums.total(here), added);
  return sums;
}

void ColumnSums::schedule(LoopLevel level) {
  Var c = args[0], co("co"), ci("ci");
  total.compute_at(level)
      .store_in(MemoryType::Register)
      .bound_extent(c, width)
      .vectorize(c, lanes);
  if (!segment.defined())
    return;
  RVar s(total.update().get_schedule().rvars()[0].var);
  total.update()
      .split(c, co, ci, block)
      .reorder(ci, s, co)
      .vectorize(ci, lanes)
      .unroll(ci);
  Var chain = segment.args()[1];
  RVar step(segment.update().get_schedule().rvars()[0].var);
  segment.compute_at(total, s)
      .store_in(MemoryType::Register)
      .bound_extent(c, block)
      .bound_extent(chain, rowChains)
      .vectorize(c, lanes)
      .unroll(c)
      .unroll(chain);
  segment.update()
      .reorder(c, chain, step)
      .vectorize(c, lanes)
      .unroll(c)
      .unroll(chain);
}

Kernel buildGroupNorm(const families::GroupNormShape &spec, Schedule &schedule,
                      const Machine &machine) {
  const int batch = spec.batch, rows = spec.rows, cols = spec.cols,
            groups = spec.groups, ldx = spec.ldx, ldy = spec.ldy,
            ldr = spec.ldr;
  const double eps = spec.eps;
  const families::Activation function = spec.activation;
  const bool hasResidual = spec.residual;

  // A task takes as many whole groups as make whole cache lines, or all. Rows
  // that are far apart fall on few sets of a cache, so where enough tasks are
  // left they take four lines of each: a map of 28x28x512 then takes 0.17 ms
  // instead of 0.25.
  constexpr int wantedChannels = 64, enoughTasks = 4;
  int size = cols / groups, together = 1;
  while (together < groups &&
         (groups % together != 0 || size * together % paddingFloats != 0 ||
          size * together < std::min(wantedChannels, cols / enoughTasks)))
    ++together;
  together =
      schedule.get("block_groups", "groups of a task", together,
                   Values(1, groups).dividing(
                       groups, "the " + std::to_string(groups) + " groups"));
  int tasks = groups / together;
  int width = size * together;
  if (tasks == 1) {
    width = std::min(paddedColumns(cols, ldx), paddedColumns(cols, ldy));
    if (hasResidual)
      width = std::min(width, paddedColumns(cols, ldr));
  }
  if (width > mostChannels)
    fail(&families::GroupNormShape::groups,
         std::to_string(width) +
             " channels together need more than 128 KiB of stack");

  // ---- Algorithm. As in norm, the mean of the first pass is only a shift: the
  // second finds what it lacks, and the variance about the true mean. Channel c
  // is (t, c), number c of task t. Each channel is summed by itself, so that
  // vectors run along channels however small a group is; then a group's
  // channels are added up.
  Kernel kernel;
  auto map = [&](const char *name, int stride) {
    return kernel.input(name, {{width, 1},
                               {rows, stride},
                               {tasks, width},
                               {batch, int64_t(rows) * stride}});
  };
  ImageParam x = map("x", ldx);
  ImageParam gain = kernel.input("gain", {{width, 1}, {tasks, width}});
  ImageParam bias = kernel.input("bias", {{width, 1}, {tasks, width}});
  Var c("c"), r("r"), t("t"), b("b"), g("g");
  const float perElement = float(1.0 / (double(rows) * size));
  // Channels of a large group are added up in parts, too.
  int part = divisorUpTo(size, segmentRows);
  RDom member(0, part, "member"), parts(0, size / part, "parts");
  Var p("p");
  Expr group =
      width == size * together ? c / size : min(c / size, together - 1);
  Func shift("shift"), rest("rest"), inverse("inverse"), scale("scale"),
      out("out");
  std::vector<Func> partSums, groupSums;
  auto sumGroup = [&](const std::string &name, ColumnSums &sums, int i) {
    Func partSum(name + "_part"), sum(name);
    partSum(p, g, t, b) = 0.0f;
    partSum(p, g, t, b) = strict_float(
        partSum(p, g, t, b) + sums.at(i, {g * size + p * part + member, t, b}));
    sum(g, t, b) = 0.0f;
    sum(g, t, b) = strict_float(sum(g, t, b) + partSum(parts, g, t, b));
    partSums.push_back(partSum);
    groupSums.push_back(sum);
    return sum;
  };
  ColumnSums first =
      sumRows("first", rows, {c, t, b}, width, machine,
              [&](Expr row) { return std::vector<Expr>{x(c, row, t, b)}; });
  Func sum = sumGroup("sum", first, 0);
  shift(c, t, b) = sum(group, t, b) * perElement;
  auto deviation = [&](Expr row) {
    return strict_float(x(c, row, t, b) - shift(c, t, b));
  };
  ColumnSums second =
      sumRows("second", rows, {c, t, b}, width, machine, [&](Expr row) {
        Expr d = deviation(row);
        return std::vector<Expr>{d, d * d};
      });
  Func sum1 = sumGroup("sum1", second, 0), sum2 = sumGroup("sum2", second, 1);
  // Strict throughout: the compiler makes several copies of these loops, and
  // must not choose the roundings of each anew.
  Expr lacking = sum1(g, t, b) * perElement;
  Expr variance = max(sum2(g, t, b) * perElement - lacking * lacking, 0.0f);
  inverse(g, t, b) = strict_float(1.0f / sqrt(variance + float(eps)));
  rest(c, t, b) = sum1(group, t, b) * perElement;
  scale(c, t, b) = inverse(group, t, b) * gain(c, t);
  Expr value =
      strict_float(deviation(r) - rest(c, t, b)) * scale(c, t, b) + bias(c, t);
  if (hasResidual)
    value += map("residual", ldr)(c, r, t, b);
  out(c, r, t, b) = activation(function, strict_float(value));
  kernel.output(
      out, "out",
      {{width, 1}, {rows, ldy}, {tasks, width}, {batch, int64_t(rows) * ldy}});

  if (machine.gpu()) {
    // A block of threads is a task; each thread takes some of its channels
    // through all rows.
    constexpr int mostThreads = 128;
    int threads = schedule.get("threads", "threads of a block",
                               std::min(mostThreads, roundUp(width, 32)),
                               Values(1, 1024));
    Var block("block"), turn("turn"), thread("thread");
    auto alongChannels = [&](Stage stage, std::vector<VarOrRVar> inner) {
      stage.split(c, turn, thread, threads, TailStrategy::GuardWithIf);
      inner.insert(inner.end(), {turn, thread});
      stage.reorder(inner).gpu_threads(thread);
    };
    alongChannels(Stage(out), {r});
    out.fuse(t, b, block).gpu_blocks(block);
    LoopLevel level(out, block);
    for (ColumnSums *sums : {&first, &second}) {
      sums->total.compute_at(level).bound_extent(c, width);
      alongChannels(Stage(sums->total), {});
      if (!sums->segment.defined())
        continue;
      RVar s(sums->total.update().get_schedule().rvars()[0].var);
      alongChannels(sums->total.update(), {s});
      sums->segment.compute_at(sums->total, s)
          .store_in(MemoryType::Register)
          .bound_extent(c, 1);
    }
    for (Func *func : {&shift, &rest, &scale}) {
      func->compute_at(level).bound_extent(c, width);
      alongChannels(Stage(*func), {});
    }
    groupSums.push_back(inverse);
    for (std::vector<Func> *sums : {&partSums, &groupSums})
      for (Func &func : *sums) {
        func.compute_at(level).bound_extent(g, together).gpu_threads(g);
        if (func.has_update_definition())
          func.update().gpu_threads(g);
      }
    return kernel;
  }

  // ---- Schedule. A task visits its channels three times: 16 of them in a map
  // of 56x56 are 200 KB, which stay in the second-level cache.
  int lanes = machine.lanesFor(width);
  Var task("task");
  out.vectorize(c, lanes).fuse(t, b, task);
  if (width / lanes <= 4)
    out.unroll(c);
  constexpr double flopsPerElement = 12;
  double flops = flopsPerElement * rows * width;
  int all = tasks * batch, block = 1;
  while (block < all && !worthParallel(block * flops, 2))
    ++block;
  Var unit = task;
  if (schedule.parallel(block < all)) {
    if (block > 1) {
      unit = Var("unit");
      out.split(task, task, unit, block, TailStrategy::GuardWithIf);
    }
    out.parallel(task);
  }
  LoopLevel level(out, unit);
  first.schedule(level);
  second.schedule(level);
  groupSums.push_back(inverse);
  for (Func &func : groupSums)
    func.compute_at(level)
        .store_in(MemoryType::Register)
        .bound_extent(g, together);
  for (Func &func : partSums)
    func.compute_at(level)
        .store_in(MemoryType::Register)
        .bound_extent(g, together)
        .bound_extent(p, size / part);
  for (Func *func : {&shift, &rest, &scale})
    func->compute_at(level)
        .store_in(MemoryType::Register)
        .bound_extent(c, width);
  return kernel;
}

} // namespace vitc::halide
