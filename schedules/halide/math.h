// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Elementary functions as short chains of vector arithmetic. Halide's own
/// calls would either become scalar calls of the C library or spend more
/// operations than float inference can notice. Accuracies are over all floats
/// of the range that matters and are checked by test/schedules.
#ifndef VITC_SCHEDULES_HALIDE_MATH_H
#define VITC_SCHEDULES_HALIDE_MATH_H

#include "Halide.h"
#include "families/Families.h"

#include <string>
#include <vector>

namespace vitc::halide {

/// The greater and the lesser of two floats, as one instruction. Halide's max
/// and min add two more to treat NaN as the C library does, wherever a pipeline
/// has strict arithmetic in it.
Halide::Expr greaterOf(Halide::Expr a, Halide::Expr b);
Halide::Expr lesserOf(Halide::Expr a, Halide::Expr b);

/// e^x, 2e-7 relative for x in [-87, 88]; clamped to that range outside, so
/// never zero and never infinite.
Halide::Expr fastExp(Halide::Expr x);

/// e^x - 1, 2e-7 relative also near 0; the range is that of fastExp.
Halide::Expr fastExpm1(Halide::Expr x);

/// 2^(x - top), 2e-7 relative where x - top is in [-100, 0]; clamped to -100
/// below. `top` is a whole number. For softmax, whose exponents are never
/// positive.
Halide::Expr fastExp2Below(Halide::Expr x, Halide::Expr top);

/// erf(x), 4e-7 absolute.
Halide::Expr fastErf(Halide::Expr x);

/// tanh(x), 4e-7 relative.
Halide::Expr fastTanh(Halide::Expr x);

/// An activation function. 1e-6 absolute for
/// |x| < 10.
Halide::Expr activation(families::Activation function, Halide::Expr x);

/// FLOPs that an activation is reckoned at, for the rule that decides about
/// threads.
constexpr double activationFlops = 30;

} // namespace vitc::halide

#endif // VITC_SCHEDULES_HALIDE_MATH_H
