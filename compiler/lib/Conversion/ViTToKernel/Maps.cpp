// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Windows and convolutions of feature maps.
#include "Lowering.h"

using namespace mlir;
using namespace vitc;
using namespace vitc::lowering;

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// The kernel that moves rows between a map and its windows.
template <typename Op>
static void callWindow(Lowering &state, Op op, Value input, int64_t images,
                       StringRef direction) {
  Value x = state.alignedBufferOf(input);
  Value out = state.allocFor(op.getResult());
  int64_t columns = rowsOf(out).columns;
  state.call(op.getLoc(), "window",
             direction + "_" + Twine(op.getGrid()[0]) + "x" +
                 Twine(op.getGrid()[1]) + "x" + Twine(columns),
             {{"images", state.integer(images)},
              {"grid_h", state.integer(op.getGrid()[0])},
              {"grid_w", state.integer(op.getGrid()[1])},
              {"window_h", state.integer(op.getWindow()[0])},
              {"window_w", state.integer(op.getWindow()[1])},
              {"shift_h", state.integer(op.getShift()[0])},
              {"shift_w", state.integer(op.getShift()[1])},
              {"cols", state.integer(columns)},
              {"ldx", state.integer(rowsOf(x).stride)},
              {"ldy", state.integer(rowsOf(out).stride)},
              {"direction", state.text(direction)},
              {"order", state.text(stringifyWindowOrder(op.getOrder()))}},
             {/*flops=*/0}, {x}, {out});
}

LogicalResult lowering::lowerWindowPartition(Lowering &state,
                                             vit::WindowPartitionOp op) {
  callWindow(state, op, op.getMap(), op.getMap().getType().getDimSize(0),
             "partition");
  return success();
}

LogicalResult lowering::lowerWindowMerge(Lowering &state,
                                         vit::WindowMergeOp op) {
  callWindow(state, op, op.getWindows(), op.getType().getDimSize(0), "merge");
  return success();
}

LogicalResult lowering::lowerSpaceToDepth(Lowering &state,
                                          vit::SpaceToDepthOp op) {
  Value x = state.alignedBufferOf(op.getMap());
  Value out = state.allocFor(op.getResult());
  int64_t columns = rowsOf(x).columns;
  state.call(op.getLoc(), "space_to_depth",
             Twine(op.getGrid()[0]) + "x" + Twine(op.getGrid()[1]) + "x" +
                 Twine(columns),
             {{"images", state.integer(op.getType().getDimSize(0))},
              {"grid_h", state.integer(op.getGrid()[0])},
              {"grid_w", state.integer(op.getGrid()[1])},
              {"block_h", state.integer(op.getBlock()[0])},
              {"block_w", state.integer(op.getBlock()[1])},
              {"cols", state.integer(columns)},
              {"ldx", state.integer(rowsOf(x).stride)},
              {"ldy", state.integer(rowsOf(out).stride)},
              {"order", state.text(stringifyBlockOrder(op.getOrder()))}},
             {/*flops=*/0}, {x}, {out});
  return success();
}

LogicalResult lowering::lowerResizeMap(Lowering &state, vit::ResizeMapOp op) {
  Value x = state.alignedBufferOf(op.getMap());
  Value out = state.allocFor(op.getResult());
  Rows shape = rowsOf(out);
  state.call(op.getLoc(), "resize",
             Twine(shape.rows) + "x" + Twine(shape.columns),
             {{"batch", state.integer(op.getType().getDimSize(0))},
              {"height", state.integer(op.getFrom()[0])},
              {"width", state.integer(op.getFrom()[1])},
              {"out_h", state.integer(op.getTo()[0])},
              {"out_w", state.integer(op.getTo()[1])},
              {"cols", state.integer(shape.columns)},
              {"ldx", state.integer(rowsOf(x).stride)},
              {"ldy", state.integer(shape.stride)}},
             {8.0 * shape.rows * shape.columns}, {x}, {out});
  return success();
}

//===----------------------------------------------------------------------===//
// Other shapes
//===----------------------------------------------------------------------===//

LogicalResult lowering::lowerReshape(Lowering &state, vit::ReshapeOp op) {
  Value x = state.bufferOf(op.getInput());
  Rows from = rowsOf(x),
       to = rowsOf(cast<RankedTensorType>(op.getResult().getType()));
  // The same rows under other names: nothing moves.
  if (from.columns == to.columns) {
    state.setBuffer(op.getResult(), x);
    return success();
  }
  if (from.columns % to.columns && to.columns % from.columns)
    return op.emitError("no kernel computes this operation: neither are the "
                        "new rows parts of the old ones, nor the old ones "
                        "parts of the new");
  Value out = state.allocFor(op.getResult());
  to = rowsOf(out);
  int64_t part = std::min(from.columns, to.columns),
          parts = std::max(from.columns, to.columns) / part;
  bool cuts = from.columns > to.columns;
  state.copy(
      op.getLoc(), x, out, {1, std::min(from.rows, to.rows), parts, part},
      {0, cuts ? from.stride : parts * from.stride, cuts ? part : from.stride,
       1},
      {0, cuts ? parts * to.stride : to.stride, cuts ? to.stride : part, 1});
  return success();
}

