// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// `vitc targets --estimate`: how long a library's kernels would take on other
/// parts at best.
#ifndef VITC_TOOLS_COMMANDS_ESTIMATE_H
#define VITC_TOOLS_COMMANDS_ESTIMATE_H

#include "vitc/Support/Error.h"

namespace vitc::tool {

/// Prints the roofline time of every kernel of the library in `folder` on every
/// part that docs/Targets.md lists. Only the manifest is read.
llvm::Error printEstimate(llvm::StringRef folder, bool asJson);

} // namespace vitc::tool

#endif // VITC_TOOLS_COMMANDS_ESTIMATE_H
