// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations of the vit dialect. Constraint labels such as `linear_c1` stand in them, in the verifier and in the tests.

#ifndef VITC_DIALECT_VIT_IR_VITOPS_TD
#define VITC_DIALECT_VIT_IR_VITOPS_TD

include "vitc/Dialect/ViT/IR/ParameterOps.td"
include "vitc/Dialect/ViT/IR/TokenOps.td"
include "vitc/Dialect/ViT/IR/MapOps.td"

#endif // VITC_DIALECT_VIT_IR_VITOPS_TD