LogicalResult lowering::lowerTranspose(Lowering &state, vit::TransposeOp op) {
  auto shape = cast<RankedTensorType>(op.getInput().getType()).getShape();
  if (shape.size() > 4)
    return op.emitError("no kernel computes this operation: it has more than "
                        "four dimensions");
  // Where the elements of a tensor's dimensions stand in its buffer.
  auto stridesOf = [](ArrayRef<int64_t> shape, Rows rows) {
    SmallVector<int64_t> strides(shape.size(), 1);
    int64_t stride = rows.stride;
    for (size_t i = shape.size() - 1; i > 0; --i) {
      strides[i - 1] = stride;
      stride *= shape[i - 1];
    }
    return strides;
  };
  Value x = state.bufferOf(op.getInput());
  Value out = state.allocFor(op.getResult());
  auto result = cast<RankedTensorType>(op.getResult().getType()).getShape();
  SmallVector<int64_t> from = stridesOf(shape, rowsOf(x)),
                       to = stridesOf(result, rowsOf(out));
  SmallVector<int64_t> box(4 - shape.size(), 1),
      fromStrides(4 - shape.size(), 0), toStrides(4 - shape.size(), 0);
  for (auto [i, dimension] : llvm::enumerate(op.getOrder())) {
    box.push_back(result[i]);
    fromStrides.push_back(from[dimension]);
    toStrides.push_back(to[i]);
  }
  state.copy(op.getLoc(), x, out, box, fromStrides, toStrides);
  return success();
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

namespace {

/// A window that moves over a map, as the kernels' fields have it.
struct Geometry {
  int64_t batch, height, width;
  std::pair<int64_t, int64_t> window, out;
  ArrayRef<int64_t> stride, padding;

  SmallVector<Field> fields(Lowering &state) const {
    return {{"batch", state.integer(batch)},
            {"height", state.integer(height)},
            {"width", state.integer(width)},
            {"kernel_h", state.integer(window.first)},
            {"kernel_w", state.integer(window.second)},
            {"stride_h", state.integer(stride[0])},
            {"stride_w", state.integer(stride[1])},
            {"pad_top", state.integer(padding[0])},
            {"pad_left", state.integer(padding[1])},
            {"out_h", state.integer(out.first)},
            {"out_w", state.integer(out.second)}};
  }
  /// Floats of the map with zeros around it; none if no window reaches beyond
  /// the map: docs/KernelProtocol.md.
  int64_t scratch(int64_t channels) const {
    int64_t spanHeight = (out.first - 1) * stride[0] + window.first,
            spanWidth = (out.second - 1) * stride[1] + window.second;
    bool beyond = padding[0] > 0 || padding[1] > 0 || spanHeight > height ||
                  spanWidth > width;
    return beyond ? batch * spanHeight * spanWidth * channels : 0;
  }
  std::string words(int64_t channels) const {
    return (Twine(height) + "x" + Twine(width) + "x" + Twine(channels) + "_" +
            Twine(window.first) + "x" + Twine(window.second))
        .str();
  }
};

} // namespace

template <typename Op>
static Geometry geometryOf(Op op, std::pair<int64_t, int64_t> window) {
  return {cast<RankedTensorType>(op.getType()).getDimSize(0),
          op.getGrid()[0],
          op.getGrid()[1],
          window,
          op.getResultGrid(),
          op.getStride(),
          op.getPadding()};
}

LogicalResult lowering::lowerConv(Lowering &state, vit::ConvOp op) {
  auto weight = cast<RankedTensorType>(op.getWeight().getType());
  bool picture = op.readsPicture();
  int64_t channels = weight.getDimSize(picture ? 1 : 3),
          n = weight.getDimSize(0), k = weight.getNumElements() / n;
  Value x = picture ? state.bufferOf(op.getInput())
                    : state.alignedBufferOf(op.getInput());
  Value residual =
      op.getResidual() ? state.alignedBufferOf(op.getResidual()) : Value();
  Value out = state.allocFor(op.getResult());
  Rows shape = rowsOf(out);

  Geometry geometry = geometryOf(op, op.getWindow());
  SmallVector<Field> fields = geometry.fields(state);
  fields.append(
      {{"channels", state.integer(channels)},
       {"layout", state.text(picture ? "nchw" : "nhwc")},
       {"n", state.integer(n)},
       {"panel", state.integer(state.panel)},
       {"ldc", state.integer(shape.stride)},
       {"bias", state.boolean(bool(op.getBias()))},
       {"activation", state.text(stringifyActivation(op.getActivation()))},
       {"residual", state.boolean(bool(residual))}});
  if (!picture)
    fields.push_back({"ldx", state.integer(rowsOf(x).stride)});
  SmallVector<Value> inputs = {x, state.panels(op.getWeight())}, outputs;
  if (op.getBias())
    inputs.push_back(
        state.paddedRows(op.getBias(), llvm::alignTo(n, state.panel)));
  if (residual) {
    fields.push_back({"ldr", state.integer(rowsOf(residual).stride)});
    inputs.push_back(residual);
  }
  if (int64_t scratch = geometry.scratch(channels))
    outputs.push_back(state.alloc(op.getLoc(), {scratch}, {1}));
  outputs.push_back(out);
  state.call(op.getLoc(), "conv", geometry.words(channels) + "x" + Twine(n),
             fields, {2.0 * shape.rows * n * k}, inputs, outputs);
  return success();
}

LogicalResult lowering::lowerDepthwiseConv(Lowering &state,
                                           vit::DepthwiseConvOp op) {
  auto weight = cast<RankedTensorType>(op.getWeight().getType());
  int64_t channels = weight.getDimSize(2),
          stride = llvm::alignTo(channels, state.panel);
  Value x = state.alignedBufferOf(op.getMap());
  Value out = state.allocFor(op.getResult());
  Rows shape = rowsOf(out);

  Geometry geometry =
      geometryOf(op, {weight.getDimSize(0), weight.getDimSize(1)});
  SmallVector<Field> fields = geometry.fields(state);
  fields.append(
      {{"channels", state.integer(channels)},
       {"ldx", state.integer(rowsOf(x).stride)},
       {"ldw", state.integer(stride)},
       {"ldc", state.integer(shape.stride)},
       {"bias", state.boolean(bool(op.getBias()))},
       {"activation", state.text(stringifyActivation(op.getActivation()))}});
  SmallVector<Value> inputs = {x, state.paddedRows(op.getWeight(), stride)},
                     outputs;
  if (op.getBias())
    inputs.push_back(state.paddedRows(op.getBias(), stride));
  if (int64_t scratch = geometry.scratch(stride))
    outputs.push_back(state.alloc(op.getLoc(), {scratch}, {1}));
  outputs.push_back(out);
  double flops =
      2.0 * shape.rows * weight.getDimSize(0) * weight.getDimSize(1) * channels;
  state.call(op.getLoc(), "depthwise", geometry.words(channels), fields,
             {flops}, inputs, outputs);
  return success();
}

LogicalResult lowering::lowerGroupNorm(Lowering &state, vit::GroupNormOp op) {
  Value x = state.alignedBufferOf(op.getMap());
  Value residual =
      op.getResidual() ? state.alignedBufferOf(op.getResidual()) : Value();
  Value out = state.allocFor(op.getResult());
  Rows shape = rowsOf(out);
  int64_t images = op.getType().getDimSize(0),
          padded = llvm::alignTo(shape.columns, state.panel);
  SmallVector<Field> fields = {
      {"batch", state.integer(images)},
      {"rows", state.integer(shape.rows / images)},
      {"cols", state.integer(shape.columns)},
      {"groups", state.integer(op.getGroups())},
      {"ldx", state.integer(rowsOf(x).stride)},
      {"ldy", state.integer(shape.stride)},
      {"eps", state.number(op.getEps().convertToDouble())},
      {"activation", state.text(stringifyActivation(op.getActivation()))},
      {"residual", state.boolean(bool(residual))}};
  SmallVector<Value> inputs = {x, state.paddedRows(op.getGain(), padded),
                               state.paddedRows(op.getBias(), padded)};
  if (residual) {
    fields.push_back({"ldr", state.integer(rowsOf(residual).stride)});
    inputs.push_back(residual);
  }
  state.call(op.getLoc(), "group_norm",
             Twine(shape.rows) + "x" + Twine(shape.columns), fields,
             {8.0 * shape.rows * shape.columns}, inputs, {out});
  return success();
}

LogicalResult lowering::lowerSpatialPool(Lowering &state,
                                         vit::SpatialPoolOp op) {
  Value x = state.alignedBufferOf(op.getMap());
  Value out = state.allocFor(op.getResult());
  Rows shape = rowsOf(out);
  Geometry geometry = geometryOf(op, {op.getWindow()[0], op.getWindow()[1]});
  SmallVector<Field> fields = geometry.fields(state);
  fields.append({{"channels", state.integer(shape.columns)},
                 {"ldx", state.integer(rowsOf(x).stride)},
                 {"ldc", state.integer(shape.stride)},
                 {"kind", state.text(stringifySpatialPoolKind(op.getKind()))},
                 {"pad_zero", state.boolean(op.getPadZero())}});
  double flops = double(shape.rows) * shape.columns * op.getWindow()[0] *
                 op.getWindow()[1];
  state.call(op.getLoc(), "spatial_pool", geometry.words(shape.columns), fields,
             {flops}, {x}, {out});
  return success();
}
