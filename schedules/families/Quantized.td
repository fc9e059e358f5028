// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows and products in fewer bits than float32.

#ifndef VITC_SCHEDULES_FAMILIES_QUANTIZED_TD
#define VITC_SCHEDULES_FAMILIES_QUANTIZED_TD

include "families/Base.td"

// What rows are converted to.
def RowFormat : Words<"formats of rows", ["f32", "u8", "bf16"]>;

def Int8Group : Constant<"int8_group", 4, "Steps of k that an 8-bit dot product takes at once.">;
def Bf16Group : Constant<"bf16_group", 2, "Steps of k that a bfloat16 dot product takes at once.">;
def Bf16Line : Constant<"bf16_line", 32, "Values of bfloat16 in a cache line.">;

// A row of bytes: its values, zeros up to a whole cache line, and in a line of its own the scale and the offset.
class QuantizedRows<Role role_, string rows, string bytes, string ld, string when_ = "", string name_ = "out">
    : Rows<role_, name_, rows, bytes, ld, when_> {
  let type = U8Element;
}
// A row of bfloat16, zeros up to a whole cache line.
class Bf16Rows<Role role_, string rows, string values, string ld, string when_ = "", string name_ = "out">
    : Rows<role_, name_, rows, values, ld, when_> {
  let type = Bf16Element;
}

// A weight matrix [n][k] in panels whose columns hold a group of steps of k side by side, zero where n or k is exceeded.
class Int8Panels<string name_, string n, string groups, string panel>
    : Dense<Weight, name_, ["ceildiv(" # n # ", " # panel # ")", groups, panel, "int8_group"]> {
  let type = I8Element;
}
class Bf16Panels<string name_, string n, string groups, string panel>
    : Dense<Weight, name_, ["ceildiv(" # n # ", " # panel # ")", groups, panel, "bf16_group"]> {
  let type = Bf16Element;
}

def Quantize : Family<"quantize", "Quantize"> {
  let notTuned = "models spend little time in it";
  let description = [{
Rows in another format. `bf16`: each value rounded to the nearest bfloat16, halves to even; the row ends with zeros up to
a whole cache line.

`u8`: each row has a scale and an offset of its own, `x ≈ offset + scale·q` with `q` in 0 … 255,

```
offset = min x        scale = (max x − min x) / 255        q = round((x − offset) / scale)
```

so that a row of equal values is exact (`scale` is 0). The row is `cols` bytes, zeros up to the next multiple of 64, and a
cache line whose first 8 bytes are `scale` and `offset` as float32. Where dot products take signed bytes (`signed_rows` of
the target), a byte holds `q − 128`, and the offset is `min x + 128·scale`.
}];
  let fields = [
    Extent<"rows">,
    Extent<"cols">,
    Word<"format", RowFormat>,
    Stride<"ldx", "cols", "row stride of x">,
    Stride<"ldy", "row_elements", "row stride of out, in elements of its format", "", "", 32>];
  let quantities = [
    Quantity<"row_elements", "roundup(cols, line_bytes) + line_bytes if format == \"u8\" else roundup(cols, bf16_line)",
             "elements of a row of out">];
  let rules = [Rule<"format", "format != \"f32\"", "rows are float32 already">];
  let arguments = [
    Columns<Input, "x", "rows", "cols", "ldx">,
    QuantizedRows<Output, "rows", "row_elements", "ldy", "format == \"u8\"">,
    Bf16Rows<Output, "rows", "row_elements", "ldy", "format == \"bf16\"">];
}

def Int8Gemm : Family<"int8_gemm", "Int8Gemm"> {
  let notTuned = "";
  let description = [{
`out[m][n] = activation(Σ_k a[m][k]·w[n][k] + bias[n]) + residual[m][n]` of 8-bit operands: a row of `a` is one that
`quantize` or `norm` writes as `u8`, and `w[n][k] = column_scale[n]·v[n][k]` with `v` in −127 … 127. Sums of integers are
exact:

```
out = activation(column_scale[n]·(scale[m]·Σ_k q[m][k]·v[n][k] + offset[m]·Σ_k v[n][k]) + bias[n]) + residual
```

`scales` has for each column `column_scale[n]`, then for each column `column_scale[n]·Σ_k v[n][k]`. `gelu` is a polynomial
that is off by at most 5e-4, less than the next layer's rounding to 8 bits.
}];
  let fields = [
    Extent<"m", "rows of a and out">,
    Extent<"n", "columns of out">,
    Extent<"k", "columns of a">,
    panelField,
    Stride<"lda", "row_bytes", "row stride of a, in bytes", "", "", 64>,
    Stride<"ldc", "width", "row stride of out">,
    Flag<"bias">,
    Flag<"residual">,
    Stride<"ldr", "width", "row stride of residual", "residual">,
    Word<"activation", Activation>];
  let quantities = [
    Quantity<"row_bytes", "roundup(k, line_bytes) + line_bytes", "bytes of a row of a">,
    Quantity<"groups", "ceildiv(k, int8_group)", "groups of steps of k">,
    Quantity<"width", "roundup(n, panel)", "columns of out, whole panels">];
  let arguments = [
    QuantizedRows<Input, "m", "row_bytes", "lda", "", "a">,
    Int8Panels<"w", "n", "groups", "panel">,
    Dense<Weight, "scales", ["2", "width"]>,
    Dense<Weight, "bias", ["width"], "bias">,
    Rows<Input, "residual", "m", "width", "ldr", "residual", "out">,
    Rows<Output, "out", "m", "width", "ldc">];
}

def Bf16Gemm : Family<"bf16_gemm", "Bf16Gemm"> {
  let notTuned = "";
  let description = [{
`out[m][n] = activation(Σ_k a[m][k]·w[n][k] + bias[n]) + residual[m][n]` of bfloat16 operands with sums in float32. A row
of `a` is one that `quantize` or `norm` writes as `bf16`. Two steps of k are added at once.
}];
  let fields = [
    Extent<"m", "rows of a and out">,
    Extent<"n", "columns of out">,
    Extent<"k", "columns of a">,
    panelField,
    Stride<"lda", "row_values", "row stride of a", "", "", 32>,
    Stride<"ldc", "width", "row stride of out">,
    Flag<"bias">,
    Flag<"residual">,
    Stride<"ldr", "width", "row stride of residual", "residual">,
    Word<"activation", Activation>];
  let quantities = [
    Quantity<"row_values", "roundup(k, bf16_line)", "values of a row of a">,
    Quantity<"groups", "ceildiv(k, bf16_group)", "groups of steps of k">,
    Quantity<"width", "roundup(n, panel)", "columns of out, whole panels">];
  let arguments = [
    Bf16Rows<Input, "m", "row_values", "lda", "", "a">,
    Bf16Panels<"w", "n", "groups", "panel">,
    Dense<Weight, "bias", ["width"], "bias">,
    Rows<Input, "residual", "m", "width", "ldr", "residual", "out">,
    Rows<Output, "out", "m", "width", "ldc">];
}

#endif // VITC_SCHEDULES_FAMILIES_QUANTIZED_TD
