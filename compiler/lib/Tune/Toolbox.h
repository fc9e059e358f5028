// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Finds the programs that build and time candidates on this machine.
#ifndef VITC_LIB_TUNE_TOOLBOX_H
#define VITC_LIB_TUNE_TOOLBOX_H

#include "vitc/Driver/Compile.h"
#include "vitc/Tune/Measurer.h"

namespace vitc::tune {

/// `backend` is "halide", "tvm", or "auto" for every one that is installed;
/// `folder` is where candidates are built.
llvm::Expected<Tools> makeTools(const Installation &installation,
                                const CompileOptions &options,
                                llvm::StringRef backend,
                                const std::string &folder);

} // namespace vitc::tune

#endif // VITC_LIB_TUNE_TOOLBOX_H
