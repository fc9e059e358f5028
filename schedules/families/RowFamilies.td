// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Families that work on rows: norms, functions of elements, sums, copies and pools.

#ifndef VITC_SCHEDULES_FAMILIES_ROWFAMILIES_TD
#define VITC_SCHEDULES_FAMILIES_ROWFAMILIES_TD

include "families/Base.td"
include "families/Quantized.td"

def NormKind : Words<"norms", ["layer", "rms", "l2"]>;
def PoolKind : Words<"pools of a sequence", ["mean", "max", "mean_max"]>;

// `rows` rows of `cols` columns, from x to out.
defvar rowFields = [
    Extent<"rows">,
    Extent<"cols">,
    Stride<"ldx", "cols", "row stride of x">,
    Stride<"ldy", "cols", "row stride of out">];

def Activate : Family<"activation", "Activation"> {
  let backends = ["halide", "tvm"];
  let notTuned = "models spend little time in it";
  let description = "`out[r][c] = function(x[r][c])`\n";
  let fields = rowFields # [Word<"function", Activation>];
  let arguments = [Rows<Input, "x", "rows", "cols", "ldx", "", "out">, Rows<Output, "out", "rows", "cols", "ldy">];
  let rowsField = "rows";
}

def Softmax : Family<"softmax", "Softmax"> {
  let backends = ["halide", "tvm"];
  let notTuned = "models spend little time in it";
  let description = "`out[r] = softmax(x[r])`\n";
  let fields = rowFields;
  let arguments = [Rows<Input, "x", "rows", "cols", "ldx">, Rows<Output, "out", "rows", "cols", "ldy">];
  let rowsField = "rows";
}

def Scale : Family<"scale", "Scale"> {
  let backends = ["halide", "tvm"];
  let notTuned = "models spend little time in it";
  let description = "`out[r][c] = x[r][c]·factor`\n";
  let fields = rowFields # [Number<"factor">];
  let arguments = [Rows<Input, "x", "rows", "cols", "ldx", "", "out">, Rows<Output, "out", "rows", "cols", "ldy">];
  let rowsField = "rows";
}

def Affine : Family<"affine", "Affine"> {
  let backends = ["halide", "tvm"];
  let notTuned = "models spend little time in it";
  let description = "`out[r][c] = activation(x[r][c]·scale[c] + shift[c])`\n";
  let fields = rowFields # [Flag<"shift">, Word<"activation", Activation>];
  let arguments = [
    Rows<Input, "x", "rows", "cols", "ldx", "", "out">,
    PerColumn<"scale", "cols">,
    PerColumn<"shift", "cols", "shift">,
    Rows<Output, "out", "rows", "cols", "ldy">];
  let rowsField = "rows";
}

def Gate : Family<"gate", "Gate"> {
  let notTuned = "models spend little time in it";
  let description = [{
`out[r][c] = x[r][c]·function(g[⌊r / rows_per_gate⌋][c])`

x and g may be columns of one buffer, as in SwiGLU; no padding is touched.
}];
  let fields = [
    Extent<"rows">,
    Extent<"cols">,
    Stride<"ldx", "cols", "row stride of x">,
    Stride<"ldg", "cols", "row stride of g">,
    Stride<"ldy", "cols", "row stride of out">,
    Extent<"rows_per_gate">,
    Word<"function", Activation>];
  let arguments = [
    Columns<Input, "x", "rows", "cols", "ldx", "out">,
    Columns<Input, "g", "ceildiv(rows, rows_per_gate)", "cols", "ldg">,
    Columns<Output, "out", "rows", "cols", "ldy">];
}

def Add : Family<"add", "Add"> {
  let backends = ["halide", "tvm"];
  let notTuned = "models spend little time in it";
  let description = "`out[r][c] = a[r][c] + b[r mod period][c]`\n";
  let fields = [
    Extent<"rows">,
    Extent<"cols">,
    Stride<"lda", "cols", "row stride of a">,
    Stride<"ldb", "cols", "row stride of b">,
    Stride<"ldc", "cols", "row stride of out">,
    Extent<"period", "rows of b">];
  let arguments = [
    Rows<Input, "a", "rows", "cols", "lda", "", "out">,
    Rows<Input, "b", "min(rows, period)", "cols", "ldb">,
    Rows<Output, "out", "rows", "cols", "ldc">];
}

// Rows of float32 that may be columns of a wider buffer.
class NormRows<string when_> : Columns<Output, "out", "rows", "cols", "ldy"> { let when = when_; }

