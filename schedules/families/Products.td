// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products with packed weights: gemm and patch_embed.

#ifndef VITC_SCHEDULES_FAMILIES_PRODUCTS_TD
#define VITC_SCHEDULES_FAMILIES_PRODUCTS_TD

include "families/Base.td"

// Of the two algorithms that save multiplications.
def StrassenProducts : Constant<"strassen_products", 7, "Products of Strassen's algorithm for matrices of two by two blocks.">;
def StrassenCombinations : Constant<"strassen_combinations", 5, "Those whose left operand is a combination of blocks; the others' is one.">;
def TripleSteps : Constant<"triple_steps", 3, "Of so many steps of k two are a pair.">;
def BlockTriples : Constant<"block_triples", 32, "So many triples are added, and as many subtracted, in turn.">;
def WinogradSteps : Constant<"winograd_steps", !mul(!mul(2, BlockTriples.value), TripleSteps.value),
                             "The fewest steps of k of a Winograd product: a block of each kind.">;
def WinogradFloats : Constant<"winograd_floats", LineElements.value, "Floats behind a row, and behind the columns' sums: a cache line.">;

def FactorType : Words<"element types of factors", ["f32", "f16"]>;

def Gemm : Family<"gemm", "Gemm"> {
  let backends = ["halide", "tvm"];
  let notTuned = "";
  let description = [{
`out[m][n] = activation(Σ_k a[m][k]·w[n][k] + bias[n]) + residual[m][n]`

With `strassen` it is one level of Strassen's algorithm: `n` is a multiple of `2·panel` and `k` is even. The weights, seen as
`B[k][n]` and cut into quarters `B11 B12 / B21 B22`, are seven combinations
`B12−B22, B21−B11, B11+B22, B11, B22, B11+B12, B21+B22` (each rounded once to float). The halves of `a`'s rows have
`⌈m/2⌉` each, so that of an odd number the middle one is in both. The first two products take the quarters `A11` and `A22`
of `a` as they stand; `scratch` is for the left operands of the others. The error is bounded by the norms of a and w, not
element by element, and a row's bits depend on its place.

With `winograd` the schedule may make it a Winograd inner product (S. Winograd, 1968): of three steps of k two are a pair,

```
x0·y0 + x1·y1 = (x0 + y1)·(x1 + y0) − x0·x1 − y0·y1  =  (y1 − x0)·(x1 − y0) + x0·x1 + y0·y1
```

one multiply-add and two additions for two multiply-adds, and the third is taken as it is. Blocks of 32 such triples take
the left and the right form in turn; what is left of k beyond `192·⌊k/192⌋` is taken as it is. The sums of `x0·x1` belong
to a row, those of `y0·y1` to a column; the latter are the argument `winograd_sums`: for each column `Σ_g ±w[n][3g]·w[n][3g+1]` over
`g < 64·⌊k/192⌋`, each 32 g added and the next 32 subtracted, computed in double, and zero where n is exceeded; then the
mean over the columns of `Σ_k |w[n][k]|`, and padding. `scratch` is written by a Winograd product and left alone by a plain
one: each row of `a` times the power of two that makes it as large as a column, the sum of its pairs, and what undoes the
scale. It may be `a` itself, if `lda` is `lds`, which is then overwritten. The error of a Winograd product is bounded by the
norms of its row and its column.
}];
  let fields = [
    Extent<"m", "rows of a and out">,
    Extent<"n", "columns of out">,
    Extent<"k", "columns of a">,
    panelField,
    Flag<"strassen", "one level of Strassen's algorithm", "False">,
    Stride<"half_stride", "k // 2", "elements between the two halves of a row of a; a product over a part of k takes a slice of each half of longer rows",
           "strassen", "k // 2">,
    Stride<"lda", "left_columns", "row stride of a">,
    Stride<"ldc", "width", "row stride of out">,
    Flag<"bias">,
    Flag<"residual">,
    Stride<"ldr", "width", "row stride of residual", "residual">,
    Word<"activation", Activation>,
    Flag<"winograd", "the arguments of a Winograd inner product are there", "False">,
    Stride<"lds", "k + winograd_floats", "row stride of scratch", "winograd">,
    Flag<"row_invariant", "row-invariant summation: a row's bits do not depend on m; not on a GPU", "False">,
    weightsField,
    Word<"multiply", FactorType, "what both factors of a product are rounded to; sums are float32. `f16` is for CUDA's tensor cores and vitc-tvm, with a panel of 64", "\"f32\"">];
  let quantities = [
    Quantity<"left_columns", "half_stride + k - k // 2 if strassen else k", "columns of a row of a, from the first to the last">,
    Quantity<"width", "roundup(n, panel)", "columns of out, whole panels">];
  let rules = [
    Rule<"n", "not strassen or n % (2 * panel) == 0", "{n} is not a multiple of two panels of {panel}, as strassen needs it">,
    Rule<"k", "not strassen or k % 2 == 0", "{k} is odd, and strassen needs two halves">,
    Rule<"winograd", "not (winograd and strassen)", "a product is one of strassen and winograd">,
    Rule<"weights", "weights == \"f32\" or not (strassen or winograd)", "strassen and winograd take float32 weights">,
    Rule<"weights", "weights == \"f32\" or multiply == \"f32\"", "tensor cores take float32 weights">,
    Rule<"row_invariant", "not row_invariant or not (strassen or winograd)", "Strassen and Winograd products take rows together">,
    Rule<"row_invariant", "not row_invariant or multiply == \"f32\"", "tensor cores take rows together">];
  let arguments = [
    Rows<Input, "a", "m", "left_columns", "lda">,
    Stored<"w", ["ceildiv(n, panel)", "k", "panel"], "f32", F32Element, "not strassen">,
    Stored<"w", ["ceildiv(n, panel)", "k", "panel"], "f16", F16Element>,
    Stored<"w", ["ceildiv(n, panel)", "k", "panel"], "bf16", Bf16Element>,
    Stored<"w", ["ceildiv(n, panel)", "k", "panel"], "i8", I8Element>,
    Dense<Weight, "scales", ["width"], "weights == \"i8\"">,
    Dense<Weight, "w", ["n // 2 // panel", "strassen_products", "k // 2", "panel"], "strassen", "seven combinations of quarters, packed">,
    Dense<Weight, "bias", ["width"], "bias">,
    Dense<Weight, "winograd_sums", ["width + winograd_floats"], "winograd">,
    Rows<Input, "residual", "m", "width", "ldr", "residual", "out">,
    Rows<Scratch, "scratch", "m", "k + winograd_floats", "lds", "winograd", "a">,
    Dense<Scratch, "scratch", ["strassen_combinations", "ceildiv(m, 2)", "k // 2"], "strassen">,
    Rows<Output, "out", "m", "width", "ldc">];
  let rowsField = "m";
  let rowwiseWhen = "not (strassen or winograd) and multiply == \"f32\"";
  let rowwiseFlag = "row_invariant";
}

