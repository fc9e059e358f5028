// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Maps: windows of them, and convolutions.

#ifndef VITC_DIALECT_VIT_IR_MAPOPS_TD
#define VITC_DIALECT_VIT_IR_MAPOPS_TD

include "vitc/Dialect/ViT/IR/ViTBase.td"

//===----------------------------------------------------------------------===//
// Windows of a map
//
// A map is a sequence whose tokens are the pixels of `grid` rows and columns, row by row.
//===----------------------------------------------------------------------===//

def ViT_WindowPartitionOp : ViT_ProductFreeOp<"window_partition"> {
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

def ViT_WindowMergeOp : ViT_ProductFreeOp<"window_merge"> {
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

def ViT_WindowMaskOp : ViT_ProductFreeOp<"window_mask"> {
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

def ViT_RelativeBiasOp : ViT_ProductFreeOp<"relative_bias"> {
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

def ViT_SpaceToDepthOp : ViT_ProductFreeOp<"space_to_depth"> {
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

def ViT_ConvOp : ViT_PureOp<"conv", [AttrSizedOperandSegments, ViT_HasWeights]> {
  let summary = "a convolution of a map, or of the image";
  let description = [{
    `result[n, (Y, X), o] = activation(Σ input[n, (Y·stride[0] + y − padding[0], X·stride[1] + x − padding[1]), c]·weight[o, y, x, c] + bias[o]) +
    residual[n, (Y, X), o]`, zero outside the map. `padding` is top, left, bottom, right. The weight of an image is [o, c, y, x].

    - `conv_c1`: grid and stride are rows and columns, one or more of each; padding is four numbers, none negative
    - `conv_c2`: the input has grid[0]·grid[1] tokens, or is an image of that size
    - `conv_c3`: input and weight have the same number of channels
    - `conv_c4`: the window fits into the padded map
    - `conv_c5`: the result is [images, positions of the window, outputs]
    - `conv_c6`: the bias has one value for each output
    - `conv_c7`: the residual has the result's type
  }];
  let arguments = (ins ViT_Tensor:$input, ViT_Image:$weight, Optional<ViT_Vector>:$bias, Optional<ViT_Sequence>:$residual,
                       DenseI64ArrayAttr:$grid, DenseI64ArrayAttr:$stride, DenseI64ArrayAttr:$padding,
                       DefaultValuedAttr<ViT_Activation, "::vitc::vit::Activation::None">:$activation);
  let results = (outs ViT_Sequence:$result);
  let assemblyFormat = [{
    $input `,` $weight (`bias` $bias^)? (`residual` $residual^)? `grid` $grid `stride` $stride `padding` $padding (`activation` $activation^)?
    attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    bool readsImage() { return getInput().getType().getRank() == 4; }
    /// Rows and columns of the kernel's window.
    ::std::pair<int64_t, int64_t> getWindow() {
      auto shape = getWeight().getType().getShape();
      return readsImage() ? ::std::pair(shape[2], shape[3]) : ::std::pair(shape[1], shape[2]);
    }
    /// Rows and columns of the result.
    ::std::pair<int64_t, int64_t> getResultGrid();
  }];
}

def ViT_DepthwiseConvOp : ViT_PureOp<"depthwise_conv", [ViT_HasWeights]> {
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

def ViT_GroupNormOp : ViT_ProductFreeOp<"group_norm", [AllTypesMatch<["map", "result"]>, ViT_HasWeights]> {
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

def ViT_SpatialPoolOp : ViT_ProductFreeOp<"spatial_pool"> {
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

def ViT_ResizeMapOp : ViT_ProductFreeOp<"resize_map"> {
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

#endif // VITC_DIALECT_VIT_IR_MAPOPS_TD
