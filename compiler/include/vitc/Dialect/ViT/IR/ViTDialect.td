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
  let summary = "Vision Transformers on tensors";
  let description = [{
    Ops work on ranked tensors of f32 with static shapes, one or more dimensions and no empty one. The first dimension of an activation
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

class ViT_RankedTensor<int rank, string words>
    : Type<And<[ViT_Tensor.predicate, HasAnyRankOfPred<[rank]>]>, words # " tensor of f32 with a static shape and no empty dimension",
           "::mlir::RankedTensorType">;

def ViT_Vector : ViT_RankedTensor<1, "1-D">;
def ViT_Matrix : ViT_RankedTensor<2, "2-D">;
def ViT_Sequence : ViT_RankedTensor<3, "[image, token, channel]">;
def ViT_Image : ViT_RankedTensor<4, "[image, channel, row, column]">;

#endif // VITC_DIALECT_VIT_IR_VITDIALECT_TD