def Norm : Family<"norm", "Norm"> {
  let backends = ["halide", "tvm"];
  let notTuned = "";
  let description = [{
Each row is cut into `groups` equal runs of channels, and each run is normalised by itself; with `μ` its mean and `n = cols/groups`:

| `kind` | `y` |
| --- | --- |
| `layer` | `(x − μ) / sqrt(Σ(x − μ)²/n + eps)` |
| `rms` | `x / sqrt(Σx²/n + eps)` |
| `l2` | `x / max(sqrt(Σx²), eps)` |

`out[r][c] = y[r][c]·gain[c] + bias[c]`, as float32 or in another `format`, whose rows are those of `quantize`. x and out are
columns of a wider buffer only where `groups` is more than 1 or the row has no padding (`cols` is a multiple of 16, or the
stride is not).
}];
  let fields = [
    Extent<"rows">,
    Extent<"cols">,
    Stride<"ldx", "cols", "row stride of x">,
    Word<"format", RowFormat, "what out is", "\"f32\"">,
    Stride<"ldy", "row_elements", "row stride of out">,
    Number<"eps">,
    Flag<"affine", "whether there is a gain">,
    Flag<"shift", "whether there is a bias as well as a gain", "affine">,
    Word<"kind", NormKind, "", "\"layer\"">,
    Extent<"groups", "", "", "1">];
  let quantities = [
    Quantity<"row_elements",
             "cols if format == \"f32\" else roundup(cols, line_bytes) + line_bytes if format == \"u8\" else roundup(cols, bf16_line)",
             "elements of a row of out">];
  let rules = [
    Rule<"eps", "eps >= 0", "is negative">,
    Rule<"shift", "affine or not shift", "needs affine">,
    Rule<"groups", "cols % groups == 0", "{groups} does not divide the {cols} columns">,
    Rule<"groups", "groups == 1 or format == \"f32\"", "{groups} groups are written as float32 alone">,
    Rule<"ldy", "format == \"f32\" or ldy % 32 == 0", "{ldy} is not a multiple of 32">];
  let arguments = [
    Columns<Input, "x", "rows", "cols", "ldx", "out">,
    PerColumn<"gain", "cols", "affine">,
    PerColumn<"bias", "cols", "shift">,
    NormRows<"format == \"f32\"">,
    QuantizedRows<Output, "rows", "row_elements", "ldy", "format == \"u8\"">,
    Bf16Rows<Output, "rows", "row_elements", "ldy", "format == \"bf16\"">];
  let rowsField = "rows";
  let rowwiseWhen = "format == \"f32\"";
}

def GroupNorm : Family<"group_norm", "GroupNorm"> {
  let notTuned = "models spend little time in it";
  let description = [{
`out[(b,r)][c] = activation((x[(b,r)][c] − mean) / sqrt(var + eps)·gain[c] + bias[c] + residual[(b,r)][c])`; mean and variance are
those of the `rows` rows of image b and the `cols/groups` channels of c's group, the variance taken about the mean.

`x` may be `out`, too. A task holds whole groups whose channels make whole cache lines, or all groups where none do; more
than 4096 channels of them are an error.
}];
  let fields = [
    Extent<"batch", "images">,
    Extent<"rows", "of an image">,
    Extent<"cols">,
    Extent<"groups">,
    Stride<"ldx", "cols", "row stride of x">,
    Stride<"ldy", "cols", "row stride of out">,
    Number<"eps">,
    Word<"activation", Activation>,
    Flag<"residual">,
    Stride<"ldr", "cols", "row stride of residual", "residual">];
  let rules = [
    Rule<"groups", "cols % groups == 0", "{groups} does not divide the {cols} columns">,
    Rule<"eps", "eps >= 0", "is negative">];
  let arguments = [
    Rows<Input, "x", "batch * rows", "cols", "ldx", "", "out">,
    PerColumn<"gain", "cols">,
    PerColumn<"bias", "cols">,
    Rows<Input, "residual", "batch * rows", "cols", "ldr", "residual", "out">,
    Rows<Output, "out", "batch * rows", "cols", "ldy">];
}

def Copy : Family<"copy", "Copy"> {
  let backends = ["halide", "tvm"];
  let notTuned = "models spend little time in it";
  let description = [{
`out[i][j][k][l] = x[i][j][k][l]`; strides are outermost first, and a source stride of 0 repeats.
}];
  let fields = [
    Integers<"shape", 4, 1, MostExtent>,
    Integers<"src_strides", 4, 0, MostElements>,
    Integers<"dst_strides", 4, 0, MostElements>];
  let quantities = [
    Quantity<"overlaps", "(shape[0] > 1 and dst_strides[0] == 0) or (shape[1] > 1 and dst_strides[1] == 0) or (shape[2] > 1 and dst_strides[2] == 0) or (shape[3] > 1 and dst_strides[3] == 0)",
             "whether an element would be written more than once">];
  let rules = [Rule<"dst_strides", "not overlaps", "0 would write an element more than once">];
  let arguments = [
    Strided<Input, "x", ["shape[0]", "shape[1]", "shape[2]", "shape[3]"],
            ["src_strides[0]", "src_strides[1]", "src_strides[2]", "src_strides[3]"]>,
    Strided<Output, "out", ["shape[0]", "shape[1]", "shape[2]", "shape[3]"],
            ["dst_strides[0]", "dst_strides[1]", "dst_strides[2]", "dst_strides[3]"]>];
}

def Pool : Family<"pool", "Pool"> {
  let backends = ["halide", "tvm"];
  let notTuned = "models spend little time in it";
  let description = "`out[b][c]` is the mean of `x[b][r][c]` over r, the greatest, or half their sum.\n";
  let fields = [
    Word<"kind", PoolKind>,
    Extent<"batch", "images">,
    Extent<"rows", "of an image">,
    Extent<"cols">,
    Stride<"ldx", "cols", "row stride of x">,
    Distance<"batch_stride", "elements between two images of x">,
    Stride<"ldy", "cols", "row stride of out">];
  let arguments = [
    Images<Input, "x", "batch", "batch_stride", "rows", "cols", "ldx">,
    Rows<Output, "out", "batch", "cols", "ldy">];
}

#endif // VITC_SCHEDULES_FAMILIES_ROWFAMILIES_TD
