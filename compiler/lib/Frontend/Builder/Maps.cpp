// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// ModelBuilder's layers on feature maps: convolutions and windows.
#include "vitc/Frontend/Builder/ModelBuilder.h"

using namespace mlir;
using namespace vitc;

static SmallVector<int64_t, 2> extents(Grid grid) {
  return {grid.first, grid.second};
}
static SmallVector<int64_t, 4> extents(const Padding &padding) {
  return {padding.top, padding.left, padding.bottom, padding.right};
}

Padding Padding::same(Grid grid, Grid window, Grid stride) {
  auto total = [](int64_t extent, int64_t window, int64_t stride) {
    int64_t positions = llvm::divideCeil(extent, stride);
    return std::max<int64_t>((positions - 1) * stride + window - extent, 0);
  };
  int64_t rows = total(grid.first, window.first, stride.first),
          columns = total(grid.second, window.second, stride.second);
  return {rows / 2, columns / 2, rows - rows / 2, columns - columns / 2};
}

Grid ModelBuilder::slide(const Twine &name, Grid grid, const Sliding &sliding) {
  const Padding &padding = sliding.padding;
  Grid padded = {grid.first + padding.top + padding.bottom,
                 grid.second + padding.left + padding.right};
  const auto &[rows, columns] = sliding.window;
  if (rows > padded.first || columns > padded.second)
    fail(userError(places.image, name + " takes windows of " + Twine(rows) +
                                     " x " + Twine(columns) +
                                     ", and the map before it has only " +
                                     Twine(grid.first) + " x " +
                                     Twine(grid.second) + " pixels"));
  auto count = [](int64_t extent, int64_t window, int64_t stride) {
    return std::max<int64_t>((extent - window) / stride + 1, 1);
  };
  return {count(padded.first, rows, sliding.stride.first),
          count(padded.second, columns, sliding.stride.second)};
}

static int64_t pixelsOf(Grid grid) { return grid.first * grid.second; }

Map ModelBuilder::imageMap() {
  ArrayRef<int64_t> shape = shapeOf(image());
  return {image(), {shape[2], shape[3]}};
}

Value ModelBuilder::convWeight(const Twine &name, int64_t outputs,
                               int64_t inputs, Grid window) {
  return parameter(name + ".weight",
                   {outputs, inputs, window.first, window.second});
}

Map ModelBuilder::conv(const Twine &name, Map map, Value weight, Value bias,
                       const Sliding &sliding) {
  bool isImage = shapeOf(map.value).size() == 4;
  if (!isImage)
    weight = transpose(weight, {0, 2, 3, 1});
  Grid grid = slide(name, map.grid, sliding);
  Value result = vit::ConvOp::create(
      builder, named(name),
      tensorType({shapeOf(map.value)[0], pixelsOf(grid), shapeOf(weight)[0]}),
      map.value, weight, bias, /*residual=*/Value(), extents(map.grid),
      extents(sliding.stride), extents(sliding.padding), vit::Activation::None);
  return {result, grid};
}

Map ModelBuilder::conv(const Twine &name, Map map, int64_t outputs, bool bias,
                       const Sliding &sliding) {
  ArrayRef<int64_t> shape = shapeOf(map.value);
  int64_t inputs = shape.size() == 4 ? shape[1] : shape[2];
  return conv(name, map, convWeight(name, outputs, inputs, sliding.window),
              bias ? parameter(name + ".bias", {outputs}) : Value(), sliding);
}

Map ModelBuilder::depthwiseConv(const Twine &name, Map map, bool bias,
                                const Sliding &sliding) {
  ArrayRef<int64_t> shape = shapeOf(map.value);
  int64_t channels = shape[2];
  Grid window = sliding.window, grid = slide(name, map.grid, sliding);
  Value weight = reshape(convWeight(name, channels, 1, window),
                         {channels, window.first, window.second});
  Value result = vit::DepthwiseConvOp::create(
      builder, named(name), tensorType({shape[0], pixelsOf(grid), channels}),
      map.value, transpose(weight, {1, 2, 0}),
      bias ? parameter(name + ".bias", {channels}) : Value(), extents(map.grid),
      extents(sliding.stride), extents(sliding.padding), vit::Activation::None);
  return {result, grid};
}

