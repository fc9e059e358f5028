// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attention, single_query_attention and rotate.

#ifndef VITC_SCHEDULES_FAMILIES_ATTENTION_TD
#define VITC_SCHEDULES_FAMILIES_ATTENTION_TD

include "families/Base.td"

def RotaryPairing : Words<"channels that rotate together", ["halves", "interleaved"]>;

def Attention : Family<"attention", "Attention"> {
  let backends = ["halide", "tvm"];
  let notTuned = "";
  let description = [{
`p = softmax(scale·q·kᵀ + bias[h] + mask[b mod masks])`, `out = p·v`, for each image, or window, b and head h; head h is
columns `h·head_dim …` of q, k, v and out.

With `winograd` the products may be Winograd inner products, as in gemm; then the error of a result is bounded by the sum of its weights
times the size of all values. `bias` and masks are finite, or a row's weights are not defined; their padding is zero.
}];
  let fields = [
    Extent<"batch", "images, or windows">,
    Extent<"heads">,
    Extent<"tokens", "keys and values of an image">,
    Extent<"queries", "rows of q and out of an image", "", "tokens">,
    Extent<"head_dim">,
    Number<"scale">,
    Stride<"ldq", "width", "row stride of q; an image's rows follow the one before">,
    Stride<"ldk", "width", "row stride of k">,
    Stride<"ldv", "width", "row stride of v">,
    Stride<"ldo", "width", "row stride of out">,
    Flag<"probabilities", "the maps p are written">,
    Stride<"prob_batch_stride", "heads * queries * tokens", "elements between two images' maps, whose heads and rows are dense", "probabilities">,
    Flag<"winograd", "the products may be Winograd inner products", "False">,
    Flag<"bias", "", "False">,
    Count<"masks", "0 for none", "0">,
    Stride<"ldb", "tokens", "row stride of bias and mask", "bias or masks > 0", "", 16>];
  let quantities = [
    Quantity<"width", "heads * head_dim", "columns of q, k, v and out">,
    Quantity<"scratch_keys", "roundup(tokens, scratch_elements)", "keys of a row of scratch, which has them transposed">];
  let arguments = [
    Columns<Input, "q", "batch * queries", "width", "ldq">,
    Columns<Input, "k", "batch * tokens", "width", "ldk">,
    Columns<Input, "v", "batch * tokens", "width", "ldv">,
    Rows<Weight, "bias", "heads * queries", "tokens", "ldb", "bias">,
    Rows<Weight, "mask", "masks * queries", "tokens", "ldb", "masks > 0">,
    Dense<Scratch, "scratch", ["batch", "heads", "head_dim", "scratch_keys"]>,
    Strided<Output, "probabilities", ["batch", "heads", "queries", "tokens"],
            ["prob_batch_stride", "queries * tokens", "tokens", "1"], "probabilities">,
    Rows<Output, "out", "batch * queries", "width", "ldo">];
}

