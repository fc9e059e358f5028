// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Products whose operands have fewer bits than float32: int8_gemm and
/// bf16_gemm. Both take a group of steps of k at once, which a processor's dot
/// product adds up in a lane.
#ifndef VITC_SCHEDULES_HALIDE_NARROW_GEMM_H
#define VITC_SCHEDULES_HALIDE_NARROW_GEMM_H

#include "gemm.h"
#include "prefetch.h"
#include "tile.h"

namespace vitc::halide {

/// What the two have in common. Rows of `a` hold zeros, and so do the weights,
/// where the last group exceeds k.
class NarrowGemm {
public:
  /// `Shape` is that of int8_gemm or of bf16_gemm.
  template <typename Shape>
  NarrowGemm(const Shape &shape, int group, const Machine &machine)
      : rows(shape.m), panel(shape.panel), panels(shape.width() / shape.panel),
        groups(shape.groups()), group(group), lda(shape.lda), ldc(shape.ldc),
        ldr(shape.residual ? shape.ldr : 0), hasBias(shape.bias),
        machine(machine) {}

  void readSchedule(Schedule &schedule);
  /// `a` and `w`, of these types; a row of `a` has `rowElements`.
  void addOperands(int rowElements, Halide::Type left, Halide::Type right);
  /// The sum of products, in `accumulator`.
  Halide::Expr sum(Halide::Type accumulator);
  Halide::Expr bias();     ///< 0 if there is none
  Halide::Expr residual(); ///< likewise
  void finish(Halide::Expr value, Schedule &schedule);

  Kernel kernel;
  Halide::ImageParam a, w;
  /// How a group of steps is added up.
  enum class Sums {
    Dots,   ///< by an instruction, in a lane
    Pairs,  ///< of bytes: two products in 16 bits, and two of those in 32
    Halves, ///< of bfloat16: each is widened to float32
  } sums = Sums::Dots;
  Halide::Var n{"n"}, m{"m"}, np{"np"};

private:
  void defineDots(Halide::Type accumulator);
  void definePairs();
  void defineHalves();
  void scheduleProduct(Halide::LoopLevel level);

  const int rows, panel, panels, groups, group, lda, ldc, ldr;
  const bool hasBias;
  const Machine &machine;
  Tile tile;
  Halide::RDom steps, pairSteps;
  Halide::Var half{"half"}, groupVar{"group"};
  Halide::Func product{"product"}, pairs{"pairs"}, out{"out"};
};

} // namespace vitc::halide

#endif // VITC_SCHEDULES_HALIDE_NARROW_GEMM_H
