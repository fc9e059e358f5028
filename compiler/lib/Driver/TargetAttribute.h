// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What passes are told of the target.
#ifndef VITC_LIB_DRIVER_TARGETATTRIBUTE_H
#define VITC_LIB_DRIVER_TARGETATTRIBUTE_H

#include "vitc/Dialect/Kernel/IR/Kernel.h"
#include "vitc/Driver/Compile.h"
#include "vitc/TargetInfo/Targets.h"

namespace vitc {

/// The levels that have kernels of their own, each with the algorithm that its
/// products take where they gain: what its processors are good at, or else what
/// the user allows.
kernel::TargetAttr targetAttribute(mlir::MLIRContext *context,
                                   const Target &target,
                                   const CompileOptions &options);

/// The level whose kernels a level of the target takes, all of the products'
/// types considered: the first that shares them.
const Level &kernelsFor(const Target &target, const Level &level,
                        const CompileOptions &options);

/// What backends call the level that a level's kernels are compiled for.
std::string kernelTargetFor(const Level &level, const CompileOptions &options);

} // namespace vitc

#endif // VITC_LIB_DRIVER_TARGETATTRIBUTE_H
