// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Elementary functions as short chains of vector arithmetic: TVM's own become
/// scalar calls of the C library. The formulas and their accuracies are those
/// of the Halide backend (schedules/halide/math.h), checked by the same tests.
#ifndef VITC_SCHEDULES_TVM_MATH_H
#define VITC_SCHEDULES_TVM_MATH_H

#include "families/Families.h"
#include "ir.h"

namespace vitc::tvm_backend {

/// e^x, to 2e-7 relative; 2^-126 below -87.3.
Expr fastExp(const Expr &x);

/// 2^x for x <= 0, to 1.1e-7 relative; 2^-125 below -125.
Expr fastExp2NonPositive(const Expr &x);

/// The error function, to 7e-7 absolute.
Expr fastErf(const Expr &x);

Expr fastTanh(const Expr &x);

/// An activation function.
Expr activation(families::Activation function, const Expr &x);

} // namespace vitc::tvm_backend

#endif // VITC_SCHEDULES_TVM_MATH_H
