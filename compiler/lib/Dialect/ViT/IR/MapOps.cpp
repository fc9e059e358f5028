// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Verifiers of the ops on maps: windows and convolutions.
#include "Verify.h"

#include <cmath>

using namespace vitc::vit;

/// Fails unless the map has the pixels of the grid.
static LogicalResult expectMap(Operation *op, Value map,
                               ArrayRef<int64_t> grid) {
  auto shape = shapeOf(map);
  return expectShape(op, "map", map, {shape[0], grid[0] * grid[1], shape[2]});
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// Windows along each side of the map.
static std::pair<int64_t, int64_t> countWindows(ArrayRef<int64_t> grid,
                                                ArrayRef<int64_t> window) {
  return {llvm::divideCeil(grid[0], window[0]),
          llvm::divideCeil(grid[1], window[1])};
}

static LogicalResult verifyWindows(Operation *op, ArrayRef<int64_t> grid,
                                   ArrayRef<int64_t> window,
                                   ArrayRef<int64_t> shift) {
  if (!isGrid(grid) || !isGrid(window))
    return op->emitOpError()
           << "grid " << words(grid) << " and window " << words(window)
           << " must each be rows and columns, one or more of each";
  auto [rows, columns] = countWindows(grid, window);
  if (shift.size() != 2 || shift[0] < 0 || shift[1] < 0 ||
      shift[0] >= rows * window[0] || shift[1] >= columns * window[1])
    return op->emitOpError() << "shift " << words(shift)
                             << " must be less than the padded map and not "
                                "negative";
  return success();
}

static SmallVector<int64_t> shapeOfWindows(ArrayRef<int64_t> map,
                                           ArrayRef<int64_t> grid,
                                           ArrayRef<int64_t> window,
                                           WindowOrder order) {
  auto [rows, columns] = countWindows(grid, window);
  int64_t windows = rows * columns, pixels = window[0] * window[1];
  if (order == WindowOrder::Grid)
    std::swap(windows, pixels);
  return {map[0] * windows, pixels, map[2]};
}

LogicalResult WindowPartitionOp::verify() {
  if (failed(verifyWindows(*this, getGrid(), getWindow(),
                           getShift())) ||           // window_partition_c1
      failed(expectMap(*this, getMap(), getGrid()))) // window_partition_c2
    return failure();
  return expectShape(*this, "result", getResult(),
                     shapeOfWindows(shapeOf(getMap()), getGrid(), getWindow(),
                                    getOrder())); // window_partition_c3
}

LogicalResult WindowMergeOp::verify() {
  if (failed(verifyWindows(*this, getGrid(), getWindow(),
                           getShift()))) // window_merge_c1
    return failure();
  auto result = shapeOf(getResult());
  if (failed(expectShape(*this, "result", getResult(),
                         {result[0], getGrid()[0] * getGrid()[1],
                          result[2]}))) // window_merge_c2
    return failure();
  return expectShape(*this, "windows", getWindows(),
                     shapeOfWindows(result, getGrid(), getWindow(),
                                    getOrder())); // window_merge_c3
}

LogicalResult WindowMaskOp::verify() {
  if (failed(verifyWindows(*this, getGrid(), getWindow(),
                           getShift()))) // window_mask_c1
    return failure();
  auto [rows, columns] = countWindows(getGrid(), getWindow());
  int64_t pixels = getWindow()[0] * getWindow()[1];
  return expectShape(*this, "result", getResult(),
                     {rows * columns, pixels, pixels}); // window_mask_c2
}

LogicalResult RelativeBiasOp::verify() {
  auto grid = getGrid();
  int64_t prefix = getPrefix();
  if (!isGrid(grid) || prefix < 0 || prefix > 1) // relative_bias_c1
    return emitOpError() << "grid " << words(grid)
                         << " must be rows and columns, one or more of each, "
                            "and prefix "
                         << prefix << " 0 or 1";
  auto table = shapeOf(getTable());
  int64_t distances = (2 * grid[0] - 1) * (2 * grid[1] - 1) + 3 * prefix,
          tokens = prefix + grid[0] * grid[1];
  if (failed(expectShape(*this, "table", getTable(),
                         {distances, table[1]}))) // relative_bias_c2
    return failure();
  return expectShape(*this, "result", getResult(),
                     {table[1], tokens, tokens}); // relative_bias_c3
}

LogicalResult SpaceToDepthOp::verify() {
  auto grid = getGrid(), block = getBlock();
  if (!isGrid(grid) || !isGrid(block)) // space_to_depth_c1
    return emitOpError() << "grid " << words(grid) << " and block "
                         << words(block)
                         << " must each be rows and columns, one or more of "
                            "each";
  if (failed(expectMap(*this, getMap(), grid))) // space_to_depth_c2
    return failure();
  auto [rows, columns] = countWindows(grid, block);
  auto map = shapeOf(getMap());
  return expectShape(*this, "result", getResult(),
                     {map[0], rows * columns,
                      map[2] * block[0] * block[1]}); // space_to_depth_c3
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

static LogicalResult verifyGeometry(Operation *op, ArrayRef<int64_t> grid,
                                    ArrayRef<int64_t> stride,
                                    ArrayRef<int64_t> padding) {
  if (!isGrid(grid) || !isGrid(stride))
    return op->emitOpError()
           << "grid " << words(grid) << " and stride " << words(stride)
           << " must each be rows and columns, one or more of each";
  if (padding.size() != 4 || !llvm::all_of(padding, [](int64_t side) {
        return side >= 0 && side <= INT32_MAX;
      }))
    return op->emitOpError() << "padding " << words(padding)
                             << " must be four numbers, none negative";
  return success();
}

/// Positions of a window along both sides; {0, 0} if it does not fit.
static std::pair<int64_t, int64_t>
positionsOf(std::pair<int64_t, int64_t> window, ArrayRef<int64_t> grid,
            ArrayRef<int64_t> stride, ArrayRef<int64_t> padding) {
  int64_t rows = grid[0] + padding[0] + padding[2] - window.first,
          columns = grid[1] + padding[1] + padding[3] - window.second;
  if (rows < 0 || columns < 0)
    return {0, 0};
  return {rows / stride[0] + 1, columns / stride[1] + 1};
}

static InFlightDiagnostic emitNoFit(Operation *op,
                                    std::pair<int64_t, int64_t> window,
                                    ArrayRef<int64_t> grid) {
  return op->emitOpError() << "a window of " << window.first << " x "
                           << window.second
                           << " does not fit into a padded map of "
                           << words(grid);
}

std::pair<int64_t, int64_t> ConvOp::getResultGrid() {
  return positionsOf(getWindow(), getGrid(), getStride(), getPadding());
}

LogicalResult ConvOp::verify() {
  if (failed(verifyGeometry(*this, getGrid(), getStride(),
                            getPadding()))) // conv_c1
    return failure();
  auto input = shapeOf(getInput()), weight = shapeOf(getWeight());
  if (input.size() != 3 && input.size() != 4) // conv_c2
    return emitOpError("input is neither a map nor an image");
  bool isImage = readsImage();
  int64_t channels = isImage ? input[1] : input[2],
          taken = isImage ? weight[1] : weight[3];
  if (failed(isImage
                 ? expectShape(*this, "image", getInput(),
                               {input[0], channels, getGrid()[0], getGrid()[1]})
                 : expectMap(*this, getInput(), getGrid())))
    return failure();
  if (channels != taken) // conv_c3
    return emitOpError() << "input has " << channels
                         << " channels, weight takes " << taken;
  auto [rows, columns] = getResultGrid();
  if (!rows) // conv_c4
    return emitNoFit(*this, getWindow(), getGrid());
  if (failed(expectShape(*this, "result", getResult(),
                         {input[0], rows * columns, weight[0]})) || // conv_c5
      failed(expectShape(*this, "bias", getBias(), {weight[0]})))   // conv_c6
    return failure();
  return expectShape(*this, "residual", getResidual(),
                     shapeOf(getResult())); // conv_c7
}

std::pair<int64_t, int64_t> DepthwiseConvOp::getResultGrid() {
  auto weight = shapeOf(getWeight());
  return positionsOf({weight[0], weight[1]}, getGrid(), getStride(),
                     getPadding());
}

LogicalResult DepthwiseConvOp::verify() {
  if (failed(verifyGeometry(*this, getGrid(), getStride(),
                            getPadding())) ||        // depthwise_conv_c1
      failed(expectMap(*this, getMap(), getGrid()))) // depthwise_conv_c2
    return failure();
  auto map = shapeOf(getMap()), weight = shapeOf(getWeight());
  if (failed(expectShape(*this, "weight", getWeight(),
                         {weight[0], weight[1], map[2]}))) // depthwise_conv_c3
    return failure();
  auto [rows, columns] = getResultGrid();
  if (!rows)
    return emitNoFit(*this, {weight[0], weight[1]}, getGrid());
  if (failed(
          expectShape(*this, "result", getResult(),
                      {map[0], rows * columns, map[2]}))) // depthwise_conv_c4
    return failure();
  return expectShape(*this, "bias", getBias(), {map[2]}); // depthwise_conv_c5
}

LogicalResult GroupNormOp::verify() {
  int64_t channels = lastDim(getMap()), groups = getGroups();
  if (groups < 1 || channels % groups) // group_norm_c1
    return emitOpError() << channels << " channels cannot be split into "
                         << groups << " groups";
  if (failed(
          expectShape(*this, "gain", getGain(), {channels})) || // group_norm_c2
      failed(expectShape(*this, "bias", getBias(), {channels})))
    return failure();
  if (double eps = getEps().convertToDouble();
      !std::isfinite(eps) || eps < 0) // group_norm_c3
    return emitOpError() << "eps " << eps << " must be finite and not negative";
  return expectShape(*this, "residual", getResidual(),
                     shapeOf(getMap())); // group_norm_c4
}

std::pair<int64_t, int64_t> SpatialPoolOp::getResultGrid() {
  return positionsOf({getWindow()[0], getWindow()[1]}, getGrid(), getStride(),
                     getPadding());
}

LogicalResult SpatialPoolOp::verify() {
  if (failed(verifyGeometry(*this, getGrid(), getStride(),
                            getPadding()))) // spatial_pool_c1
    return failure();
  auto window = getWindow(), padding = getPadding();
  if (!isGrid(window))
    return emitOpError() << "window " << words(window)
                         << " must be rows and columns, one or more of each";
  if (failed(expectMap(*this, getMap(), getGrid()))) // spatial_pool_c2
    return failure();
  auto [rows, columns] = getResultGrid();
  if (!rows) // spatial_pool_c3
    return emitNoFit(*this, {window[0], window[1]}, getGrid());
  if (padding[0] >= window[0] || padding[2] >= window[0] ||
      padding[1] >= window[1] || padding[3] >= window[1])
    return emitOpError() << "padding " << words(padding)
                         << " is as wide as a window of " << words(window);
  auto map = shapeOf(getMap());
  return expectShape(*this, "result", getResult(),
                     {map[0], rows * columns, map[2]}); // spatial_pool_c4
}

LogicalResult ResizeMapOp::verify() {
  if (!isGrid(getFrom()) || !isGrid(getTo())) // resize_map_c1
    return emitOpError() << "from " << words(getFrom()) << " to "
                         << words(getTo())
                         << " must each be rows and columns, one or more of "
                            "each";
  if (failed(expectMap(*this, getMap(), getFrom()))) // resize_map_c2
    return failure();
  auto map = shapeOf(getMap());
  return expectShape(
      *this, "result", getResult(),
      {map[0], getTo()[0] * getTo()[1], map[2]}); // resize_map_c3
}
