// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the operations of the vit dialect are made of.

#ifndef VITC_DIALECT_VIT_IR_VITBASE_TD
#define VITC_DIALECT_VIT_IR_VITBASE_TD

include "vitc/Dialect/ViT/IR/ViTDialect.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class ViT_Op<string mnemonic, list<Trait> traits = []> : Op<ViT_Dialect, mnemonic, traits>;
class ViT_PureOp<string mnemonic, list<Trait> traits = []> : ViT_Op<mnemonic, !listconcat([Pure], traits)>;

//===----------------------------------------------------------------------===//
// Enumerations
//===----------------------------------------------------------------------===//

def ViT_Activation : I32EnumAttr<"Activation", "an activation function", [
    I32EnumAttrCase<"None", 0, "none">,
    I32EnumAttrCase<"Gelu", 1, "gelu">,
    I32EnumAttrCase<"GeluTanh", 2, "gelu_tanh">,
    I32EnumAttrCase<"QuickGelu", 3, "quick_gelu">,
    I32EnumAttrCase<"Relu", 4, "relu">,
    I32EnumAttrCase<"Silu", 5, "silu">,
    I32EnumAttrCase<"Tanh", 6, "tanh">,
    I32EnumAttrCase<"Sigmoid", 7, "sigmoid">,
    I32EnumAttrCase<"Mish", 8, "mish">,
    I32EnumAttrCase<"HardSwish", 9, "hard_swish">,
    I32EnumAttrCase<"HardSigmoid", 10, "hard_sigmoid">,
    I32EnumAttrCase<"Relu6", 11, "relu6">,
    I32EnumAttrCase<"LeakyRelu", 12, "leaky_relu">,
    I32EnumAttrCase<"Elu", 13, "elu">]> {
  let cppNamespace = "::vitc::vit";
}

def ViT_NormKind : I32EnumAttr<"NormKind", "what a vector is divided by", [
    I32EnumAttrCase<"Layer", 0, "layer">,
    I32EnumAttrCase<"Rms", 1, "rms">,
    I32EnumAttrCase<"L2", 2, "l2">]> {
  let cppNamespace = "::vitc::vit";
}

def ViT_Pairs : I32EnumAttr<"Pairs", "which two channels of a head turn together", [
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
