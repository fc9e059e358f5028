// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Activation functions of models and of kernels follow from one list:
/// schedules/families/Activations.td.
#ifndef VITC_DIALECT_VIT_IR_ACTIVATIONS_H
#define VITC_DIALECT_VIT_IR_ACTIVATIONS_H

#include "families/Families.h"
#include "vitc/Dialect/ViT/IR/ViT.h"

namespace vitc::vit {

/// The function as kernels call it.
inline families::Activation definitionOf(Activation function) {
  return families::Activation(int(function));
}

} // namespace vitc::vit

#endif // VITC_DIALECT_VIT_IR_ACTIVATIONS_H
