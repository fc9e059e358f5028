// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What the products of every kind of processor read from a gemm's
/// specification.
#ifndef VITC_SCHEDULES_TVM_GEMM_H
#define VITC_SCHEDULES_TVM_GEMM_H

#include "common/tile.h"
#include "kernel.h"

#include "targets/levels.h"

namespace vitc::tvm_backend {

using families::GemmShape;

/// A gemm on an NVIDIA GPU's tensor cores, which has no schedule parameters.
DeviceFunction tensorCoreGemm(const GemmShape &shape);

/// The columns of a panel that it takes: that of every level with such cores.
inline constexpr int tensorCorePanel = targetinfo::sm80.tile.columns;

} // namespace vitc::tvm_backend

#endif // VITC_SCHEDULES_TVM_GEMM_H
