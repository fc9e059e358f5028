// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes over the vit dialect. Each is exact: the reference interpreter gives the same values before and after, up to rounding.

#ifndef VITC_DIALECT_VIT_TRANSFORMS_PASSES_TD
#define VITC_DIALECT_VIT_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def DecomposePass : Pass<"vit-decompose", "::mlir::ModuleOp"> {
  let summary = "write mlp, head and pointwise convolutions out as linear layers and activations";
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
    A convolution of single pixels, one by one, is a linear layer.
  }];
  let dependentDialects = ["::vitc::vit::ViTDialect"];
}

def FoldAffinePass : Pass<"vit-fold-affine", "::mlir::ModuleOp"> {
  let summary = "move layer scales and batch norms into the layers beside them";
  let description = [{
    `s∘(W·x + b) + t = (diag(s)·W)·x + (s∘b + t)` for the layer before, a linear one or a convolution; where there is none,
    `W·(s∘x + t) + b = (W·diag(s))·x + (W·t + b)` for the linear layers behind:
    ```mlir
    %1 = vit.linear %0, %w bias %b : …
    %2 = vit.affine %1 scale %s : …
    ```
    becomes
    ```mlir
    %w1 = vit.scale_rows %w by %s : …
    %b1 = vit.gate %b by %s none : …
    %2 = vit.linear %0, %w1 bias %b1 : …
    ```
  }];
  let dependentDialects = ["::vitc::vit::ViTDialect"];
  let statistics = [Statistic<"flopsBefore", "flops-before", "floating-point operations before the pass">,
                    Statistic<"flopsAfter", "flops-after", "floating-point operations after the pass">];
}

def FoldNormPass : Pass<"vit-fold-norm", "::mlir::ModuleOp"> {
  let summary = "move a layer norm's gain and bias into the linear layers that read it";
  let description = [{
    `W·(g∘x̂ + β) + b = (W·diag(g))·x̂ + (W·β + b)`, so the affine half of the norm is paid once, at compile time:
    ```mlir
    %1 = vit.layer_norm %0 gain %g bias %beta eps 1.0e-06 : …
    %2 = vit.linear %1, %w bias %b : …
    ```
    becomes
    ```mlir
    %w1 = vit.scale_columns %w by %g : …
    %b1 = vit.linear %beta, %w bias %b : …
    %1 = vit.layer_norm %0 eps 1.0e-06 : …
    %2 = vit.linear %1, %w1 bias %b1 : …
    ```
    Stays away where anything but a linear layer reads the norm (picking one token in between does no harm).

    Where a level of the target computes products by Winograd's algorithm, the gain stays with the norm and the bias alone moves: trained gains silence
    channels whose values are far larger than the others', and such products want operands of one size.
  }];
  let dependentDialects = ["::vitc::vit::ViTDialect", "::vitc::kernel::KernelDialect"];
  let statistics = [Statistic<"flopsBefore", "flops-before", "floating-point operations before the pass">,
                    Statistic<"flopsAfter", "flops-after", "floating-point operations after the pass">];
}

def FoldSoftmaxScalePass : Pass<"vit-fold-softmax-scale", "::mlir::ModuleOp"> {
  let summary = "move the scale of attention scores into the query's weights";
  let description = [{
    `s·((W·x + b)·k) = ((s·W)·x + s·b)·k`. Needs a query that is a linear layer used by this attention alone.
  }];
  let dependentDialects = ["::vitc::vit::ViTDialect"];
  let statistics = [Statistic<"flopsBefore", "flops-before", "floating-point operations before the pass">,
                    Statistic<"flopsAfter", "flops-after", "floating-point operations after the pass">];
}

def DropKeyBiasPass : Pass<"vit-drop-key-bias", "::mlir::ModuleOp"> {
  let summary = "leave out the bias of attention keys";
  let description = [{
    `q·(k_j + b) = q·k_j + q·b`: the bias adds the same number to a query's scores of all keys, and softmax does not change when a constant is
    added to all its inputs. Needs keys that are a linear layer used by this attention alone.
  }];
  let dependentDialects = ["::vitc::vit::ViTDialect"];
  let statistics = [Statistic<"flopsBefore", "flops-before", "floating-point operations before the pass">,
                    Statistic<"flopsAfter", "flops-after", "floating-point operations after the pass">];
}

def MoveValueBiasPass : Pass<"vit-move-value-bias", "::mlir::ModuleOp"> {
  let summary = "move the bias of attention values behind the attention";
  let description = [{
    The weights of a query sum to one, so `Σ_j p_j·(v_j + b) = Σ_j p_j·v_j + b`, and the output layer takes it up:
    `W_o·(y + b) + c = W_o·y + (W_o·b + c)`. Needs values that are a linear layer used by this attention alone, and an attention that
    feeds one linear layer alone.
  }];
  let dependentDialects = ["::vitc::vit::ViTDialect"];
  let statistics = [Statistic<"flopsBefore", "flops-before", "floating-point operations before the pass">,
                    Statistic<"flopsAfter", "flops-after", "floating-point operations after the pass">];
}

