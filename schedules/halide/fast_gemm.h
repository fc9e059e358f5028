/// The gemm family's fast form, and what both forms read.
#ifndef VITC_SCHEDULES_HALIDE_FAST_GEMM_H
#define VITC_SCHEDULES_HALIDE_FAST_GEMM_H

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
};

Kernel buildFastGemm(const GemmShape &shape, Fields &spec, Schedule &schedule,
                     const Machine &machine);

} // namespace vitc::halide

#endif // VITC_SCHEDULES_HALIDE_FAST_GEMM_H
