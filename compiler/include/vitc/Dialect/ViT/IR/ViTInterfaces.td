// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What operations of the vit dialect say of themselves, so that no other place lists them.

#ifndef VITC_DIALECT_VIT_IR_VITINTERFACES_TD
#define VITC_DIALECT_VIT_IR_VITINTERFACES_TD

include "mlir/IR/Interfaces.td"

def ViT_FlopsOpInterface : OpInterface<"FlopsOpInterface"> {
  let cppNamespace = "::vitc::vit";
  let description = [{ An op that computes a value: how much arithmetic that takes. }];
  let methods = [
    InterfaceMethod<"Floating-point operations of one execution: two for each multiply-add of a product, nothing for the rest.",
                    "double", "getFlops">];
}

def ViT_WeightsOpInterface : OpInterface<"WeightsOpInterface"> {
  let cppNamespace = "::vitc::vit";
  let description = [{ An op some of whose operands are weights: its kernel reads them from the weights file. }];
  let methods = [
    InterfaceMethod<"The weights; those that the op lacks are null.", "::llvm::SmallVector<::mlir::Value>", "getWeights">];
}

#endif // VITC_DIALECT_VIT_IR_VITINTERFACES_TD
