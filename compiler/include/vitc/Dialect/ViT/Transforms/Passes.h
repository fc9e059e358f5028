// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Passes over the vit dialect (see Passes.td).
#ifndef VITC_DIALECT_VIT_TRANSFORMS_PASSES_H
#define VITC_DIALECT_VIT_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"

namespace vitc::vit {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "vitc/Dialect/ViT/Transforms/Passes.h.inc"

} // namespace vitc::vit

#endif // VITC_DIALECT_VIT_TRANSFORMS_PASSES_H