def SingleQueryPass : Pass<"vit-single-query", "::mlir::ModuleOp"> {
  let summary = "attend from the pooled token without forming keys and values";
  let description = [{
    Where only one token of an attention's result is used (the last block of a model that pools its class token), that token's scores are
    `x·(W_kᵀ·q)` and its result `W_v·(Σ_j p_j·x_j)`, because matrix products associate: two products with all tokens' keys and values
    become two with one vector per head.
    ```mlir
    %k = vit.linear %x, %wk : …
    %v = vit.linear %x, %wv : …
    %1 = vit.attention %q, %k, %v heads 12 scale 1.0 : …
    %2 = vit.pool %1 token 0 : …
    ```
    becomes
    ```mlir
    %q0 = vit.pool %q token 0 : …
    %2 = vit.single_query_attention %x query %q0 key %wk value %wv heads 12 scale 1.0 : …
    ```
    Needs keys and values without bias (`vit-drop-key-bias`, `vit-move-value-bias`) that nothing else reads, and no attention maps.
  }];
  let dependentDialects = ["::vitc::vit::ViTDialect"];
  let statistics = [Statistic<"flopsBefore", "flops-before", "floating-point operations before the pass">,
                    Statistic<"flopsAfter", "flops-after", "floating-point operations after the pass">];
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
  let statistics = [Statistic<"movedPools", "moved-pools", "layers that became one-token layers">,
                    Statistic<"flopsBefore", "flops-before", "floating-point operations before the pass">,
                    Statistic<"flopsAfter", "flops-after", "floating-point operations after the pass">];
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
    A layer without a bias gets zeros if another has one.
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
    that is not of that kind. Afterwards the function's remaining ops all depend on the image, and parameters nobody reads are gone.
  }];
  let dependentDialects = ["::vitc::vit::ViTDialect"];
  let statistics = [Statistic<"derived", "derived-parameters", "parameters computed at compile time">];
}

def AssignPrecisionPass : Pass<"vit-assign-precision", "::mlir::ModuleOp"> {
  let summary = "give the operands of linear layers the bits that the module's precision asks for";
  let description = [{
    The module's `vit.precision` is one of these; without it nothing changes.

    | precision | weights | activations of eight rows and more |
    | --- | --- | --- |
    | `bf16` | bf16 | bf16 |
    | `f16` | f16 | f32 |
    | `int8` | 8-bit rows, a scale for each output channel | 8-bit rows, a scale and an offset for each token |

    Layers of fewer rows (the head, the last block of a class token) take weights of these bits and float32 activations. Layers whose
    results are brought to length 1, as queries and keys of cosine attention are, stay in f32.
    ```mlir
    %1 = vit.linear %0, %w : (tensor<1x197x768xf32>, tensor<768x768xf32>) -> tensor<1x197x768xf32>
    ```
    becomes with `int8`
    ```mlir
    %1 = vit.quantize %0 : tensor<1x197x768xf32> -> tensor<1x197x768x!quant.any<u8:f32>>
    %2 = vit.quantize %w : tensor<768x768xf32> -> tensor<768x768x!quant.any<i8<-127:127>:f32>>
    %3 = vit.linear %1, %2 : (tensor<1x197x768x!quant.any<u8:f32>>, tensor<768x768x!quant.any<i8<-127:127>:f32>>) -> tensor<1x197x768xf32>
    ```
    `vit-hoist-parameters` makes a parameter of `%2`.
  }];
  let dependentDialects = ["::vitc::vit::ViTDialect"];
  let statistics = [Statistic<"layers", "layers", "linear layers with fewer bits">];
}

def SelectKernelsPass : Pass<"vit-select-kernels", "::mlir::ModuleOp"> {
  let summary = "choose the algorithm of every linear layer and attention, at each level of the target";
  let description = [{
    The target (`kernel.target`) says which algorithm each of its levels has; the pass gives it to the ops that gain by it, by rules that were measured, and
    plain products to the others. `convert-vit-to-kernel` obeys.

    | algorithm | of a product of m rows, n columns and k steps | gains where |
    | --- | --- | --- |
    | `strassen` | seven products of half the size instead of eight | m ≥ 48, n and k ≥ 384, n a multiple of two panels, k of 32 |
    | `winograd` | two multiply-adds and two additions instead of three multiply-adds | m ≥ 16, n ≥ 96, k ≥ 192, k a multiple of 16; attention |
    | `tensor_core` | operands in half precision | m ≥ 16 |

    ```mlir
    %1 = vit.linear %0, %w : (tensor<1x197x768xf32>, tensor<768x768xf32>) -> tensor<1x197x768xf32>
    ```
    becomes, for levels that have `strassen` and `winograd`,
    ```mlir
    %1 = vit.linear %0, %w {kernel.selected = [#kernel.level<"avx2", strassen>, #kernel.level<"zen4", winograd>]} : …
    ```
    With `remarks` each choice is told with its reason.
  }];
  let options = [Option<"remarks", "remarks", "bool", "false", "tell each choice with its reason">];
  let dependentDialects = ["::vitc::vit::ViTDialect", "::vitc::kernel::KernelDialect"];
}

#endif // VITC_DIALECT_VIT_TRANSFORMS_PASSES_TD
