// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The gemm family: what its forms read, and those that have files of their
/// own.
#ifndef VITC_SCHEDULES_HALIDE_GEMM_H
#define VITC_SCHEDULES_HALIDE_GEMM_H

#include "kernel.h"

namespace vitc::halide {

using families::GemmShape;

/// One level of Strassen's algorithm: strassen_gemm.cpp.
Kernel buildStrassenGemm(const GemmShape &shape, Schedule &schedule,
                         const Machine &machine);

/// Two multiplications as one and two additions: winograd_gemm.cpp.
Kernel buildWinogradGemm(const GemmShape &shape, Schedule &schedule,
                         const Machine &machine);

/// The argument `winograd_sums`, which stands before the residual.
Halide::ImageParam winogradSumsInput(Kernel &kernel, const GemmShape &shape);

} // namespace vitc::halide

#endif // VITC_SCHEDULES_HALIDE_GEMM_H
