// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Feature maps: windows that move over them, and rows that move between orders. A map's rows are its pixels in the order
// (image, y, x).

#ifndef VITC_SCHEDULES_FAMILIES_MAPS_TD
#define VITC_SCHEDULES_FAMILIES_MAPS_TD

include "families/Base.td"

def ConvLayout : Words<"orders of a map", ["nhwc", "nchw"]>;
def SpatialPoolKind : Words<"pools of a window", ["max", "mean"]>;
def WindowDirection : Words<"ways between a map and its windows", ["partition", "merge"]>;
def WindowOrder : Words<"orders of the windows' rows", ["window", "grid"]>;
def BlockOrder : Words<"orders of a block's pixels", ["rows", "columns"]>;

defvar windowFields = [
    Extent<"batch", "images">,
    Extent<"channels">,
    Extent<"height", "of the map">,
    Extent<"width", "of the map">,
    Extent<"kernel_h", "height of a window">,
    Extent<"kernel_w", "width of a window">,
    Extent<"stride_h">,
    Extent<"stride_w">,
    Count<"pad_top">,
    Count<"pad_left">,
    Extent<"out_h", "windows below one another; with `pad_top` it says what the padding below is">,
    Extent<"out_w", "windows side by side">];

defvar windowQuantities = [
    Quantity<"span_h", "(out_h - 1) * stride_h + kernel_h", "lines from the first window's first to the last one's last">,
    Quantity<"span_w", "(out_w - 1) * stride_w + kernel_w", "columns likewise">,
    Quantity<"pixels", "batch * height * width", "rows of x">,
    Quantity<"outputs", "batch * out_h * out_w", "rows of out">,
    Quantity<"copied", "pad_top > 0 or pad_left > 0 or span_h > height or span_w > width", "whether a window reaches beyond the map">];

defvar windowRules = [
    Rule<"out_h", "span_h <= most_elements", "the windows span more than 2^31 pixels">,
    Rule<"out_w", "span_w <= most_elements", "the windows span more than 2^31 pixels">,
    Rule<"height", "pixels <= most_elements", "more than 2^31 elements">,
    Rule<"out_h", "outputs <= most_elements", "more than 2^31 elements">];

def Conv : Family<"conv", "Conv"> {
  let notTuned = "";
  let description = [{
`out[(b,oy,ox)][n] = activation(Σ_{ky,kx,c} x[b][oy·stride_h+ky−pad_top][ox·stride_w+kx−pad_left][c]·w[n][ky,kx,c] + bias[n]) + residual[(b,oy,ox)][n]`, where x counts as zero outside the map

| `layout` | `x` | `k` of the weights |
| --- | --- | --- |
| `nhwc` | rows of pixels, stride `ldx` | (ky, kx, c) |
| `nchw` | the dense image, any alignment | (c, ky, kx) |

`scratch` is the map with zeros around it, so that the inner loops have no border.
}];
  let fields = windowFields # [
    Word<"layout", ConvLayout>,
    Stride<"ldx", "channels", "row stride of x", "layout == \"nhwc\"">,
    Extent<"n", "columns of out">,
    panelField,
    Stride<"ldc", "columns", "row stride of out">,
    Flag<"bias">,
    Flag<"residual">,
    Stride<"ldr", "columns", "row stride of residual", "residual">,
    Word<"activation", Activation>];
  let quantities = windowQuantities # [
    Quantity<"columns", "roundup(n, panel)", "columns of out, whole panels">,
    Quantity<"depth", "channels * kernel_h * kernel_w", "elements of a window">];
  let rules = windowRules;
  let arguments = [
    Rows<Input, "x", "pixels", "channels", "ldx", "layout == \"nhwc\"">,
    Unaligned<Input, "x", ["batch", "channels", "height", "width"], "layout == \"nchw\"">,
    Panels<"w", "n", "depth", "panel">,
    Dense<Weight, "bias", ["columns"], "bias">,
    Rows<Input, "residual", "outputs", "columns", "ldr", "residual", "out">,
    Dense<Scratch, "scratch", ["batch", "span_h", "span_w", "channels"], "copied">,
    Rows<Output, "out", "outputs", "columns", "ldc">];
}

