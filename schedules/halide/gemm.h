// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The gemm family: what its forms read, and those that have files of their
/// own.
#ifndef VITC_SCHEDULES_HALIDE_GEMM_H
#define VITC_SCHEDULES_HALIDE_GEMM_H

#include "kernel.h"

namespace vitc::halide {

using families::GemmShape;

/// One level of Strassen's algorithm: fast_gemm.cpp.
Kernel buildFastGemm(const GemmShape &shape, Schedule &schedule,
                     const Machine &machine);

/// Two multiplications as one and two additions: paired_gemm.cpp.
Kernel buildPairedGemm(const GemmShape &shape, Schedule &schedule,
                       const Machine &machine);

/// The argument `pairs`, which stands before the residual.
Halide::ImageParam pairsInput(Kernel &kernel, const GemmShape &shape);

} // namespace vitc::halide

#endif // VITC_SCHEDULES_HALIDE_GEMM_H
