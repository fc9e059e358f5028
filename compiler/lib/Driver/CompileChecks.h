// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Options of a compile that exclude each other, or that this build lacks.
#ifndef VITC_LIB_DRIVER_COMPILECHECKS_H
#define VITC_LIB_DRIVER_COMPILECHECKS_H

#include "vitc/Driver/Compile.h"
#include "vitc/TargetInfo/Targets.h"

namespace vitc {

/// The options by themselves.
llvm::Error checkOptions(const CompileOptions &options);

/// The options together with the target, and what they need to be installed.
llvm::Error checkTarget(const CompileOptions &options, const Target &target,
                        const Installation &installation);

} // namespace vitc

#endif // VITC_LIB_DRIVER_COMPILECHECKS_H
