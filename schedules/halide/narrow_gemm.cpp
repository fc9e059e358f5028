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
  // that Winograd's products leave registers for, and for those that sums of
  // pairs take.
  Machine plain = machine;
  constexpr int mostRows = 11, rowsOfPairs = 5, rowsOfHalves = 4;
  if (machine.registers == 32 && !machine.multipliesByLane)
    plain.tileRowsMax = std::max(machine.tileRowsMax, mostRows);
  else if (sums == Sums::Pairs)
    plain.tileRowsMax = rowsOfPairs;
  else if (sums == Sums::Halves && !machine.multipliesByLane)
    plain.tileRowsMax = rowsOfHalves;
  plain.unrollK = groupsPerBranch(group);
  tile = readTile(schedule, plain, rows, panel, groups, Chains::None);
}

void NarrowGemm::addOperands(int rowElements, Type left, Type right) {
  if (sums == Sums::Halves) { // a group is 32 bits
    a = kernel.inputAs(UInt(32), "a",
                       {{rowElements / group, 1}, {rows, lda / group}}, left);
    w = kernel.inputAs(
        UInt(32), "w",
        {{panel, 1}, {groups, panel}, {panels, int64_t(panel) * groups}},
        right);
    return;
  }
  a = kernel.input("a", {{rowElements, 1}, {rows, lda}}, lineAlignment, left);
  w = kernel.input("w",
                   {{group, 1},
                    {panel, group},
                    {groups, panel * group},
                    {panels, int64_t(panel) * group * groups}},
                   lineAlignment, right);
}

void NarrowGemm::defineDots(Type accumulator) {
  steps = RDom({{0, group}, {0, groups}}, "k");
  RVar inGroup = steps.x, step = steps.y;
  Expr left = a(step * group + inGroup, m);
  if (a.type() == UInt(8) && machine.signedRows)
    left = reinterpret<int8_t>(left);
  product(n, m, np) = Internal::make_zero(accumulator);
  product(n, m, np) +=
      cast(accumulator, left) * cast(accumulator, w(inGroup, n, step, np));
}

/// Bytes of 7 and 8 bits: the sum of two products fits 16 bits, so that the
/// saturation of x86's instruction never happens.
void NarrowGemm::definePairs() {
  constexpr int inPair = 2;
  steps = RDom({{0, group / inPair}, {0, groups}}, "k");
  pairSteps = RDom(0, inPair, "pair");
  RVar pair = steps.x, step = steps.y;
  pairs(half, n, m, groupVar, np) = cast<int16_t>(0);
  Expr place = half * inPair + pairSteps;
  pairs(half, n, m, groupVar, np) =
      saturating_add(pairs(half, n, m, groupVar, np),
                     cast<int16_t>(a(groupVar * group + place, m)) *
                         cast<int16_t>(w(place, n, groupVar, np)));
  product(n, m, np) = 0;
  product(n, m, np) += cast<int32_t>(pairs(pair, n, m, step, np));
}

/// Two bfloat16 as the halves of 32 bits: the upper one is a float32 but for
/// its low bits, the lower one after a shift.
void NarrowGemm::defineHalves() {
  steps = RDom({{0, 1}, {0, groups}}, "k");
  RVar step = steps.y;
  auto lower = [](const Expr &bits) { return reinterpret<float>(bits << 16); };
  auto upper = [](const Expr &bits) {
    return reinterpret<float>((bits >> 16) << 16);
  };
  Expr left = a(step, m), right = w(n, step, np);
  product(n, m, np) = 0.0f;
  Expr first =
      multiplyAdd(product(n, m, np), lower(left), lower(right), tile.lanes);
  product(n, m, np) = multiplyAdd(first, upper(left), upper(right), tile.lanes);
}

Expr NarrowGemm::sum(Type accumulator) {
  switch (sums) {
  case Sums::Dots:
    defineDots(accumulator);
    break;
  case Sums::Pairs:
    definePairs();
    break;
  case Sums::Halves:
    defineHalves();
    break;
  }
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

void NarrowGemm::scheduleProduct(LoopLevel level) {
  RVar inGroup = steps.x, step = steps.y;
  Var vector("vector"), lane("lane"), lanes("lanes");
  RVar ko("ko"), ki("ki");
  product.compute_at(level)
      .store_in(MemoryType::Register)
      .bound_extent(n, tile.columns)
      .vectorize(n, tile.lanes)
      .unroll(n)
      .unroll(m);
  Stage update = product.update();
  update.split(n, vector, lane, tile.lanes)
      .split(step, ko, ki, tile.unrollK)
      .reorder(inGroup, lane, vector, m, ki, ko);
  if (sums != Sums::Halves)
    update.atomic().vectorize(inGroup);
  update.vectorize(lane).unroll(vector).unroll(m).unroll(ki);
  if (sums != Sums::Pairs)
    return;
  RVar pair = pairSteps.x;
  pairs.compute_at(product, vector)
      .store_in(MemoryType::Register)
      .bound_extent(half, 2)
      .fuse(half, n, lanes)
      .vectorize(lanes);
  pairs.update()
      .reorder(pair, half, n, m)
      .atomic(/*override_associativity_test=*/true)
      .vectorize(pair)
      .vectorize(half)
      .vectorize(n, tile.lanes);
}

void NarrowGemm::finish(Expr value, Schedule &schedule) {
  out(n, m, np) = value;
  kernel.output(out, "out", {{panel, 1}, {rows, ldc}, {panels, panel}});
  PanelLoops loops = {rows, panel, panels, /*batch=*/1,
                      /*depth=*/double(groups) * group / 2};
  TileLoops tiles = schedulePanels(out, loops, tile, schedule);
  scheduleProduct(tiles.rowTile);
  // A group is 32 bits, so that a step reads as many lines as one of float32.
  constexpr int groupBytes = 4;
  const int perGroup = groupBytes / w.type().bytes();
  if (int count = readPrefetch(
          schedule, panels > 1 ? defaultPrefetch(tile, tiles.rowTiles) : 0))
    kernel.prefetches.emplace_back(spreadPrefetch(
        {w.name(), groups, panel * perGroup, tile.columns * perGroup, count,
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
  if (machine.mostByte < 255)
    gemm.sums = NarrowGemm::Sums::Pairs;
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
  if (!machine.hasBf16Dots)
    gemm.sums = NarrowGemm::Sums::Halves;
  gemm.readSchedule(schedule);
  gemm.addOperands(shape.rowValues(), BFloat(16), BFloat(16));
  Expr value = gemm.sum(Float(32));
  value = strict_float(value + gemm.bias());
  Expr residual = gemm.residual();
  gemm.finish(activation(shape.activation, value) + residual, schedule);
  return gemm.kernel;
}

} // namespace vitc::halide
