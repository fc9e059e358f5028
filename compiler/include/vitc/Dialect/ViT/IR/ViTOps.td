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
    I32EnumAttrCase<"Tanh", 6, "tanh">]> {
  let cppNamespace = "::vitc::vit";
}

def ViT_PoolKind : I32EnumAttr<"PoolKind", "how a sequence becomes one vector", [
    I32EnumAttrCase<"Token", 0, "token">,
    I32EnumAttrCase<"Mean", 1, "mean">]> {
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
    `torch.nn.functional.interpolate(mode="bicubic", align_corners=False)` does (a = -0.75, edges repeated, no antialiasing).

    - `resize_position_c1`: from and to are rows and columns, one or more of each; the prefix is not negative
    - `resize_position_c2`: the table has prefix + from[0]·from[1] tokens
    - `resize_position_c3`: the result has prefix + to[0]·to[1] tokens and the table's channels
  }];
  let arguments = (ins ViT_Sequence:$table, DenseI64ArrayAttr:$from, DenseI64ArrayAttr:$to, I64Attr:$prefix);
  let results = (outs ViT_Sequence:$result);
  let assemblyFormat = "$table `from` $from `to` $to `prefix` $prefix attr-dict `:` type($table) `->` type($result)";
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
    `result[…, d] = (input[…, d] − mean) / sqrt(variance + eps) · gain[d] + bias[d]`, mean and variance over d.
    `vit-fold-norm` takes gain and bias away.

    - `layer_norm_c1`: gain and bias have one value for each channel
    - `layer_norm_c2`: eps is finite and at least 0
    - `layer_norm_c3`: gain and bias come together
  }];
  let arguments = (ins ViT_Tensor:$input, Optional<ViT_Vector>:$gain, Optional<ViT_Vector>:$bias, F64Attr:$eps);
  let results = (outs ViT_Tensor:$result);
  let assemblyFormat = [{
    $input (`gain` $gain^ `bias` $bias)? `eps` $eps attr-dict `:` type($input) (`,` type($gain)^ `,` type($bias))?
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
  }];
  let arguments = (ins ViT_Tensor:$input, ViT_Activation:$function);
  let results = (outs ViT_Tensor:$result);
  let assemblyFormat = "$input $function attr-dict `:` type($input)";
}

def ViT_AttentionOp : ViT_PureOp<"attention"> {
  let summary = "multi-head self attention on projected queries, keys and values";
  let description = [{
    For each image and head h, with q, k, v the head's slice of channels: `p = softmax(scale · q·kᵀ)` along the keys, `result = p·v`,
    heads side by side. The optional second result is p: [image, head, query, key].

    - `attention_c1`: queries, keys, values and the result have the same type
    - `attention_c2`: the channels are a multiple of the heads
    - `attention_c3`: the probabilities are [images, heads, tokens, tokens]
    - `attention_c4`: the scale is finite
  }];
  let arguments = (ins ViT_Sequence:$query, ViT_Sequence:$key, ViT_Sequence:$value, I64Attr:$heads, F64Attr:$scale);
  let results = (outs ViT_Sequence:$result, Optional<ViT_Picture>:$probabilities);
  let assemblyFormat = [{
    $query `,` $key `,` $value `heads` $heads `scale` $scale attr-dict `:` functional-type(operands, results)
  }];
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

//===----------------------------------------------------------------------===//
// Pooling, heads, outputs
//===----------------------------------------------------------------------===//

def ViT_PoolOp : ViT_PureOp<"pool"> {
  let summary = "one vector for each image";
  let description = [{
    `token`: the token at `first`. `mean`: the mean of the tokens from `first` on.

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

//===----------------------------------------------------------------------===//
// Arithmetic on parameters
//===----------------------------------------------------------------------===//

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

def ViT_ScaleColumnsOp : ViT_PureOp<"scale_columns", [AllTypesMatch<["matrix", "result"]>]> {
  let summary = "multiplies every column of a matrix by a number of its own";
  let description = [{
    `result[o, i] = matrix[o, i] · factors[i]`

    - `scale_columns_c1`: there is one factor for each column
  }];
  let arguments = (ins ViT_Matrix:$matrix, ViT_Vector:$factors);
  let results = (outs ViT_Matrix:$result);
  let assemblyFormat = "$matrix `by` $factors attr-dict `:` type($matrix) `,` type($factors)";
  let hasVerifier = 1;
}

#endif // VITC_DIALECT_VIT_IR_VITOPS_TD
