// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Conversions between dialects (see Passes.td).
#ifndef VITC_CONVERSION_PASSES_H
#define VITC_CONVERSION_PASSES_H

#include "mlir/Pass/Pass.h"

namespace vitc {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "vitc/Conversion/Passes.h.inc"

} // namespace vitc

#endif // VITC_CONVERSION_PASSES_H
