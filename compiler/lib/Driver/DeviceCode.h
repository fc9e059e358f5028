// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What is known at compile time of a GPU's kernels.
#ifndef VITC_LIB_DRIVER_DEVICECODE_H
#define VITC_LIB_DRIVER_DEVICECODE_H

#include "vitc/Backend/KernelCompiler.h"
#include "vitc/TargetInfo/Targets.h"

#include <string>
#include <vector>

namespace vitc {

/// CUDA's assembler, with which kernels are tried out: $PTXAS, or without that
/// ptxas in the PATH, in $CUDA_HOME/bin or in /usr/local/cuda/bin. Empty for
/// other targets, and where there is none.
std::string findDeviceAssembler(const Target &target);

/// CUDA's compiler, likewise: $NVCC, or nvcc.
std::string findDeviceCompiler(const Target &target);

/// What the reports of a GPU's kernels say together.
struct DeviceCodeSummary {
  std::string text; ///< one line
  std::vector<std::string> warnings;
};
DeviceCodeSummary summariseDeviceCode(llvm::ArrayRef<CompiledKernel> kernels,
                                      const Target &target);

} // namespace vitc

#endif // VITC_LIB_DRIVER_DEVICECODE_H
