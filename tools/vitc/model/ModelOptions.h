// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The options that say which model and what of it: `vitc compile` and `vitc
/// run
/// --reference` have the same.
#ifndef VITC_TOOLS_MODEL_MODELOPTIONS_H
#define VITC_TOOLS_MODEL_MODELOPTIONS_H

#include "terminal/Options.h"

#include "vitc/Driver/Compile.h"

namespace vitc::tool {

/// --config, --random-weights, --image-size and --output.
void declareImportOptions(Options &options, CompileOptions &compile);

} // namespace vitc::tool

#endif // VITC_TOOLS_MODEL_MODELOPTIONS_H