def Depthwise : Family<"depthwise", "Depthwise"> {
  let notTuned = "";
  let description = [{
`out[(b,oy,ox)][c] = activation(Σ_{ky,kx} x[b][oy·stride_h+ky−pad_top][ox·stride_w+kx−pad_left][c]·w[ky,kx][c] + bias[c])`, where x counts as zero outside the map

`out` is not x. `scratch` is as in conv.
}];
  let fields = windowFields # [
    Stride<"ldx", "channels", "row stride of x">,
    Stride<"ldw", "channels", "row stride of w", "", "", 16>,
    Stride<"ldc", "channels", "row stride of out">,
    Flag<"bias">,
    Word<"activation", Activation>];
  let quantities = windowQuantities # [Quantity<"padded_channels", "roundup(channels, line_elements)", "channels of a pixel in scratch">];
  let rules = windowRules;
  let arguments = [
    Rows<Input, "x", "pixels", "channels", "ldx">,
    Rows<Weight, "w", "kernel_h * kernel_w", "channels", "ldw">,
    PerColumn<"bias", "channels", "bias">,
    Dense<Scratch, "scratch", ["batch", "span_h", "span_w", "padded_channels"], "copied">,
    Rows<Output, "out", "outputs", "channels", "ldc">];
}

def SpatialPool : Family<"spatial_pool", "SpatialPool"> {
  let notTuned = "models spend little time in it";
  let description = [{
`out[(b,oy,ox)][c]` is the greatest (`kind` `max`) or the mean value (`mean`) of channel c in the window
`x[b][oy·stride_h−pad_top …][ox·stride_w−pad_left …]` of `kernel_h` x `kernel_w` pixels.

With `pad_zero` the padding has the value 0: it takes part in a maximum and counts in a mean's divisor, which is always
`kernel_h·kernel_w` then. Without, it does not exist. Every window must hold a pixel of the map.
}];
  let fields = windowFields # [
    Stride<"ldx", "channels", "row stride of x">,
    Stride<"ldc", "channels", "row stride of out">,
    Word<"kind", SpatialPoolKind>,
    Flag<"pad_zero">];
  let quantities = windowQuantities;
  let rules = windowRules # [
    Rule<"pad_top", "pad_top < kernel_h", "{pad_top} hides the whole window of {kernel_h}">,
    Rule<"pad_left", "pad_left < kernel_w", "{pad_left} hides the whole window of {kernel_w}">,
    Rule<"out_h", "(out_h - 1) * stride_h - pad_top < height",
         "the last window starts at {(out_h - 1) * stride_h - pad_top}, beyond the map of {height}">,
    Rule<"out_w", "(out_w - 1) * stride_w - pad_left < width",
         "the last window starts at {(out_w - 1) * stride_w - pad_left}, beyond the map of {width}">];
  let arguments = [
    Rows<Input, "x", "pixels", "channels", "ldx">,
    Rows<Output, "out", "outputs", "channels", "ldc">];
}

def Resize : Family<"resize", "Resize"> {
  let notTuned = "models spend little time in it";
  let description = [{
A map on another grid, bilinear, as `torch.nn.functional.interpolate` with `align_corners=False` has it: output y lies at
`(y + ½)·height/out_h − ½`, not before the first line nor after the last, and x likewise. Reduced maps are not smoothed. The
same grid gives the same bits.
}];
  let fields = [
    Extent<"batch", "images">,
    Extent<"height", "of the map">,
    Extent<"width", "of the map">,
    Extent<"out_h">,
    Extent<"out_w">,
    Extent<"cols">,
    Stride<"ldx", "cols", "row stride of x">,
    Stride<"ldy", "cols", "row stride of out">];
  let rules = [
    Rule<"out_h", "height * out_h <= 1073741824", "times height is more than 2^30">,
    Rule<"out_w", "width * out_w <= 1073741824", "times width is more than 2^30">];
  let arguments = [
    Rows<Input, "x", "batch * height * width", "cols", "ldx">,
    Rows<Output, "out", "batch * out_h * out_w", "cols", "ldy">];
}

