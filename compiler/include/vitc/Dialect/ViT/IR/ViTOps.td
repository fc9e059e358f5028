// Operations of the vit dialect. Constraint labels such as `linear_c1` stand here, in the verifier and in the tests.

#ifndef VITC_DIALECT_VIT_IR_VITOPS_TD
#define VITC_DIALECT_VIT_IR_VITOPS_TD

include "vitc/Dialect/ViT/IR/ViTDialect.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/IR/RegionKindInterface.td"
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

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

def ViT_ParameterOp : ViT_Op<"parameter", [IsolatedFromAbove, Symbol, NoRegionArguments,
                                           DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a weight of the model, by name";
  let description = [{
    Without a body the parameter is the checkpoint's tensor of the same name. With a body it is derived: computed at compile time
    from other parameters.

    ```mlir
    vit.parameter @position : tensor<1x17x48xf32>
    vit.parameter @position.resized : tensor<1x13x48xf32> {
      %0 = vit.get @position : tensor<1x17x48xf32>
      %1 = vit.resize_position %0 from [4, 4] to [3, 4] prefix 1 : tensor<1x17x48xf32> -> tensor<1x13x48xf32>
      vit.yield %1 : tensor<1x13x48xf32>
    }
    ```

    - `parameter_c1`: a body yields one value of the parameter's type
    - `parameter_c2`: a body does not read its own parameter, nor parameters computed from it
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<ViT_Tensor>:$type);
  let regions = (region MaxSizedRegion<1>:$body);
  let assemblyFormat = "$sym_name `:` $type ($body^)? attr-dict";
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    bool isDerived() { return !getBody().empty(); }
    ::mlir::RankedTensorType getTensorType() { return ::llvm::cast<::mlir::RankedTensorType>(getType()); }
  }];
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::RankedTensorType":$type)>];
}

