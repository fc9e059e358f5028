// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "narrow_gemm.h"

#include "math.h"
#include "quantize.h"

using namespace Halide;

namespace vitc::halide {

/// Groups of steps that share a branch: four of bytes, two of bfloat16 (more
/// load the left operand again).
static int groupsPerBranch(int group) {
  return group == int(families::int8Group) ? 4 : 2;
}

void NarrowGemm::readSchedule(Schedule &schedule) {
  // The tile of float32, whose lanes are as wide as the sums, but for the rows
  // that Winograd's products leave registers for.
  Machine plain = machine;
  constexpr int mostRows = 11;
  if (machine.registers == 32 && !machine.multipliesByLane)
    plain.tileRowsMax = std::max(machine.tileRowsMax, mostRows);
  plain.unrollK = groupsPerBranch(group);
  tile = readTile(schedule, plain, rows, panel, groups, Chains::None);
}

void NarrowGemm::addOperands(int rowElements, Type left, Type right) {
  a = kernel.input("a", {{rowElements, 1}, {rows, lda}}, lineAlignment, left);
  w = kernel.input("w",
                   {{group, 1},
                    {panel, group},
                    {groups, panel * group},
                    {panels, int64_t(panel) * group * groups}},
                   lineAlignment, right);
}

Expr NarrowGemm::sum(Type accumulator) {
  steps = RDom({{0, group}, {0, groups}}, "k");
  RVar inGroup = steps.x, step = steps.y;
  Expr left = a(step * group + inGroup, m);
  if (a.type() == UInt(8) && machine.signedRows)
    left = reinterpret<int8_t>(left);
  Expr right = w(inGroup, n, step, np);
  auto wide = [&](const Expr &operand) {
    return operand.type() == UInt(16) ? fromBf16(operand)
                                      : cast(accumulator, operand);
  };
  product(n, m, np) = Internal::make_zero(accumulator);
  product(n, m, np) += wide(left) * wide(right);
  return product(n, m, np);
}

Expr NarrowGemm::bias() {
  if (!hasBias)
    return 0.0f;
  return kernel.input("bias", {{panel, 1}, {panels, panel}})(n, np);
}

Expr NarrowGemm::residual() {
  if (ldr == 0)
    return 0.0f;
  return kernel.input("residual",
                      {{panel, 1}, {rows, ldr}, {panels, panel}})(n, m, np);
}

void NarrowGemm::finish(Expr value, Schedule &schedule) {
  out(n, m, np) = value;
  kernel.output(out, "out", {{panel, 1}, {rows, ldc}, {panels, panel}});
  PanelLoops loops = {rows, panel, panels, /*batch=*/1,
                      /*depth=*/double(groups) * group / 2};
  TileLoops tiles = schedulePanels(out, loops, tile, schedule);
  RVar inGroup = steps.x, step = steps.y;
  Var vector("vector"), lane("lane");
  RVar ko("ko"), ki("ki");
  product.compute_at(tiles.rowTile)
      .store_in(MemoryType::Register)
      .bound_extent(n, tile.columns)
      .vectorize(n, tile.lanes)
      .unroll(n)
      .unroll(m);
  product.update()
      .split(n, vector, lane, tile.lanes)
      .split(step, ko, ki, tile.unrollK)
      .reorder(inGroup, lane, vector, m, ki, ko)
      .atomic()
      .vectorize(inGroup)
      .vectorize(lane)
      .unroll(vector)
      .unroll(m)
      .unroll(ki);
  // A step of the loop reads so many cache lines of weights.
  const int bytes = w.type().bytes();
  int lines = std::max(1, tile.columns * group * bytes / 64) * tile.unrollK;
  int standard =
      panels > 1 && tiles.rowTiles > 1
          ? std::min(4, (lines + tiles.rowTiles - 1) / tiles.rowTiles)
          : 0;
  if (int count = readPrefetch(schedule, standard))
    kernel.prefetches.emplace_back(spreadPrefetch(
        {w.name(), groups, panel * group, tile.columns * group, count,
         tiles.columnTile, tiles.nextColumnTile, w.type()}));
}

/// A polynomial for the normal distribution instead of erf: off by 5e-4 at
/// most, which the next layer's 8 bits hide.
static Expr shortGelu(Expr x) {
  Expr z = lesserOf(greaterOf(x, -3.7f), 3.7f), z2 = z * z;
  Expr p = -4.899749974e-07f;
  for (float coefficient :
       {2.688881914e-05f, -6.175026390e-04f, 7.848702876e-03f,
        -6.258773235e-02f, 3.964751001e-01f})
    p = p * z2 + coefficient;
  return x * (p * z + 0.5f);
}

Kernel buildInt8Gemm(const families::Int8GemmShape &shape, Schedule &schedule,
                     const Machine &machine) {
  using Shape = families::Int8GemmShape;
  if (machine.gpu())
    fail(&Shape::m, "no GPU has 8-bit products");
  // ---- Algorithm
  NarrowGemm gemm(shape, families::int8Group, machine);
  gemm.readSchedule(schedule);
  gemm.addOperands(shape.rowBytes(), UInt(8), Int(8));
  const int panels = shape.width() / shape.panel;
  ImageParam scales = gemm.kernel.input(
      "scales", {{shape.panel, 1}, {panels, shape.panel}, {2, shape.width()}});
  Expr sum = gemm.sum(Int(32));
  RowScale row = rowScale(gemm.a, gemm.m, shape.k);
  Expr value =
      strict_float(cast<float>(sum) * row.scale * scales(gemm.n, gemm.np, 0) +
                   (row.offset * scales(gemm.n, gemm.np, 1) + gemm.bias()));
  Expr residual = gemm.residual();
  value = shape.activation == families::Activation::Gelu
              ? shortGelu(value)
              : activation(shape.activation, value);
  gemm.finish(value + residual, schedule);
  return gemm.kernel;
}

Kernel buildBf16Gemm(const families::Bf16GemmShape &shape, Schedule &schedule,
                     const Machine &machine) {
  using Shape = families::Bf16GemmShape;
  if (machine.gpu())
    fail(&Shape::m, "no GPU has bfloat16 products");
  // ---- Algorithm
  NarrowGemm gemm(shape, families::bf16Group, machine);
  gemm.readSchedule(schedule);
  // Without the instruction the bits are widened, which needs no bfloat16.
  Type type = machine.hasBf16Dots ? BFloat(16) : UInt(16);
  gemm.addOperands(shape.rowValues(), type, type);
  Expr value = gemm.sum(Float(32));
  value = strict_float(value + gemm.bias());
  Expr residual = gemm.residual();
  gemm.finish(activation(shape.activation, value) + residual, schedule);
  return gemm.kernel;
}

} // namespace vitc::halide