def Window : Family<"window", "Window"> {
  let notTuned = "models spend little time in it";
  let description = [{
Rows of feature maps to windows, and back. A map of `grid_h`×`grid_w` rows is thought padded with zeros, below and on the
right, to whole windows: `H` and `W`, that is `nY`×`nX` windows. Pixel (ty, tx) of window (wy, wx) is the map's pixel
`y = (wy·window_h + ty + shift_h) mod H`, `x = (wx·window_w + tx + shift_w) mod W`. It stands in row

| `order` | row of the windows |
| --- | --- |
| `window` | `((b·nY + wy)·nX + wx)·(window_h·window_w) + ty·window_w + tx` |
| `grid` | `((b·window_h + ty)·window_w + tx)·(nY·nX) + wy·nX + wx` |

With `direction` `partition`, `x` is the map and `out` the windows, zero where the map is padded; with `merge` it is the
other way round, and the padding is dropped.
}];
  let fields = [
    Extent<"images">,
    Extent<"grid_h">,
    Extent<"grid_w">,
    Extent<"window_h">,
    Extent<"window_w">,
    Count<"shift_h">,
    Count<"shift_w">,
    Extent<"cols">,
    Stride<"ldx", "cols", "row stride of x">,
    Stride<"ldy", "cols", "row stride of out">,
    Word<"direction", WindowDirection>,
    Word<"order", WindowOrder>];
  let quantities = [
    Quantity<"windows_h", "ceildiv(grid_h, window_h)", "windows below one another: nY">,
    Quantity<"windows_w", "ceildiv(grid_w, window_w)", "windows side by side: nX">,
    Quantity<"map_rows", "images * grid_h * grid_w", "rows of the map">,
    Quantity<"window_rows", "images * (windows_h * window_h) * (windows_w * window_w)", "rows of the windows">];
  let rules = [
    Rule<"window_h", "window_rows <= most_elements", "more than 2^31 elements">];
  let arguments = [
    Rows<Input, "x", "map_rows if direction == \"partition\" else window_rows", "cols", "ldx">,
    Rows<Output, "out", "window_rows if direction == \"partition\" else map_rows", "cols", "ldy">];
}

def SpaceToDepth : Family<"space_to_depth", "SpaceToDepth"> {
  let notTuned = "models spend little time in it";
  let description = [{
`out[(b, Y, X)][j·cols + c] = x[(b, Y·block_h + dy, X·block_w + dx)][c]`, zero beyond the map's edge; out has
`⌈grid_h/block_h⌉`×`⌈grid_w/block_w⌉` rows per image. `j = dy·block_w + dx` with `order` `rows`, `dx·block_h + dy` with `columns`.
}];
  let fields = [
    Extent<"images">,
    Extent<"grid_h">,
    Extent<"grid_w">,
    Extent<"block_h">,
    Extent<"block_w">,
    Extent<"cols">,
    Stride<"ldx", "cols", "row stride of x">,
    Stride<"ldy", "block_h * block_w * cols", "row stride of out">,
    Word<"order", BlockOrder>];
  let quantities = [
    Quantity<"out_h", "ceildiv(grid_h, block_h)", "rows of blocks">,
    Quantity<"out_w", "ceildiv(grid_w, block_w)", "blocks of a row">];
  let arguments = [
    Rows<Input, "x", "images * grid_h * grid_w", "cols", "ldx">,
    Rows<Output, "out", "images * out_h * out_w", "block_h * block_w * cols", "ldy">];
}

#endif // VITC_SCHEDULES_FAMILIES_MAPS_TD
