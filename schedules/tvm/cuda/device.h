// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// A kernel for a GPU: one function that every thread runs.
#ifndef VITC_SCHEDULES_TVM_CUDA_DEVICE_H
#define VITC_SCHEDULES_TVM_CUDA_DEVICE_H

#include "statements.h"

namespace vitc::tvm_backend {

struct DeviceFunction {
  std::vector<DeviceMemory> arguments; ///< the kernel's, in their order
  Node body;
  int blocks[3] = {1, 1, 1}, threads[3] = {1, 1, 1};
  int sharedBytes = 0;
};

} // namespace vitc::tvm_backend

#endif // VITC_SCHEDULES_TVM_CUDA_DEVICE_H
