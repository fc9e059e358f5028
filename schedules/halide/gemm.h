// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The gemm family: what its forms read, and those that have files of their
/// own.
#ifndef VITC_SCHEDULES_HALIDE_GEMM_H
#define VITC_SCHEDULES_HALIDE_GEMM_H

#include "kernel.h"

namespace vitc::halide {

/// The fields of gemm, checked.
struct GemmShape {
  int rows, cols, depth, panel;
  int lda, ldc, ldr;
  bool bias, residual;
  std::string activation;
  bool fast;
  int halfStride; ///< of fast: floats between the two halves of a row of a
  bool pairs;     ///< the arguments of a paired product are there
  int lds;        ///< of pairs: row stride of the scaled left operand
  bool loneRows;  ///< each row has the bits that it has alone
};

/// One level of Strassen's algorithm: fast_gemm.cpp.
Kernel buildFastGemm(const GemmShape &shape, Fields &spec, Schedule &schedule,
                     const Machine &machine);

/// Two multiplications as one and two additions: paired_gemm.cpp.
Kernel buildPairedGemm(const GemmShape &shape, Schedule &schedule,
                       const Machine &machine);

/// The argument `pairs`, which stands before the residual.
Halide::ImageParam pairsInput(Kernel &kernel, const GemmShape &shape);

} // namespace vitc::halide

#endif // VITC_SCHEDULES_HALIDE_GEMM_H
