// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the operations of the vit dialect are made of.

#ifndef VITC_DIALECT_VIT_IR_VITBASE_TD
#define VITC_DIALECT_VIT_IR_VITBASE_TD

include "vitc/Dialect/ViT/IR/ViTDialect.td"
include "families/Activations.td"
include "vitc/Dialect/ViT/IR/ViTInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class ViT_Op<string mnemonic, list<Trait> traits = []> : Op<ViT_Dialect, mnemonic, traits>;

// Of ops with weights among their operands: Weights.cpp has the getWeights() of each.
def ViT_HasWeights : DeclareOpInterfaceMethods<ViT_WeightsOpInterface>;

// An op that computes a value. Flops.cpp has the getFlops() of each.
class ViT_PureOp<string mnemonic, list<Trait> traits = []>
    : ViT_Op<mnemonic, !listconcat([Pure, DeclareOpInterfaceMethods<ViT_FlopsOpInterface>], traits)>;

// One without matrix products: it counts as no arithmetic.
class ViT_ProductFreeOp<string mnemonic, list<Trait> traits = []> : ViT_PureOp<mnemonic, traits> {
  let extraClassDefinition = [{
    double $cppClass::getFlops() { return 0; }
  }];
}

//===----------------------------------------------------------------------===//
// Enumerations
//===----------------------------------------------------------------------===//

// Those of the kernels: schedules/families/Activations.td.
def ViT_Activation : I32EnumAttr<"Activation", "an activation function",
    !foreach(i, !range(!size(activationFunctions)),
             I32EnumAttrCase<activationFunctions[i].cppName, i, activationFunctions[i].word>)> {
  let cppNamespace = "::vitc::vit";
}

def ViT_NormKind : I32EnumAttr<"NormKind", "what a vector is divided by", [
    I32EnumAttrCase<"Layer", 0, "layer">,
    I32EnumAttrCase<"Rms", 1, "rms">,
    I32EnumAttrCase<"L2", 2, "l2">]> {
  let cppNamespace = "::vitc::vit";
}

def ViT_RotaryPairing : I32EnumAttr<"RotaryPairing", "which two channels of a head turn together", [
    I32EnumAttrCase<"Halves", 0, "halves">,
    I32EnumAttrCase<"Interleaved", 1, "interleaved">]> {
  let cppNamespace = "::vitc::vit";
}

def ViT_WindowOrder : I32EnumAttr<"WindowOrder", "what becomes a sequence of its own", [
    I32EnumAttrCase<"Window", 0, "window">,
    I32EnumAttrCase<"Grid", 1, "grid">]> {
  let cppNamespace = "::vitc::vit";
}

def ViT_BlockOrder : I32EnumAttr<"BlockOrder", "how the pixels of a block follow one another", [
    I32EnumAttrCase<"Rows", 0, "rows">,
    I32EnumAttrCase<"Columns", 1, "columns">]> {
  let cppNamespace = "::vitc::vit";
}

def ViT_Interpolation : I32EnumAttr<"Interpolation", "how values between pixels are found", [
    I32EnumAttrCase<"Bicubic", 0, "bicubic">,
    I32EnumAttrCase<"Bilinear", 1, "bilinear">]> {
  let cppNamespace = "::vitc::vit";
}

def ViT_SpatialPoolKind : I32EnumAttr<"SpatialPoolKind", "how the pixels of a window become one", [
    I32EnumAttrCase<"Max", 0, "max">,
    I32EnumAttrCase<"Mean", 1, "mean">]> {
  let cppNamespace = "::vitc::vit";
}

def ViT_PoolKind : I32EnumAttr<"PoolKind", "how a sequence becomes one vector", [
    I32EnumAttrCase<"Token", 0, "token">,
    I32EnumAttrCase<"Mean", 1, "mean">,
    I32EnumAttrCase<"Max", 2, "max">,
    I32EnumAttrCase<"MeanMax", 3, "mean_max">]> {
  let cppNamespace = "::vitc::vit";
}

#endif // VITC_DIALECT_VIT_IR_VITBASE_TD
