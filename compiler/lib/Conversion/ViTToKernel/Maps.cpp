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
                       families::WindowDirection direction) {
  Value x = state.alignedBufferOf(input);
  Value out = state.allocFor(op.getResult());
  families::WindowSpec spec;
  spec.images = images;
  spec.gridH = op.getGrid()[0];
  spec.gridW = op.getGrid()[1];
  spec.windowH = op.getWindow()[0];
  spec.windowW = op.getWindow()[1];
  spec.shiftH = op.getShift()[0];
  spec.shiftW = op.getShift()[1];
  spec.cols = rowsOf(out).columns;
  spec.ldx = rowsOf(x).stride;
  spec.ldy = rowsOf(out).stride;
  spec.direction = direction;
  spec.order = wordFor(op.getOrder());
  state.call(op.getLoc(),
             Twine(families::toWord(direction)) + "_" + Twine(spec.gridH) +
                 "x" + Twine(spec.gridW) + "x" + Twine(spec.cols),
             spec, {/*flops=*/0}, {x, out});
}

LogicalResult lowering::lowerWindowPartition(Lowering &state,
                                             vit::WindowPartitionOp op) {
  callWindow(state, op, op.getMap(), op.getMap().getType().getDimSize(0),
             families::WindowDirection::Partition);
  return success();
}

LogicalResult lowering::lowerWindowMerge(Lowering &state,
                                         vit::WindowMergeOp op) {
  callWindow(state, op, op.getWindows(), op.getType().getDimSize(0),
             families::WindowDirection::Merge);
  return success();
}

LogicalResult lowering::lowerSpaceToDepth(Lowering &state,
                                          vit::SpaceToDepthOp op) {
  Value x = state.alignedBufferOf(op.getMap());
  Value out = state.allocFor(op.getResult());
  families::SpaceToDepthSpec spec;
  spec.images = op.getType().getDimSize(0);
  spec.gridH = op.getGrid()[0];
  spec.gridW = op.getGrid()[1];
  spec.blockH = op.getBlock()[0];
  spec.blockW = op.getBlock()[1];
  spec.cols = rowsOf(x).columns;
  spec.ldx = rowsOf(x).stride;
  spec.ldy = rowsOf(out).stride;
  spec.order = wordFor(op.getOrder());
  state.call(op.getLoc(),
             Twine(spec.gridH) + "x" + Twine(spec.gridW) + "x" +
                 Twine(spec.cols),
             spec, {/*flops=*/0}, {x, out});
  return success();
}

