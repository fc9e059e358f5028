// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What a model's kernels ask backends for.
#ifndef VITC_LIB_DRIVER_KERNELREQUESTS_H
#define VITC_LIB_DRIVER_KERNELREQUESTS_H

#include "vitc/Backend/KernelRequest.h"
#include "vitc/Dialect/Kernel/IR/Kernel.h"
#include "vitc/Driver/Compile.h"
#include "vitc/Target/Cpp/Library.h"
#include "vitc/TargetInfo/Targets.h"

namespace vitc {

/// Whether a kernel is for tensor cores, which are TVM's alone.
bool usesTensorCores(kernel::SpecOp spec);

/// Every kernel for every level that has kernels of its own, with symbols that
/// tell the levels apart.
std::vector<KernelRequest> kernelRequests(mlir::ModuleOp module,
                                          const CompileOptions &options,
                                          const Target &target,
                                          const LibraryDescription &library);

} // namespace vitc

#endif // VITC_LIB_DRIVER_KERNELREQUESTS_H