Value ModelBuilder::batchNorm(const Twine &nameTwine, Value x, double eps) {
  std::string name = nameTwine.str();
  int64_t channels = shapeOf(x).back();
  auto vector = [&](StringRef suffix) {
    return parameter(name + suffix, {channels});
  };
  auto multiply = [&](StringRef suffix, Value a, Value b) -> Value {
    return vit::GateOp::create(builder, named(name + suffix), a.getType(), a, b,
                               vit::Activation::None);
  };
  // (x - mean) / sqrt(variance + eps) · weight + bias.
  Value factor =
      vit::InverseRootOp::create(builder, named(name + ".deviation"),
                                 vector(".running_var"), APFloat(eps));
  Value scaleValue = multiply(".scale", vector(".weight"), factor);
  Value offset = multiply(".offset", vector(".running_mean"), scaleValue);
  Value shift = add(name + ".shift", scale(offset, -1), vector(".bias"));
  return vit::AffineOp::create(builder, named(name), x.getType(), x, scaleValue,
                               shift);
}

Value ModelBuilder::groupNorm(const Twine &name, Value map, int64_t groups,
                              double eps) {
  int64_t channels = shapeOf(map).back();
  Value gain = parameter(name + ".weight", {channels}),
        bias = parameter(name + ".bias", {channels});
  return vit::GroupNormOp::create(builder, named(name), map.getType(), map,
                                  gain, bias, /*residual=*/Value(), groups,
                                  APFloat(eps), vit::Activation::None);
}

Map ModelBuilder::spatialPool(const Twine &name, Map map,
                              vit::SpatialPoolKind kind, const Sliding &sliding,
                              bool padZero) {
  ArrayRef<int64_t> shape = shapeOf(map.value);
  Grid grid = slide(name, map.grid, sliding);
  Value result = vit::SpatialPoolOp::create(
      builder, named(name), tensorType({shape[0], pixelsOf(grid), shape[2]}),
      map.value, kind, extents(map.grid), extents(sliding.window),
      extents(sliding.stride), extents(sliding.padding), padZero);
  return {result, grid};
}

Value ModelBuilder::asImage(Map map) {
  ArrayRef<int64_t> shape = shapeOf(map.value);
  return reshape(transpose(map.value, {0, 2, 1}),
                 {shape[0], shape[2], map.grid.first, map.grid.second});
}

Map ModelBuilder::resizeMap(const Twine &name, Map map, Grid to) {
  if (map.grid == to)
    return map;
  ArrayRef<int64_t> shape = shapeOf(map.value);
  Value result = vit::ResizeMapOp::create(
      builder, named(name), tensorType({shape[0], pixelsOf(to), shape[2]}),
      map.value, extents(map.grid), extents(to));
  return {result, to};
}

Map ModelBuilder::spaceToDepth(const Twine &name, Map map, Grid block,
                               vit::BlockOrder order) {
  ArrayRef<int64_t> shape = shapeOf(map.value);
  Grid grid = {llvm::divideCeil(map.grid.first, block.first),
               llvm::divideCeil(map.grid.second, block.second)};
  Value result = vit::SpaceToDepthOp::create(
      builder, named(name),
      tensorType({shape[0], pixelsOf(grid), shape[2] * pixelsOf(block)}),
      map.value, extents(map.grid), extents(block), order);
  return {result, grid};
}

/// Sequences of a map cut into windows, and tokens of each.
static std::pair<int64_t, int64_t> countWindows(Grid grid, Grid window,
                                                vit::WindowOrder order) {
  int64_t windows = llvm::divideCeil(grid.first, window.first) *
                    llvm::divideCeil(grid.second, window.second);
  if (order == vit::WindowOrder::Grid)
    return {pixelsOf(window), windows};
  return {windows, pixelsOf(window)};
}

Value ModelBuilder::windowPartition(const Twine &name, Map map, Grid window,
                                    Grid shift, vit::WindowOrder order) {
  ArrayRef<int64_t> shape = shapeOf(map.value);
  auto [sequences, tokens] = countWindows(map.grid, window, order);
  return vit::WindowPartitionOp::create(
      builder, named(name),
      tensorType({shape[0] * sequences, tokens, shape[2]}), map.value,
      extents(map.grid), extents(window), extents(shift), order);
}

Map ModelBuilder::windowMerge(const Twine &name, Value windows, Grid grid,
                              Grid window, Grid shift, vit::WindowOrder order) {
  ArrayRef<int64_t> shape = shapeOf(windows);
  auto [sequences, tokens] = countWindows(grid, window, order);
  Value result = vit::WindowMergeOp::create(
      builder, named(name),
      tensorType({shape[0] / sequences, pixelsOf(grid), shape[2]}), windows,
      extents(grid), extents(window), extents(shift), order);
  return {result, grid};
}