def SingleQueryAttention : Family<"single_query_attention", "SingleQueryAttention"> {
  let backends = ["halide", "tvm"];
  let notTuned = "";
  let description = [{
Attention of one query per image over all tokens of the image, for models whose last block is asked for one token only. With
`k_j = key·x_j` and `v_j = value·x_j` it is `p = softmax(scale·q·kᵀ)`, `out = p·v`, but keys and values are never formed: for each
image b and head h
```
u = Σ_d query[b][h·head_dim+d]·key[h·head_dim+d]      s_j = scale·x[b][j]·u      p = softmax(s)
z = Σ_j p_j·x[b][j]                                   out[b][h·head_dim+d] = value[h·head_dim+d]·z
```
Biases are the caller's: one of the keys changes no weight, one of the values is added to out as it is.
}];
  let fields = [
    Extent<"batch", "images">,
    Extent<"heads">,
    Extent<"tokens">,
    Extent<"head_dim">,
    Extent<"channels", "columns of x">,
    Number<"scale">,
    panelField,
    Stride<"ldx", "channels", "row stride of x">,
    Distance<"batch_stride", "elements between two images of x">,
    Stride<"ldq", "width", "row stride of query">,
    Stride<"ldk", "channels", "row stride of key">,
    Stride<"ldo", "roundup(width, panel)", "row stride of out">,
    Word<"weights", WeightFormat,
         "what key and value are stored as; they are widened to float32. `i8` has a scale for each of their rows", "\"f32\"">];
  let quantities = [
    Quantity<"width", "heads * head_dim", "columns of query and out">,
    Quantity<"row", "roundup(channels, scratch_elements)", "elements of a row of channels in scratch">,
    Quantity<"score_row", "roundup(tokens, scratch_elements)", "elements of a row of scores in scratch">];
  let arguments = [
    Images<Input, "x", "batch", "batch_stride", "tokens", "channels", "ldx">,
    Rows<Input, "query", "batch", "width", "ldq">,
    StoredRows<"key", "width", "channels", "ldk", "f32", F32Element>,
    StoredRows<"key", "width", "channels", "ldk", "f16", F16Element>,
    StoredRows<"key", "width", "channels", "ldk", "bf16", Bf16Element>,
    StoredRows<"key", "width", "channels", "ldk", "i8", I8Element>,
    Dense<Weight, "key_scales", ["roundup(width, panel)"], "weights == \"i8\"", "of the rows of key">,
    Stored<"value", ["ceildiv(width, panel)", "channels", "panel"], "f32", F32Element>,
    Stored<"value", ["ceildiv(width, panel)", "channels", "panel"], "f16", F16Element>,
    Stored<"value", ["ceildiv(width, panel)", "channels", "panel"], "bf16", Bf16Element>,
    Stored<"value", ["ceildiv(width, panel)", "channels", "panel"], "i8", I8Element>,
    Dense<Weight, "value_scales", ["roundup(width, panel)"], "weights == \"i8\"", "of the rows of value">,
    Dense<Scratch, "scratch", ["batch", "heads", "2 * row + score_row"]>,
    Rows<Output, "out", "batch", "roundup(width, panel)", "ldo">];
}

def Rotate : Family<"rotate", "Rotate"> {
  let notTuned = "models spend little time in it";
  let description = [{
Rotary position embedding. With `t = r mod tokens` and `h' = h mod table_heads`

`out[r][h·head_dim+d] = x[r][h·head_dim+d]·cos[h'][t][d] + y[r][h·head_dim+d]·sin[h'][t][d]`, where `y[d]` is of the same head

| `pairing` | `y[d]` |
| --- | --- |
| `halves` | `−x[d + head_dim/2]` in the first half, `x[d − head_dim/2]` in the second |
| `interleaved` | `−x[d+1]` for an even d, `x[d−1]` for an odd one |
}];
  let fields = [
    Extent<"rows">,
    Extent<"tokens">,
    Extent<"heads">,
    Extent<"head_dim">,
    Extent<"table_heads", "1 or `heads`">,
    Stride<"ldx", "width", "row stride of x">,
    Stride<"ldy", "width", "row stride of out">,
    Stride<"ldt", "head_dim", "row stride of cos and sin">,
    Word<"pairing", RotaryPairing>];
  let quantities = [Quantity<"width", "heads * head_dim", "columns of x and out">];
  let rules = [
    Rule<"head_dim", "head_dim % 2 == 0", "{head_dim} is odd">,
    Rule<"table_heads", "table_heads == 1 or table_heads == heads", "{table_heads} is neither 1 nor the {heads} heads">];
  let arguments = [
    Columns<Input, "x", "rows", "width", "ldx", "out">,
    Rows<Weight, "cos", "table_heads * tokens", "head_dim", "ldt">,
    Rows<Weight, "sin", "table_heads * tokens", "head_dim", "ldt">,
    Columns<Output, "out", "rows", "width", "ldy">];
}

#endif // VITC_SCHEDULES_FAMILIES_ATTENTION_TD