def ViT_YieldOp : ViT_Op<"yield", [Pure, Terminator, HasParent<"ParameterOp">]> {
  let summary = "the value of a derived parameter";
  let arguments = (ins ViT_Tensor:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

def ViT_GetOp : ViT_PureOp<"get", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "the value of a parameter";
  let description = [{
    - `get_c1`: the symbol names a `vit.parameter`
    - `get_c2`: the result has the parameter's type
  }];
  let arguments = (ins FlatSymbolRefAttr:$parameter);
  let results = (outs ViT_Tensor:$value);
  let assemblyFormat = "$parameter attr-dict `:` type($value)";
}

//===----------------------------------------------------------------------===//
// Embedding
//===----------------------------------------------------------------------===//

def ViT_PatchEmbedOp : ViT_PureOp<"patch_embed", [AttrSizedOperandSegments]> {
  let summary = "one token for each patch of the picture";
  let description = [{
    `tokens[n, (gy, gx), d] = Σ_{c,y,x} image[n, c, gy·P+y, gx·Q+x] · weight[d, c, y, x] + bias[d] + position[0, (gy, gx), d]`

    P and Q are the patch's height and width, taken from the weight. Rows and columns beyond a whole number of patches are ignored, as a
    strided convolution does.

    - `patch_embed_c1`: image and weight have the same number of channels
    - `patch_embed_c2`: the result is [images, patches, width of the weight]
    - `patch_embed_c3`: the bias has one value for each channel of the result
    - `patch_embed_c4`: the position is [1, patches, channels of the result]
  }];
  let arguments = (ins ViT_Picture:$image, ViT_Picture:$weight, Optional<ViT_Vector>:$bias, Optional<ViT_Sequence>:$position);
  let results = (outs ViT_Sequence:$tokens);
  let assemblyFormat = [{
    $image `,` $weight (`bias` $bias^)? (`position` $position^)? attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def ViT_ConcatTokensOp : ViT_PureOp<"concat_tokens"> {
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

def ViT_ResizePositionOp : ViT_PureOp<"resize_position"> {
  let summary = "position embedding for another grid of patches";
  let description = [{
    The first `prefix` tokens stay; the others are seen as a picture of `from` rows and columns and resized to `to` as
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

def ViT_AddPositionOp : ViT_PureOp<"add_position", [AllTypesMatch<["sequence", "result"]>]> {
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

def ViT_LayerNormOp : ViT_PureOp<"layer_norm", [AttrSizedOperandSegments, AllTypesMatch<["input", "result"]>]> {
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

def ViT_LinearOp : ViT_PureOp<"linear", [AttrSizedOperandSegments]> {
  let summary = "a fully connected layer";
  let description = [{
    `result[…, o] = activation(Σ_i input[…, i] · weight[o, i] + bias[o]) + residual[…, o]`

    Models are imported without activation and residual; `vit-fuse-epilogues` fills them in.

    - `linear_c1`: input and weight have the same number of input channels
    - `linear_c2`: the result has the input's shape with the weight's output channels
    - `linear_c3`: the bias has one value for each output channel
    - `linear_c4`: the residual has the result's type
  }];
  let arguments = (ins ViT_Tensor:$input, ViT_Matrix:$weight, Optional<ViT_Vector>:$bias, Optional<ViT_Tensor>:$residual,
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

def ViT_ActivationOp : ViT_PureOp<"activate", [SameOperandsAndResultType]> {
  let summary = "an activation function, element by element";
  let description = [{
    | name | f(x) |
    | --- | --- |
    | `none` | x |
    | `gelu` | x/2 · (1 + erf(x/√2)) |
    | `gelu_tanh` | x/2 · (1 + tanh(√(2/π)·(x + 0.044715·x³))) |
    | `quick_gelu` | x / (1 + exp(−1.702·x)) |
    | `relu` | max(x, 0) |
    | `silu` | x / (1 + exp(−x)) |
    | `tanh` | tanh(x) |
    | `sigmoid` | 1 / (1 + exp(−x)) |
    | `mish` | x · tanh(ln(1 + exp(x))) |
    | `hard_swish` | x · min(max(x + 3, 0), 6) / 6 |
    | `hard_sigmoid` | min(max(x + 3, 0), 6) / 6 |
    | `relu6` | min(max(x, 0), 6) |
    | `leaky_relu` | x for x > 0, else x / 100 |
    | `elu` | x for x > 0, else exp(x) − 1 |
  }];
  let arguments = (ins ViT_Tensor:$input, ViT_Activation:$function);
  let results = (outs ViT_Tensor:$result);
  let assemblyFormat = "$input $function attr-dict `:` type($input)";
}

def ViT_AttentionOp : ViT_PureOp<"attention", [AttrSizedOperandSegments]> {
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
  let results = (outs ViT_Sequence:$result, Optional<ViT_Picture>:$probabilities);
  let assemblyFormat = [{
    $query `,` $key `,` $value (`bias` $bias^)? (`mask` $mask^)? `heads` $heads `scale` $scale attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::mlir::Type":$probabilities, "::mlir::Value":$query, "::mlir::Value":$key,
                                 "::mlir::Value":$value, "int64_t":$heads, "::llvm::APFloat":$scale,
                                 CArg<"::mlir::Value", "{}">:$bias, CArg<"::mlir::Value", "{}">:$mask)>];
}

def ViT_RotateOp : ViT_PureOp<"rotate", [AllTypesMatch<["input", "result"]>]> {
  let summary = "rotary position embedding of queries or keys";
  let description = [{
    `result[n, t, h·D+d] = input[n, t, h·D+d]·cos[h', t, d] + p(input)[n, t, h·D+d]·sin[h', t, d]`, D the channels of a head, h' = h, or 0
    where one table serves all heads. p exchanges the channels that turn together:

    | pairs | p(x)[d] |
    | --- | --- |
    | `halves` | −x[d + D/2] in the first half, x[d − D/2] in the second |
    | `interleaved` | −x[d + 1] for even d, x[d − 1] for odd d |

    - `rotate_c1`: the channels are a multiple of the heads, and each head has an even number
    - `rotate_c2`: cos and sin are [1 or heads, tokens, channels of a head]
  }];
  let arguments = (ins ViT_Sequence:$input, ViT_Sequence:$cos, ViT_Sequence:$sin, I64Attr:$heads, ViT_Pairs:$pairs);
  let results = (outs ViT_Sequence:$result);
  let assemblyFormat = "$input `cos` $cos `sin` $sin `heads` $heads $pairs attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def ViT_SingleQueryAttentionOp : ViT_PureOp<"single_query_attention"> {
  let summary = "attention of one query per image, with keys and values that are never formed";
  let description = [{
    With x the image's sequence, and for each head h its rows of the key and value weights and its slice of the query:
    `p = softmax(scale · x·(key_hᵀ·query_h))`, `result_h = value_h·(Σ_j p_j·x_j)`.
    It equals `vit.attention` of `query`, `linear(x, key)` and `linear(x, value)` for that query, because matrix products associate.

    - `single_query_attention_c1`: the query is [images, channels of the weights]
    - `single_query_attention_c2`: key and value are [channels, channels of the sequence]
    - `single_query_attention_c3`: the channels are a multiple of the heads
    - `single_query_attention_c4`: the result has the query's type
  }];
  let arguments = (ins ViT_Sequence:$sequence, ViT_Matrix:$query, ViT_Matrix:$key, ViT_Matrix:$value, I64Attr:$heads, F64Attr:$scale);
  let results = (outs ViT_Matrix:$result);
  let assemblyFormat = [{
    $sequence `query` $query `key` $key `value` $value `heads` $heads `scale` $scale attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def ViT_MlpOp : ViT_PureOp<"mlp", [AttrSizedOperandSegments, AllTypesMatch<["input", "result"]>]> {
  let summary = "the two-layer perceptron of a block";
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

def ViT_AddOp : ViT_PureOp<"add", [Commutative, SameOperandsAndResultType]> {
  let summary = "adds a residual";
  let arguments = (ins ViT_Tensor:$lhs, ViT_Tensor:$rhs);
  let results = (outs ViT_Tensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
}

def ViT_AffineOp : ViT_PureOp<"affine", [AllTypesMatch<["input", "result"]>]> {
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

def ViT_GateOp : ViT_PureOp<"gate", [AllTypesMatch<["input", "result"]>]> {
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
// Windows of a map
//
// A map is a sequence whose tokens are the pixels of `grid` rows and columns, row by row.
//===----------------------------------------------------------------------===//

def ViT_WindowPartitionOp : ViT_PureOp<"window_partition"> {
  let summary = "cuts a map into windows, each a sequence of its own";
  let description = [{
    The map is padded with zeros below and to the right to whole windows, and rolled up and left by `shift`. Order `window`: a sequence
    is one window (Swin). Order `grid`: a sequence has one pixel of every window, the same place in each (MobileViT's unfolding).

    - `window_partition_c1`: grid and window are rows and columns, one or more of each; the shift is not negative and less than the padded map
    - `window_partition_c2`: the map has grid[0]·grid[1] tokens
    - `window_partition_c3`: the result is [images · sequences of an image, tokens of a sequence, channels]
  }];
  let arguments = (ins ViT_Sequence:$map, DenseI64ArrayAttr:$grid, DenseI64ArrayAttr:$window, DenseI64ArrayAttr:$shift,
                       DefaultValuedAttr<ViT_WindowOrder, "::vitc::vit::WindowOrder::Window">:$order);
  let results = (outs ViT_Sequence:$result);
  let assemblyFormat = "$map `grid` $grid `window` $window `shift` $shift ($order^)? attr-dict `:` type($map) `->` type($result)";
  let hasVerifier = 1;
}

def ViT_WindowMergeOp : ViT_PureOp<"window_merge"> {
  let summary = "puts windows together to a map again: the inverse of vit.window_partition";
  let description = [{
    - `window_merge_c1`: grid, window and shift are as those of `vit.window_partition`
    - `window_merge_c2`: the result is [images, grid[0]·grid[1], channels]
    - `window_merge_c3`: the windows are those that `vit.window_partition` makes of the result
  }];
  let arguments = (ins ViT_Sequence:$windows, DenseI64ArrayAttr:$grid, DenseI64ArrayAttr:$window, DenseI64ArrayAttr:$shift,
                       DefaultValuedAttr<ViT_WindowOrder, "::vitc::vit::WindowOrder::Window">:$order);
  let results = (outs ViT_Sequence:$result);
  let assemblyFormat = "$windows `grid` $grid `window` $window `shift` $shift ($order^)? attr-dict `:` type($windows) `->` type($result)";
  let hasVerifier = 1;
}

def ViT_WindowMaskOp : ViT_PureOp<"window_mask"> {
  let summary = "keeps pixels of a rolled map from attending across its old edges";
  let description = [{
    `result[w, i, j]` is 0 if the pixels i and j of window w come from the same region of the rolled map and `value` otherwise. Regions are
    cut before the last window and before the last `shift` rows, and likewise columns, of the padded map.

    - `window_mask_c1`: grid, window and shift are as those of `vit.window_partition`
    - `window_mask_c2`: the result is [windows, tokens of a window, tokens of a window]
  }];
  let arguments = (ins DenseI64ArrayAttr:$grid, DenseI64ArrayAttr:$window, DenseI64ArrayAttr:$shift, F64Attr:$value);
  let results = (outs ViT_Sequence:$result);
  let assemblyFormat = "`grid` $grid `window` $window `shift` $shift `value` $value attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def ViT_RelativeBiasOp : ViT_PureOp<"relative_bias"> {
  let summary = "an attention bias that depends on how far apart two pixels are";
  let description = [{
    `result[h, prefix + i, prefix + j] = table[(dy + grid[0] − 1)·(2·grid[1] − 1) + dx + grid[1] − 1, h]`, with (dy, dx) from pixel j to pixel
    i of a map. With a prefix of 1 the table has three more rows: from the prefix token to pixels, from pixels to it, and to itself.

    - `relative_bias_c1`: grid is rows and columns, one or more of each; the prefix is 0 or 1
    - `relative_bias_c2`: the table has (2·grid[0] − 1)·(2·grid[1] − 1) rows, and three more with a prefix
    - `relative_bias_c3`: the result is [columns of the table, tokens, tokens]
  }];
  let arguments = (ins ViT_Matrix:$table, DenseI64ArrayAttr:$grid, I64Attr:$prefix);
  let results = (outs ViT_Sequence:$result);
  let assemblyFormat = "$table `grid` $grid `prefix` $prefix attr-dict `:` type($table) `->` type($result)";
  let hasVerifier = 1;
}

def ViT_SpaceToDepthOp : ViT_PureOp<"space_to_depth"> {
  let summary = "the pixels of each block side by side in one token: Swin's patch merging";
  let description = [{
    `result[n, (Y, X), j·C + c] = map[n, (Y·block[0] + dy, X·block[1] + dx), c]`, zero beyond the map's edge; j counts the pixels (dy, dx) of a
    block by rows or by columns.

    - `space_to_depth_c1`: grid and block are rows and columns, one or more of each
    - `space_to_depth_c2`: the map has grid[0]·grid[1] tokens
    - `space_to_depth_c3`: the result is [images, blocks, channels · pixels of a block]
  }];
  let arguments = (ins ViT_Sequence:$map, DenseI64ArrayAttr:$grid, DenseI64ArrayAttr:$block, ViT_BlockOrder:$order);
  let results = (outs ViT_Sequence:$result);
  let assemblyFormat = "$map `grid` $grid `block` $block $order attr-dict `:` type($map) `->` type($result)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

def ViT_ConvOp : ViT_PureOp<"conv", [AttrSizedOperandSegments]> {
  let summary = "a convolution of a map, or of the picture";
  let description = [{
    `result[n, (Y, X), o] = activation(Σ input[n, (Y·stride[0] + y − padding[0], X·stride[1] + x − padding[1]), c]·weight[o, y, x, c] + bias[o]) +
    residual[n, (Y, X), o]`, zero outside the map. `padding` is top, left, bottom, right. The weight of a picture is [o, c, y, x].

    - `conv_c1`: grid and stride are rows and columns, one or more of each; padding is four numbers, none negative
    - `conv_c2`: the input has grid[0]·grid[1] tokens, or is a picture of that size
    - `conv_c3`: input and weight have the same number of channels
    - `conv_c4`: the window fits into the padded map
    - `conv_c5`: the result is [images, positions of the window, outputs]
    - `conv_c6`: the bias has one value for each output
    - `conv_c7`: the residual has the result's type
  }];
  let arguments = (ins ViT_Tensor:$input, ViT_Picture:$weight, Optional<ViT_Vector>:$bias, Optional<ViT_Sequence>:$residual,
                       DenseI64ArrayAttr:$grid, DenseI64ArrayAttr:$stride, DenseI64ArrayAttr:$padding,
                       DefaultValuedAttr<ViT_Activation, "::vitc::vit::Activation::None">:$activation);
  let results = (outs ViT_Sequence:$result);
  let assemblyFormat = [{
    $input `,` $weight (`bias` $bias^)? (`residual` $residual^)? `grid` $grid `stride` $stride `padding` $padding (`activation` $activation^)?
    attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    bool readsPicture() { return getInput().getType().getRank() == 4; }
    /// Rows and columns of the kernel's window.
    ::std::pair<int64_t, int64_t> getWindow() {
      auto shape = getWeight().getType().getShape();
      return readsPicture() ? ::std::pair(shape[2], shape[3]) : ::std::pair(shape[1], shape[2]);
    }
    /// Rows and columns of the result.
    ::std::pair<int64_t, int64_t> getResultGrid();
  }];
}

def ViT_DepthwiseConvOp : ViT_PureOp<"depthwise_conv"> {
  let summary = "a convolution of each channel by itself";
  let description = [{
    `result[n, (Y, X), c] = activation(Σ map[n, (Y·stride[0] + y − padding[0], X·stride[1] + x − padding[1]), c]·weight[y, x, c] + bias[c])`

    - `depthwise_conv_c1`: grid, stride and padding are as those of `vit.conv`
    - `depthwise_conv_c2`: the map has grid[0]·grid[1] tokens
    - `depthwise_conv_c3`: the weight is [rows, columns, channels of the map] and fits into the padded map
    - `depthwise_conv_c4`: the result is [images, positions of the window, channels]
    - `depthwise_conv_c5`: the bias has one value for each channel
  }];
  let arguments = (ins ViT_Sequence:$map, ViT_Sequence:$weight, Optional<ViT_Vector>:$bias, DenseI64ArrayAttr:$grid,
                       DenseI64ArrayAttr:$stride, DenseI64ArrayAttr:$padding,
                       DefaultValuedAttr<ViT_Activation, "::vitc::vit::Activation::None">:$activation);
  let results = (outs ViT_Sequence:$result);
  let assemblyFormat = [{
    $map `,` $weight (`bias` $bias^)? `grid` $grid `stride` $stride `padding` $padding (`activation` $activation^)?
    attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::std::pair<int64_t, int64_t> getResultGrid();
  }];
}

def ViT_GroupNormOp : ViT_PureOp<"group_norm", [AllTypesMatch<["map", "result"]>]> {
  let summary = "normalises groups of channels over all pixels of a map";
  let description = [{
    `result[n, t, c] = activation((map[n, t, c] − mean) / sqrt(variance + eps)·gain[c] + bias[c] + residual[n, t, c])`, mean and variance over
    the image's pixels and the channels of c's group.

    - `group_norm_c1`: the channels are a multiple of the groups
    - `group_norm_c2`: gain and bias have one value for each channel
    - `group_norm_c3`: eps is finite and at least 0
    - `group_norm_c4`: the residual has the map's type
  }];
  let arguments = (ins ViT_Sequence:$map, ViT_Vector:$gain, ViT_Vector:$bias, Optional<ViT_Sequence>:$residual, I64Attr:$groups, F64Attr:$eps,
                       DefaultValuedAttr<ViT_Activation, "::vitc::vit::Activation::None">:$activation);
  let results = (outs ViT_Sequence:$result);
  let assemblyFormat = [{
    $map `gain` $gain `bias` $bias (`residual` $residual^)? `groups` $groups `eps` $eps (`activation` $activation^)? attr-dict
    `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def ViT_SpatialPoolOp : ViT_PureOp<"spatial_pool"> {
  let summary = "the largest or mean pixel of each window of a map";
  let description = [{
    Windows stand as those of `vit.conv`. The padding counts for nothing, or, with `pad_zero`, as zeros.

    - `spatial_pool_c1`: grid, stride and padding are as those of `vit.conv`, and window is rows and columns, one or more of each
    - `spatial_pool_c2`: the map has grid[0]·grid[1] tokens
    - `spatial_pool_c3`: the window fits into the padded map, and no window stands in the padding alone
    - `spatial_pool_c4`: the result is [images, positions of the window, channels]
  }];
  let arguments = (ins ViT_Sequence:$map, ViT_SpatialPoolKind:$kind, DenseI64ArrayAttr:$grid, DenseI64ArrayAttr:$window,
                       DenseI64ArrayAttr:$stride, DenseI64ArrayAttr:$padding, UnitAttr:$pad_zero);
  let results = (outs ViT_Sequence:$result);
  let assemblyFormat = [{
    $map $kind `grid` $grid `window` $window `stride` $stride `padding` $padding (`pad_zero` $pad_zero^)? attr-dict
    `:` type($map) `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::std::pair<int64_t, int64_t> getResultGrid();
  }];
}

def ViT_ResizeMapOp : ViT_PureOp<"resize_map"> {
  let summary = "a map of another size";
  let description = [{
    Bilinear, as `torch.nn.functional.interpolate(mode="bilinear", align_corners=False)`.

    - `resize_map_c1`: from and to are rows and columns, one or more of each
    - `resize_map_c2`: the map has from[0]·from[1] tokens
    - `resize_map_c3`: the result has to[0]·to[1] tokens
  }];
  let arguments = (ins ViT_Sequence:$map, DenseI64ArrayAttr:$from, DenseI64ArrayAttr:$to);
  let results = (outs ViT_Sequence:$result);
  let assemblyFormat = "$map `from` $from `to` $to attr-dict `:` type($map) `->` type($result)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Pooling, heads, outputs
//===----------------------------------------------------------------------===//

def ViT_PoolOp : ViT_PureOp<"pool"> {
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

def ViT_SoftmaxOp : ViT_PureOp<"softmax", [SameOperandsAndResultType]> {
  let summary = "probabilities along the last dimension";
  let arguments = (ins ViT_Tensor:$input);
  let results = (outs ViT_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input)";
}

def ViT_StackOp : ViT_PureOp<"stack"> {
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

def ViT_ConcatOp : ViT_PureOp<"concat"> {
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

def ViT_SliceOp : ViT_PureOp<"slice"> {
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

def ViT_ReshapeOp : ViT_PureOp<"reshape"> {
  let summary = "the same elements in the same order, in another shape";
  let description = [{
    - `reshape_c1`: input and result have the same number of elements
  }];
  let arguments = (ins ViT_Tensor:$input);
  let results = (outs ViT_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
}

def ViT_TransposeOp : ViT_PureOp<"transpose"> {
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

//===----------------------------------------------------------------------===//
// Arithmetic on parameters
//===----------------------------------------------------------------------===//

def ViT_ConstantOp : ViT_PureOp<"constant"> {
  let summary = "numbers that follow from the configuration: angles of a rotary embedding, coordinates";
  let description = [{
    - `constant_c1`: there is a value for each element of the result, in f64
  }];
  let arguments = (ins ElementsAttr:$values);
  let results = (outs ViT_Tensor:$result);
  let assemblyFormat = "$values attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def ViT_ExpOp : ViT_PureOp<"exp", [SameOperandsAndResultType]> {
  let summary = "exp(min(x, limit)) of every element";
  let arguments = (ins ViT_Tensor:$input, F64Attr:$limit);
  let results = (outs ViT_Tensor:$result);
  let assemblyFormat = "$input `limit` $limit attr-dict `:` type($input)";
}

def ViT_InverseRootOp : ViT_PureOp<"inverse_root", [SameOperandsAndResultType]> {
  let summary = "1 / sqrt(x + eps) of every element";
  let arguments = (ins ViT_Tensor:$input, F64Attr:$eps);
  let results = (outs ViT_Tensor:$result);
  let assemblyFormat = "$input `eps` $eps attr-dict `:` type($input)";
}

def ViT_StandardizeOp : ViT_PureOp<"standardize", [SameOperandsAndResultType]> {
  let summary = "weight standardisation: the weights of each output with mean 0 and variance 1";
  let description = [{
    `result[o, …] = (weight[o, …] − mean_o) / sqrt(variance_o + eps)`
  }];
  let arguments = (ins ViT_Tensor:$weight, F64Attr:$eps);
  let results = (outs ViT_Tensor:$result);
  let assemblyFormat = "$weight `eps` $eps attr-dict `:` type($weight)";
}

def ViT_ScaleRowsOp : ViT_PureOp<"scale_rows", [AllTypesMatch<["tensor", "result"]>]> {
  let summary = "multiplies what belongs to each output by a number of its own";
  let description = [{
    `result[o, …] = tensor[o, …] · factors[o]`

    - `scale_rows_c1`: there is one factor for each element of the first dimension
  }];
  let arguments = (ins ViT_Tensor:$tensor, ViT_Vector:$factors);
  let results = (outs ViT_Tensor:$result);
  let assemblyFormat = "$tensor `by` $factors attr-dict `:` type($tensor) `,` type($factors)";
  let hasVerifier = 1;
}

def ViT_FillOp : ViT_PureOp<"fill"> {
  let summary = "a tensor with one value everywhere";
  let arguments = (ins F64Attr:$constant);
  let results = (outs ViT_Tensor:$result);
  let assemblyFormat = "$constant attr-dict `:` type($result)";
}

def ViT_ScaleOp : ViT_PureOp<"scale", [SameOperandsAndResultType]> {
  let summary = "multiplies every element by a number";
  let arguments = (ins ViT_Tensor:$input, F64Attr:$factor);
  let results = (outs ViT_Tensor:$result);
  let assemblyFormat = "$input `by` $factor attr-dict `:` type($input)";
}

def ViT_ScaleColumnsOp : ViT_PureOp<"scale_columns", [AllTypesMatch<["tensor", "result"]>]> {
  let summary = "multiplies what belongs to each column, the last dimension, by a number of its own";
  let description = [{
    `result[…, i] = tensor[…, i] · factors[i]`

    - `scale_columns_c1`: there is one factor for each column
  }];
  let arguments = (ins ViT_Tensor:$tensor, ViT_Vector:$factors);
  let results = (outs ViT_Tensor:$result);
  let assemblyFormat = "$tensor `by` $factors attr-dict `:` type($tensor) `,` type($factors)";
  let hasVerifier = 1;
}

#endif // VITC_DIALECT_VIT_IR_VITOPS_TD
