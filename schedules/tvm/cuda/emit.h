// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// From a GPU kernel's statements to PTX: TVM lowers them and writes CUDA C++,
/// nvcc compiles it.
#ifndef VITC_SCHEDULES_TVM_CUDA_EMIT_H
#define VITC_SCHEDULES_TVM_CUDA_EMIT_H

#include "../kernel.h"
#include "common/command.h"

namespace vitc::tvm_backend {

/// Writes the files of the protocol; the CUDA source stands for the loops, PTX
/// for the assembly. $NVCC names the compiler, $PTXAS the assembler that tells
/// what a kernel takes.
void emitDeviceKernel(const Kernel &kernel, const KernelSpec &spec,
                      const EmitOptions &options, double milliseconds);

} // namespace vitc::tvm_backend

#endif // VITC_SCHEDULES_TVM_CUDA_EMIT_H
