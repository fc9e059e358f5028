// Passes over the vit dialect. Each is exact: the reference interpreter gives the same values before and after, up to rounding.

#ifndef VITC_DIALECT_VIT_TRANSFORMS_PASSES_TD
#define VITC_DIALECT_VIT_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def DecomposePass : Pass<"vit-decompose", "::mlir::ModuleOp"> {
  let summary = "write mlp and head out as linear layers and activations";
  let description = [{
    ```mlir
    %1 = vit.mlp %0 up %w1, %b1 down %w2, %b2 gelu : …
    ```
    becomes
    ```mlir
    %1 = vit.linear %0, %w1 bias %b1 : …
    %2 = vit.activate %1 gelu : …
    %3 = vit.linear %2, %w2 bias %b2 : …
    ```
  }];
  let dependentDialects = ["::vitc::vit::ViTDialect"];
}

def PoolEarlyPass : Pass<"vit-pool-early", "::mlir::ModuleOp"> {
  let summary = "take the pooled token before the layers that work on each token alone";
  let description = [{
    Layer norm, linear, activation and residual treat every token by itself, so picking one token commutes with them:
    ```mlir
    %1 = vit.layer_norm %0 … : tensor<1x197x768xf32>
    %2 = vit.pool %1 token 0 : tensor<1x197x768xf32> -> tensor<1x768xf32>
    ```
    becomes
    ```mlir
    %1 = vit.pool %0 token 0 : tensor<1x197x768xf32> -> tensor<1x768xf32>
    %2 = vit.layer_norm %1 … : tensor<1x768xf32>
    ```
    A layer whose whole sequence is used elsewhere too stays as it is.
  }];
  let dependentDialects = ["::vitc::vit::ViTDialect"];
  let statistics = [Statistic<"movedPools", "moved-pools", "layers that became one-token layers">];
}

def SinkPositionPass : Pass<"vit-sink-position", "::mlir::ModuleOp"> {
  let summary = "add the position embedding where the tokens are made";
  let description = [{
    The sum over a concatenation is the concatenation of sums; the learned tokens' part is a constant, the patches' part belongs to the
    patch embedding:
    ```mlir
    %1 = vit.patch_embed %image, %w bias %b : …
    %2 = vit.concat_tokens %class, %1 : …
    %3 = vit.add_position %2, %position : …
    ```
    becomes
    ```mlir
    %p0 = vit.slice %position along 1 from 0 : …
    %p1 = vit.slice %position along 1 from 1 : …
    %c = vit.add %class, %p0 : …
    %1 = vit.patch_embed %image, %w bias %b position %p1 : …
    %2 = vit.concat_tokens %c, %1 : …
    ```
  }];
  let dependentDialects = ["::vitc::vit::ViTDialect"];
}

def FuseQkvPass : Pass<"vit-fuse-qkv", "::mlir::ModuleOp"> {
  let summary = "make queries, keys and values with one linear layer";
  let description = [{
    Three linear layers of the same input that feed one attention become one with their weights on top of each other, and slices of its result.
    All three must have a bias, or none.
  }];
  let dependentDialects = ["::vitc::vit::ViTDialect"];
  let statistics = [Statistic<"fused", "fused-attentions", "attentions whose projections were fused">];
}

def FuseEpiloguesPass : Pass<"vit-fuse-epilogues", "::mlir::ModuleOp"> {
  let summary = "let linear layers apply the activation and add the residual that follow them";
  let description = [{
    An activation or a residual sum that is the only user of a linear layer moves into it, so that it is computed while the result is
    still in registers.
    ```mlir
    %1 = vit.linear %0, %w bias %b : …
    %2 = vit.add %1, %x : …
    ```
    becomes
    ```mlir
    %2 = vit.linear %0, %w bias %b residual %x : …
    ```
  }];
  let dependentDialects = ["::vitc::vit::ViTDialect"];
}

def HoistParametersPass : Pass<"vit-hoist-parameters", "::mlir::ModuleOp"> {
  let summary = "turn what depends on parameters alone into derived parameters";
  let description = [{
    Ops in the function whose operands are all parameters move into the body of a new `vit.parameter` each time their result meets an op
    that is not of that kind. Afterwards the function's remaining ops all depend on the picture, and parameters nobody reads are gone.
  }];
  let dependentDialects = ["::vitc::vit::ViTDialect"];
  let statistics = [Statistic<"derived", "derived-parameters", "parameters computed at compile time">];
}

#endif // VITC_DIALECT_VIT_TRANSFORMS_PASSES_TD
