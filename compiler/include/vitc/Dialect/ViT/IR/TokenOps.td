// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sequences of tokens: embedding, encoder and heads.

#ifndef VITC_DIALECT_VIT_IR_TOKENOPS_TD
#define VITC_DIALECT_VIT_IR_TOKENOPS_TD

include "vitc/Dialect/ViT/IR/ViTBase.td"

//===----------------------------------------------------------------------===//
// Embedding
//===----------------------------------------------------------------------===//

def ViT_PatchEmbedOp : ViT_PureOp<"patch_embed", [AttrSizedOperandSegments, ViT_HasWeights]> {
  let summary = "one token for each patch of the image";
  let description = [{
    `tokens[n, (gy, gx), d] = Σ_{c,y,x} image[n, c, gy·P+y, gx·Q+x] · weight[d, c, y, x] + bias[d] + position[0, (gy, gx), d]`

    P and Q are the patch's height and width, taken from the weight. Rows and columns beyond a whole number of patches are ignored, as a
    strided convolution does.

    - `patch_embed_c1`: image and weight have the same number of channels
    - `patch_embed_c2`: the result is [images, patches, width of the weight]
    - `patch_embed_c3`: the bias has one value for each channel of the result
    - `patch_embed_c4`: the position is [1, patches, channels of the result]
  }];
  let arguments = (ins ViT_Image:$image, ViT_WeightImage:$weight, Optional<ViT_Vector>:$bias, Optional<ViT_Sequence>:$position);
  let results = (outs ViT_Sequence:$tokens);
  let assemblyFormat = [{
    $image `,` $weight (`bias` $bias^)? (`position` $position^)? attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def ViT_ConcatTokensOp : ViT_ProductFreeOp<"concat_tokens", [ViT_HasWeights]> {
  let summary = "puts learned tokens (class, distillation, registers) in front of every image's sequence";
  let description = [{
    `result[n] = tokens[0] followed by sequence[n]`

    - `concat_tokens_c1`: tokens are [1, any, channels of the sequence]
    - `concat_tokens_c2`: the result has the tokens of both
  }];
  let arguments = (ins ViT_Sequence:$tokens, ViT_Sequence:$sequence);
  let results = (outs ViT_Sequence:$result);
  let assemblyFormat = "$tokens `,` $sequence attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def ViT_ResizePositionOp : ViT_ProductFreeOp<"resize_position"> {
  let summary = "position embedding for another grid of patches";
  let description = [{
    The first `prefix` tokens stay; the others are seen as an image of `from` rows and columns and resized to `to` as
    `torch.nn.functional.interpolate(mode=interpolation, align_corners=False, antialias=antialias)` does (bicubic: a = -0.75 without
    antialiasing, -0.5 with it; edges repeated). With `factors` the source position of row y is `(y + 0.5) / factors[0] - 0.5`, as with
    that function's `scale_factor`; without, the factor is `to / from`.

    - `resize_position_c1`: from and to are rows and columns, one or more of each; the prefix is not negative
    - `resize_position_c2`: the table has prefix + from[0]·from[1] tokens
    - `resize_position_c3`: the result has prefix + to[0]·to[1] tokens and the table's channels
    - `resize_position_c4`: factors are two positive numbers
  }];
  let arguments = (ins ViT_Sequence:$table, DenseI64ArrayAttr:$from, DenseI64ArrayAttr:$to, I64Attr:$prefix,
                       DefaultValuedAttr<ViT_Interpolation, "::vitc::vit::Interpolation::Bicubic">:$interpolation, UnitAttr:$antialias,
                       OptionalAttr<DenseF64ArrayAttr>:$factors);
  let results = (outs ViT_Sequence:$result);
  let assemblyFormat = [{
    $table `from` $from `to` $to `prefix` $prefix ($interpolation^)? (`antialias` $antialias^)? (`factors` $factors^)? attr-dict
    `:` type($table) `->` type($result)
  }];
  let hasVerifier = 1;
}

def ViT_AddPositionOp : ViT_ProductFreeOp<"add_position", [AllTypesMatch<["sequence", "result"]>, ViT_HasWeights]> {
  let summary = "adds the position embedding to every image's sequence";
  let description = [{
    `result[n, t, d] = sequence[n, t, d] + position[0, t, d]`

    - `add_position_c1`: the position is [1, tokens, channels] of the sequence
  }];
  let arguments = (ins ViT_Sequence:$sequence, ViT_Sequence:$position);
  let results = (outs ViT_Sequence:$result);
  let assemblyFormat = "$sequence `,` $position attr-dict `:` type($sequence) `,` type($position)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Encoder
//===----------------------------------------------------------------------===//

def ViT_LayerNormOp : ViT_ProductFreeOp<"layer_norm", [AttrSizedOperandSegments, AllTypesMatch<["input", "result"]>, ViT_HasWeights]> {
  let summary = "normalises each vector of channels";
  let description = [{
    `result[…, d] = n(input)[…, d] · gain[d] + bias[d]`, with n of the channels x of one vector, or of each of `groups` equal runs of them
    (a norm of the queries of every head):

    | kind | n(x) |
    | --- | --- |
    | `layer` | (x − mean) / sqrt(variance + eps) |
    | `rms` | x / sqrt(mean of x² + eps) |
    | `l2` | x / max(‖x‖, eps) |

    `vit-fold-norm` takes gain and bias away.

    - `layer_norm_c1`: gain and bias have one value for each channel
    - `layer_norm_c2`: eps is finite and at least 0
    - `layer_norm_c3`: a bias comes with a gain
    - `layer_norm_c4`: the channels are a multiple of the groups
  }];
  let arguments = (ins ViT_Tensor:$input, Optional<ViT_Vector>:$gain, Optional<ViT_Vector>:$bias, F64Attr:$eps,
                       DefaultValuedAttr<ViT_NormKind, "::vitc::vit::NormKind::Layer">:$kind, DefaultValuedAttr<I64Attr, "1">:$groups);
  let results = (outs ViT_Tensor:$result);
  let assemblyFormat = [{
    $input (`gain` $gain^)? (`bias` $bias^)? `eps` $eps ($kind^)? (`groups` $groups^)? attr-dict `:` type($input)
    (`,` type($gain)^)? (`,` type($bias)^)?
  }];
  let hasVerifier = 1;
}

def ViT_LinearOp : ViT_PureOp<"linear", [AttrSizedOperandSegments, ViT_HasWeights]> {
  let summary = "a fully connected layer";
  let description = [{
    `result[…, o] = activation(Σ_i input[…, i] · weight[o, i] + bias[o]) + residual[…, o]`

    Models are imported without activation and residual; `vit-fuse-epilogues` fills them in.

    - `linear_c1`: input and weight have the same number of input channels
    - `linear_c2`: the result has the input's shape with the weight's output channels
    - `linear_c3`: the bias has one value for each output channel
    - `linear_c4`: the residual has the result's type
    - `linear_c5`: input and weight are both f32, both bf16, or rows of u8 and of i8; or the weight alone is f16, bf16 or rows of i8
  }];
  let arguments = (ins ViT_OperandTensor:$input, ViT_WeightMatrix:$weight, Optional<ViT_Vector>:$bias, Optional<ViT_Tensor>:$residual,
                       DefaultValuedAttr<ViT_Activation, "::vitc::vit::Activation::None">:$activation);
  let results = (outs ViT_Tensor:$result);
  let assemblyFormat = [{
    $input `,` $weight (`bias` $bias^)? (`residual` $residual^)? (`activation` $activation^)? attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "::mlir::Value":$input, "::mlir::Value":$weight, "::mlir::Value":$bias)>];
  let extraClassDeclaration = [{
    /// Neither activation nor residual.
    bool isPlain() { return !getResidual() && getActivation() == ::vitc::vit::Activation::None; }
  }];
}

def ViT_QuantizeOp : ViT_ProductFreeOp<"quantize"> {
  let summary = "the nearest numbers that a format of fewer bits has";
  let description = [{
    | element type | a number x becomes |
    | --- | --- |
    | `bf16`, `f16` | the nearest float of 16 bits, halves to even |
    | `!quant.any<u8:f32>` | offset + scale·q, q in 0 … 255: each row (all but the last dimension) has offset = min x and scale = (max x − min x)/255 |
    | `!quant.any<i8<-127:127>:f32>` | scale·q, q in −127 … 127: each output channel (the first dimension) has scale = max abs(x)/127 |

    A linear layer computes with the rounded numbers as if they were real ones; its sums are not rounded.

    - `quantize_c1`: the result has the input's shape
  }];
  let arguments = (ins ViT_Tensor:$input);
  let results = (outs ViT_NarrowTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
}

def ViT_ActivationOp : ViT_ProductFreeOp<"activate", [SameOperandsAndResultType]> {
  let summary = "an activation function, element by element";
  let description = "| name | f(x) |\n| --- | --- |\n" #
      !interleave(!foreach(function, activationFunctions, "| `" # function.word # "` | `" # function.value # "` |"), "\n") # "\n";
  let arguments = (ins ViT_Tensor:$input, ViT_Activation:$function);
  let results = (outs ViT_Tensor:$result);
  let assemblyFormat = "$input $function attr-dict `:` type($input)";
}

def ViT_AttentionOp : ViT_PureOp<"attention", [AttrSizedOperandSegments, ViT_HasWeights]> {
  let summary = "multi-head attention on projected queries, keys and values";
  let description = [{
    For each image b and head h, with q, k, v the head's slice of channels: `p = softmax(scale · q·kᵀ + bias[h] + mask[b mod masks])` along
    the keys, `result = p·v`, heads side by side. The optional second result is p: [image, head, query, key]. An "image" is a window where
    attention works in windows. There may be fewer queries than keys, and one set of queries for all images.

    - `attention_c1`: keys and values have the same type, the result has that of the queries, for each image
    - `attention_c2`: the channels are a multiple of the heads
    - `attention_c3`: the probabilities are [images, heads, queries, keys]
    - `attention_c4`: the scale is finite
    - `attention_c5`: the bias is [heads, queries, keys]
    - `attention_c6`: the mask is [masks, queries, keys], and the images are a multiple of the masks
    - `attention_c7`: queries are those of every image, or one set for all
  }];
  let arguments = (ins ViT_Sequence:$query, ViT_Sequence:$key, ViT_Sequence:$value, Optional<ViT_Sequence>:$bias,
                       Optional<ViT_Sequence>:$mask, I64Attr:$heads, F64Attr:$scale);
  let results = (outs ViT_Sequence:$result, Optional<ViT_Image>:$probabilities);
  let assemblyFormat = [{
    $query `,` $key `,` $value (`bias` $bias^)? (`mask` $mask^)? `heads` $heads `scale` $scale attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::mlir::Type":$probabilities, "::mlir::Value":$query, "::mlir::Value":$key,
                                 "::mlir::Value":$value, "int64_t":$heads, "::llvm::APFloat":$scale,
                                 CArg<"::mlir::Value", "{}">:$bias, CArg<"::mlir::Value", "{}">:$mask)>];
}

def ViT_RotateOp : ViT_ProductFreeOp<"rotate", [AllTypesMatch<["input", "result"]>, ViT_HasWeights]> {
  let summary = "rotary position embedding of queries or keys";
  let description = [{
    `result[n, t, h·D+d] = input[n, t, h·D+d]·cos[h', t, d] + p(input)[n, t, h·D+d]·sin[h', t, d]`, D the channels of a head, h' = h, or 0
    where one table serves all heads. p exchanges the channels that turn together:

    | pairing | p(x)[d] |
    | --- | --- |
    | `halves` | −x[d + D/2] in the first half, x[d − D/2] in the second |
    | `interleaved` | −x[d + 1] for even d, x[d − 1] for odd d |

    - `rotate_c1`: the channels are a multiple of the heads, and each head has an even number
    - `rotate_c2`: cos and sin are [1 or heads, tokens, channels of a head]
  }];
  let arguments = (ins ViT_Sequence:$input, ViT_Sequence:$cos, ViT_Sequence:$sin, I64Attr:$heads, ViT_RotaryPairing:$pairing);
  let results = (outs ViT_Sequence:$result);
  let assemblyFormat = "$input `cos` $cos `sin` $sin `heads` $heads $pairing attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def ViT_SingleQueryAttentionOp : ViT_PureOp<"single_query_attention", [ViT_HasWeights]> {
  let summary = "attention of one query per image, with keys and values that are never formed";
  let description = [{
    With x the image's sequence, and for each head h its rows of the key and value weights and its slice of the query:
    `p = softmax(scale · x·(key_hᵀ·query_h))`, `result_h = value_h·(Σ_j p_j·x_j)`.
    It equals `vit.attention` of `query`, `linear(x, key)` and `linear(x, value)` for that query, because matrix products associate.

    - `single_query_attention_c1`: the query is [images, channels of the weights]
    - `single_query_attention_c2`: key and value are [channels, channels of the sequence]
    - `single_query_attention_c3`: the channels are a multiple of the heads
    - `single_query_attention_c4`: the result has the query's type
    - `single_query_attention_c5`: key and value have one format
  }];
  let arguments = (ins ViT_Sequence:$sequence, ViT_Matrix:$query, ViT_WeightMatrix:$key, ViT_WeightMatrix:$value, I64Attr:$heads, F64Attr:$scale);
  let results = (outs ViT_Matrix:$result);
  let assemblyFormat = [{
    $sequence `query` $query `key` $key `value` $value `heads` $heads `scale` $scale attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def ViT_MlpOp : ViT_PureOp<"mlp", [AttrSizedOperandSegments, AllTypesMatch<["input", "result"]>]> {
  let summary = "the two-layer MLP of a block";
  let description = [{
    `result = linear(activation(linear(input, up)), down)`. `vit-decompose` writes it out.

    - `mlp_c1`: up is [hidden, channels] and down [channels, hidden]
    - `mlp_c2`: the biases have hidden and channels values
  }];
  let arguments = (ins ViT_Tensor:$input, ViT_Matrix:$up, Optional<ViT_Vector>:$up_bias, ViT_Matrix:$down, Optional<ViT_Vector>:$down_bias,
                       ViT_Activation:$activation);
  let results = (outs ViT_Tensor:$result);
  let assemblyFormat = [{
    $input `up` $up (`,` $up_bias^)? `down` $down (`,` $down_bias^)? $activation attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def ViT_AddOp : ViT_ProductFreeOp<"add", [Commutative, SameOperandsAndResultType]> {
  let summary = "adds a residual";
  let arguments = (ins ViT_Tensor:$lhs, ViT_Tensor:$rhs);
  let results = (outs ViT_Tensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
}

def ViT_AffineOp : ViT_ProductFreeOp<"affine", [AllTypesMatch<["input", "result"]>, ViT_HasWeights]> {
  let summary = "scales and shifts every channel: layer scale, or batch norm at inference";
  let description = [{
    `result[…, c] = input[…, c]·scale[c] + shift[c]`. `vit-fold-affine` moves it into a layer beside it.

    - `affine_c1`: scale and shift have one value for each channel
  }];
  let arguments = (ins ViT_Tensor:$input, ViT_Vector:$scale, Optional<ViT_Vector>:$shift);
  let results = (outs ViT_Tensor:$result);
  let assemblyFormat = "$input `scale` $scale (`shift` $shift^)? attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def ViT_GateOp : ViT_ProductFreeOp<"gate", [AllTypesMatch<["input", "result"]>]> {
  let summary = "lets a part of every element through: SwiGLU, squeeze and excitation";
  let description = [{
    `result = input · activation(gate)`, element by element; a gate of [image, channel] is that of all tokens of the image.

    - `gate_c1`: the gate has the input's shape, or [images, channels] of a sequence
  }];
  let arguments = (ins ViT_Tensor:$input, ViT_Tensor:$gate, ViT_Activation:$activation);
  let results = (outs ViT_Tensor:$result);
  let assemblyFormat = "$input `by` $gate $activation attr-dict `:` type($input) `,` type($gate)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Pooling, heads, outputs
//===----------------------------------------------------------------------===//

def ViT_PoolOp : ViT_ProductFreeOp<"pool"> {
  let summary = "one vector for each image";
  let description = [{
    `token`: the token at `first`. `mean`, `max`: the mean, or for each channel the largest value, of the tokens from `first` on.
    `mean_max`: the mean of those two.

    - `pool_c1`: `first` is one of the sequence's tokens
    - `pool_c2`: the result is [images, channels] of the sequence
  }];
  let arguments = (ins ViT_Sequence:$sequence, ViT_PoolKind:$kind, I64Attr:$first);
  let results = (outs ViT_Matrix:$result);
  let assemblyFormat = "$sequence $kind $first attr-dict `:` type($sequence) `->` type($result)";
  let hasVerifier = 1;
}

def ViT_HeadOp : ViT_PureOp<"head"> {
  let summary = "a layer on the pooled vector: classifier, or the pooler with its tanh";
  let description = [{
    `result = activation(linear(pooled, weight, bias))`. `vit-decompose` writes it out.

    - `head_c1`: the weight is [outputs, channels of the pooled vector]
    - `head_c2`: the bias has one value for each output
    - `head_c3`: the result is [images, outputs]
  }];
  let arguments = (ins ViT_Matrix:$pooled, ViT_Matrix:$weight, Optional<ViT_Vector>:$bias, ViT_Activation:$activation);
  let results = (outs ViT_Matrix:$result);
  let assemblyFormat = "$pooled `,` $weight (`bias` $bias^)? $activation attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def ViT_SoftmaxOp : ViT_ProductFreeOp<"softmax", [SameOperandsAndResultType]> {
  let summary = "probabilities along the last dimension";
  let arguments = (ins ViT_Tensor:$input);
  let results = (outs ViT_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input)";
}

def ViT_StackOp : ViT_ProductFreeOp<"stack"> {
  let summary = "one output out of a tensor per layer";
  let description = [{
    `result[n, l, …] = input_l[n, …]`

    - `stack_c1`: there is at least one input and all have one type
    - `stack_c2`: the result has the inputs' shape with their number after the first dimension
  }];
  let arguments = (ins Variadic<ViT_Tensor>:$inputs);
  let results = (outs ViT_Tensor:$result);
  let assemblyFormat = "$inputs attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Shape
//===----------------------------------------------------------------------===//

def ViT_ConcatOp : ViT_ProductFreeOp<"concat"> {
  let summary = "tensors one after the other along a dimension";
  let description = [{
    - `concat_c1`: there is at least one input and the dimension is one of its
    - `concat_c2`: inputs differ in that dimension only
    - `concat_c3`: the result's is their sum, its other dimensions are the inputs'
  }];
  let arguments = (ins Variadic<ViT_Tensor>:$inputs, I64Attr:$dimension);
  let results = (outs ViT_Tensor:$result);
  let assemblyFormat = "$inputs `along` $dimension attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def ViT_SliceOp : ViT_ProductFreeOp<"slice"> {
  let summary = "a range of a dimension";
  let description = [{
    `result[…, i, …] = input[…, offset + i, …]`

    - `slice_c1`: the dimension is one of the input's and the result has as many dimensions
    - `slice_c2`: offset and extent of the result lie within the input
    - `slice_c3`: the other dimensions are the input's
  }];
  let arguments = (ins ViT_Tensor:$input, I64Attr:$dimension, I64Attr:$offset);
  let results = (outs ViT_Tensor:$result);
  let assemblyFormat = "$input `along` $dimension `from` $offset attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
}

def ViT_ReshapeOp : ViT_ProductFreeOp<"reshape"> {
  let summary = "the same elements in the same order, in another shape";
  let description = [{
    - `reshape_c1`: input and result have the same number of elements
  }];
  let arguments = (ins ViT_Tensor:$input);
  let results = (outs ViT_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
}

def ViT_TransposeOp : ViT_ProductFreeOp<"transpose"> {
  let summary = "the dimensions of a tensor in another order";
  let description = [{
    Dimension i of the result is dimension `order[i]` of the input.

    - `transpose_c1`: order has each of the input's dimensions once
    - `transpose_c2`: the result's dimensions are the input's in that order
  }];
  let arguments = (ins ViT_Tensor:$input, DenseI64ArrayAttr:$order);
  let results = (outs ViT_Tensor:$result);
  let assemblyFormat = "$input `order` $order attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
}

#endif // VITC_DIALECT_VIT_IR_TOKENOPS_TD
