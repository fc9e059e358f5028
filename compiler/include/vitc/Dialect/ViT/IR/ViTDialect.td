// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The vit dialect: a Vision Transformer in the words of its papers.

#ifndef VITC_DIALECT_VIT_IR_VITDIALECT_TD
#define VITC_DIALECT_VIT_IR_VITDIALECT_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/BuiltinAttributes.td"

def ViT_Dialect : Dialect {
  let name = "vit";
  let cppNamespace = "::vitc::vit";
  let dependentDialects = ["::mlir::quant::QuantDialect"];
  let summary = "Vision Transformers on tensors";
  let description = [{
    Ops work on ranked tensors of f32 with static shapes, one or more dimensions and no empty one. Operands of linear layers may have
    fewer bits (see `vit.quantize`). The first dimension of an activation
    is the image in the batch: `[image, token, channel]` for sequences, `[image, channel]` for pooled vectors,
    `[image, channel, row, column]` for images.

    Weights are module-level `vit.parameter` symbols, read with `vit.get`; no literal data stands in the IR. An op whose operands are all
    parameters is computed at compile time (see `vit-hoist-parameters`).

    What an op computes is written as a formula in its description and as code in the reference interpreter.
  }];
}

// Shapes that every verifier and pass may divide by and multiply up without a second look.
def ViT_Tensor : Type<CPred<"::vitc::vit::isModelTensor($_self)">,
                      "tensor of f32 with a static shape and no empty dimension", "::mlir::RankedTensorType">;

// The same in a format of fewer bits: Formats.h.
def ViT_NarrowTensor : Type<CPred<"::vitc::vit::isNarrowTensor($_self)">,
                            "tensor of f16, bf16 or 8-bit rows with a static shape and no empty dimension", "::mlir::RankedTensorType">;
def ViT_OperandTensor : Type<Or<[ViT_Tensor.predicate, ViT_NarrowTensor.predicate]>,
                             "tensor of f32, f16, bf16 or 8-bit rows with a static shape and no empty dimension",
                             "::mlir::RankedTensorType">;
// Weights have any format but that of activations.
class ViT_Weight<list<Pred> predicates, string words>
    : Type<And<!listconcat([CPred<"::vitc::vit::isWeightTensor($_self)">], predicates)>,
           words # "tensor of f32, f16, bf16 or rows of i8 with a static shape and no empty dimension", "::mlir::RankedTensorType">;
def ViT_WeightTensor : ViT_Weight<[], "">;
def ViT_WeightMatrix : ViT_Weight<[HasAnyRankOfPred<[2]>], "2-D ">;
def ViT_WeightImage : ViT_Weight<[HasAnyRankOfPred<[4]>], "[output channel, channel, row, column] ">;

class ViT_RankedTensor<int rank, string words>
    : Type<And<[ViT_Tensor.predicate, HasAnyRankOfPred<[rank]>]>, words # " tensor of f32 with a static shape and no empty dimension",
           "::mlir::RankedTensorType">;

def ViT_Vector : ViT_RankedTensor<1, "1-D">;
def ViT_Matrix : ViT_RankedTensor<2, "2-D">;
def ViT_Sequence : ViT_RankedTensor<3, "[image, token, channel]">;
def ViT_Image : ViT_RankedTensor<4, "[image, channel, row, column]">;

#endif // VITC_DIALECT_VIT_IR_VITDIALECT_TD
