// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The arithmetic of a model, counted from its IR.
#ifndef VITC_DIALECT_VIT_IR_FLOPS_H
#define VITC_DIALECT_VIT_IR_FLOPS_H

#include "mlir/IR/BuiltinOps.h"

namespace vitc::vit {

/// Floating-point operations of one run: two for each multiply-add of linear
/// layers, patch embedding and attention. What is computed at compile time does
/// not count.
double countFlops(mlir::ModuleOp module);

} // namespace vitc::vit

#endif // VITC_DIALECT_VIT_IR_FLOPS_H