def PatchEmbed : Family<"patch_embed", "PatchEmbed"> {
  let backends = ["halide", "tvm"];
  let notTuned = "";
  let description = [{
`out[b][p][n] = Σ_{c,y,x} image[b][c][gy·patch_h+y][gx·patch_w+x]·w[n][c,y,x] + bias[n] + position[p][n]`, with `p = gy·(width/patch_w) + gx`

Rows and columns of the image beyond a whole number of patches are ignored. `k` of the weights runs over (c, y, x).
}];
  let fields = [
    Extent<"batch", "images">,
    Extent<"channels">,
    Extent<"height">,
    Extent<"width">,
    Extent<"patch_h">,
    Extent<"patch_w">,
    Extent<"n", "columns of out">,
    panelField,
    Flag<"bias">,
    Flag<"position">,
    Stride<"ldc", "columns", "row stride of out">,
    Stride<"ldp", "columns", "row stride of position", "position">,
    Distance<"batch_stride", "elements between two images' outputs">,
    weightsField];
  let quantities = [
    Quantity<"columns", "roundup(n, panel)", "columns of out, whole panels">,
    Quantity<"grid_w", "width // patch_w", "patches of a row of patches">,
    Quantity<"patches", "height // patch_h * grid_w", "patches of an image">,
    Quantity<"depth", "channels * patch_h * patch_w", "elements of a patch">];
  let rules = [
    Rule<"patch_h", "patch_h <= height", "{patch_h} is more than the height {height}">,
    Rule<"patch_w", "patch_w <= width", "{patch_w} is more than the width {width}">];
  let arguments = [
    Unaligned<Input, "image", ["batch", "channels", "height", "width"]>,
    Stored<"w", ["ceildiv(n, panel)", "depth", "panel"], "f32", F32Element>,
    Stored<"w", ["ceildiv(n, panel)", "depth", "panel"], "f16", F16Element>,
    Stored<"w", ["ceildiv(n, panel)", "depth", "panel"], "bf16", Bf16Element>,
    Stored<"w", ["ceildiv(n, panel)", "depth", "panel"], "i8", I8Element>,
    Dense<Weight, "scales", ["columns"], "weights == \"i8\"">,
    Dense<Weight, "bias", ["columns"], "bias">,
    Rows<Weight, "position", "patches", "columns", "ldp", "position">,
    Images<Output, "out", "batch", "batch_stride", "patches", "columns", "ldc">];
}

#endif // VITC_SCHEDULES_FAMILIES_PRODUCTS_TD
