// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Passes over the kernel dialect (see Passes.td).
#ifndef VITC_DIALECT_KERNEL_TRANSFORMS_PASSES_H
#define VITC_DIALECT_KERNEL_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"

namespace vitc::kernel {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "vitc/Dialect/Kernel/Transforms/Passes.h.inc"

} // namespace vitc::kernel

#endif // VITC_DIALECT_KERNEL_TRANSFORMS_PASSES_H