LogicalResult lowering::lowerResizeMap(Lowering &state, vit::ResizeMapOp op) {
  Value x = state.alignedBufferOf(op.getMap());
  Value out = state.allocFor(op.getResult());
  Rows shape = rowsOf(out);
  families::ResizeSpec spec;
  spec.batch = op.getType().getDimSize(0);
  spec.height = op.getFrom()[0];
  spec.width = op.getFrom()[1];
  spec.outH = op.getTo()[0];
  spec.outW = op.getTo()[1];
  spec.cols = shape.columns;
  spec.ldx = rowsOf(x).stride;
  spec.ldy = shape.stride;
  state.call(op.getLoc(), Twine(shape.rows) + "x" + Twine(shape.columns), spec,
             {8.0 * shape.rows * shape.columns}, {x, out});
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

/// What families of windows have in common.
template <typename Spec, typename Op>
static Spec windowSpec(Op op, std::pair<int64_t, int64_t> window,
                       int64_t channels) {
  Spec spec;
  spec.batch = cast<RankedTensorType>(op.getType()).getDimSize(0);
  spec.channels = channels;
  spec.height = op.getGrid()[0];
  spec.width = op.getGrid()[1];
  std::tie(spec.kernelH, spec.kernelW) = window;
  spec.strideH = op.getStride()[0];
  spec.strideW = op.getStride()[1];
  spec.padTop = op.getPadding()[0];
  spec.padLeft = op.getPadding()[1];
  std::tie(spec.outH, spec.outW) = op.getResultGrid();
  return spec;
}

template <typename Spec>
static std::string windowWords(const Spec &spec) {
  return (Twine(spec.height) + "x" + Twine(spec.width) + "x" +
          Twine(spec.channels) + "_" + Twine(spec.kernelH) + "x" +
          Twine(spec.kernelW))
      .str();
}

LogicalResult lowering::lowerConv(Lowering &state, vit::ConvOp op) {
  auto weight = cast<RankedTensorType>(op.getWeight().getType());
  bool isImage = op.readsImage();
  int64_t channels = weight.getDimSize(isImage ? 1 : 3),
          n = weight.getDimSize(0), k = weight.getNumElements() / n;
  Value x = isImage ? state.bufferOf(op.getInput())
                    : state.alignedBufferOf(op.getInput());
  Value residual =
      op.getResidual() ? state.alignedBufferOf(op.getResidual()) : Value();
  Value out = state.allocFor(op.getResult());
  Rows shape = rowsOf(out);

  auto spec = windowSpec<families::ConvSpec>(op, op.getWindow(), channels);
  spec.layout =
      isImage ? families::ConvLayout::Nchw : families::ConvLayout::Nhwc;
  spec.n = n;
  spec.panel = state.panel;
  spec.ldc = shape.stride;
  spec.activation = wordFor(op.getActivation());
  families::ConvArguments<Value> buffers;
  buffers.x = x;
  buffers.w = state.panels(op.getWeight());
  if (!isImage)
    spec.ldx = rowsOf(x).stride;
  if (op.getBias()) {
    spec.bias = true;
    buffers.bias = state.paddedRows(op.getBias(), spec.columns());
  }
  if (residual) {
    spec.residual = true;
    spec.ldr = rowsOf(residual).stride;
    buffers.residual = residual;
  }
  buffers.scratch = state.scratchFor(op.getLoc(), spec);
  buffers.out = out;
  state.call(op.getLoc(), windowWords(spec) + "x" + Twine(n), spec,
             {2.0 * shape.rows * n * k}, buffers);
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

  auto spec = windowSpec<families::DepthwiseSpec>(
      op, {weight.getDimSize(0), weight.getDimSize(1)}, channels);
  spec.ldx = rowsOf(x).stride;
  spec.ldw = stride;
  spec.ldc = shape.stride;
  spec.activation = wordFor(op.getActivation());
  families::DepthwiseArguments<Value> buffers;
  buffers.x = x;
  buffers.w = state.paddedRows(op.getWeight(), stride);
  if (op.getBias()) {
    spec.bias = true;
    buffers.bias = state.paddedRows(op.getBias(), stride);
  }
  buffers.scratch = state.scratchFor(op.getLoc(), spec);
  buffers.out = out;
  double flops =
      2.0 * shape.rows * weight.getDimSize(0) * weight.getDimSize(1) * channels;
  state.call(op.getLoc(), windowWords(spec), spec, {flops}, buffers);
  return success();
}

LogicalResult lowering::lowerGroupNorm(Lowering &state, vit::GroupNormOp op) {
  Value x = state.alignedBufferOf(op.getMap());
  Value residual =
      op.getResidual() ? state.alignedBufferOf(op.getResidual()) : Value();
  Value out = state.allocFor(op.getResult());
  Rows shape = rowsOf(out);
  int64_t images = op.getType().getDimSize(0);
  families::GroupNormSpec spec;
  spec.batch = images;
  spec.rows = shape.rows / images;
  spec.cols = shape.columns;
  spec.groups = op.getGroups();
  spec.ldx = rowsOf(x).stride;
  spec.ldy = shape.stride;
  spec.eps = op.getEps().convertToDouble();
  spec.activation = wordFor(op.getActivation());
  families::GroupNormArguments<Value> buffers;
  buffers.x = x;
  buffers.gain = state.perColumn(op.getGain());
  buffers.bias = state.perColumn(op.getBias());
  if (residual) {
    spec.residual = true;
    spec.ldr = rowsOf(residual).stride;
    buffers.residual = residual;
  }
  buffers.out = out;
  state.call(op.getLoc(), Twine(shape.rows) + "x" + Twine(shape.columns), spec,
             {8.0 * shape.rows * shape.columns}, buffers);
  return success();
}

LogicalResult lowering::lowerSpatialPool(Lowering &state,
                                         vit::SpatialPoolOp op) {
  Value x = state.alignedBufferOf(op.getMap());
  Value out = state.allocFor(op.getResult());
  Rows shape = rowsOf(out);
  auto spec = windowSpec<families::SpatialPoolSpec>(
      op, {op.getWindow()[0], op.getWindow()[1]}, shape.columns);
  spec.ldx = rowsOf(x).stride;
  spec.ldc = shape.stride;
  spec.kind = wordFor(op.getKind());
  spec.padZero = op.getPadZero();
  double flops = double(shape.rows) * shape.columns * op.getWindow()[0] *
                 op.getWindow()[1];
  state.call(op.getLoc(), windowWords(spec), spec, {flops}, {x, out});
  return success();
}
