// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What a compile tells its user about the result.
#ifndef VITC_LIB_DRIVER_REPORT_H
#define VITC_LIB_DRIVER_REPORT_H

#include "RecordedKernels.h"

#include "vitc/Driver/Compile.h"
#include "vitc/Target/Cpp/Library.h"
#include "vitc/TargetInfo/Targets.h"

#include "mlir/IR/BuiltinOps.h"

namespace vitc {

/// Names and shapes: "logits [1, 1000]".
void reportOutputs(CompileReport &report, const LibraryDescription &library);

/// How many kernels there are, of which kinds, and what a GPU makes of them.
void reportKernels(CompileReport &report, const KernelSet &set,
                   mlir::ModuleOp module, const Target &target);

/// Memory, and what was done to the layers.
void reportLibrary(CompileReport &report, mlir::ModuleOp module,
                   const LibraryDescription &library);

} // namespace vitc

#endif // VITC_LIB_DRIVER_REPORT_H
