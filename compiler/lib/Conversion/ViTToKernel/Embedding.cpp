// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Lowering.h"

using namespace mlir;
using namespace vitc;
using namespace vitc::lowering;

/// The buffer of a whole sequence, and the part of it that follows the learned
/// tokens: [image][token][channel].
static Value patchesAfterTokens(Lowering &state, vit::ConcatTokensOp concat) {
  auto whole = cast<RankedTensorType>(concat.getType());
  auto part = cast<RankedTensorType>(concat.getSequence().getType());
  Value buffer = state.allocFor(concat.getResult());
  int64_t stride = rowsOf(buffer).stride;
  int64_t learned = whole.getDimSize(1) - part.getDimSize(1);
  return state.view(concat.getLoc(), buffer, part.getShape(),
                    {whole.getDimSize(1) * stride, stride, 1},
                    learned * stride);
}

LogicalResult lowering::lowerPatchEmbed(Lowering &state, vit::PatchEmbedOp op) {
  auto image = cast<RankedTensorType>(op.getImage().getType());
  auto weight = cast<RankedTensorType>(op.getWeight().getType());
  auto tokens = cast<RankedTensorType>(op.getType());
  int64_t n = weight.getDimSize(0), k = weight.getNumElements() / n;

  // Write straight behind the learned tokens where those are put in front of
  // the patches.
  Value out;
  auto concat = op->hasOneUse()
                    ? dyn_cast<vit::ConcatTokensOp>(*op->getUsers().begin())
                    : nullptr;
  if (concat && concat.getSequence() == op.getResult())
    out = patchesAfterTokens(state, concat);
  else {
    Value buffer = state.allocFor(op.getResult());
    int64_t stride = rowsOf(buffer).stride;
    out = state.view(op.getLoc(), buffer, tokens.getShape(),
                     {tokens.getDimSize(1) * stride, stride, 1}, 0);
  }
  auto strides = cast<MemRefType>(out.getType()).getStridesAndOffset().first;
  families::PatchEmbedSpec spec;
  spec.batch = image.getDimSize(0);
  spec.channels = image.getDimSize(1);
  spec.height = image.getDimSize(2);
  spec.width = image.getDimSize(3);
  spec.patchH = weight.getDimSize(2);
  spec.patchW = weight.getDimSize(3);
  spec.n = n;
  spec.panel = state.panel;
  spec.ldc = strides[1];
  spec.batchStride = strides[0];
  families::PatchEmbedArguments<Value> buffers;
  buffers.image = state.bufferOf(op.getImage());
  buffers.w = state.panels(op.getWeight());
  spec.weights = storedWord(op.getWeight());
  if (spec.weights == families::WeightFormat::I8)
    buffers.scales = state.columnScales(op.getWeight());
  if (op.getBias()) {
    spec.bias = true;
    buffers.bias = state.paddedRows(op.getBias(), spec.columns());
  }
  if (op.getPosition()) {
    spec.position = true;
    spec.ldp = spec.columns();
    buffers.position = state.paddedRows(op.getPosition(), spec.ldp);
  }
  buffers.out = out;
  double flops = 2.0 * tokens.getDimSize(0) * tokens.getDimSize(1) * n * k;
  state.call(op.getLoc(),
             Twine(tokens.getDimSize(1)) + "x" + Twine(n) + "x" + Twine(k),
             spec, {flops}, buffers);
  return success();
}

LogicalResult lowering::lowerConcatTokens(Lowering &state,
                                          vit::ConcatTokensOp op) {
  auto whole = cast<RankedTensorType>(op.getType());
  auto part = cast<RankedTensorType>(op.getSequence().getType());
  int64_t images = whole.getDimSize(0), channels = whole.getDimSize(2);
  int64_t learned = whole.getDimSize(1) - part.getDimSize(1);

  if (!state.bufferOf(op.getResult())) { // the sequence was not written in
                                         // place by its own kernel
    Value to = patchesAfterTokens(state, op);
    Rows from = rowsOf(state.bufferOf(op.getSequence()));
    auto strides = cast<MemRefType>(to.getType()).getStridesAndOffset().first;
    state.copy(op.getLoc(), state.bufferOf(op.getSequence()), to,
               {1, images, part.getDimSize(1), channels},
               {0, part.getDimSize(1) * from.stride, from.stride, 1},
               {0, strides[0], strides[1], 1});
  }
  Value buffer = state.bufferOf(op.getResult());
  int64_t stride = rowsOf(buffer).stride,
          tokenStride = llvm::alignTo(channels, state.panel);
  SmallVector<int64_t> toStrides = {whole.getDimSize(1) * stride, stride, 1};
  Value to = state.view(op.getLoc(), buffer, {images, learned, channels},
                        toStrides, 0);
  state.copy(op.getLoc(), state.paddedRows(op.getTokens(), tokenStride), to,
             {1, images, learned, channels}, {0, 0, tokenStride, 1},
             {0, toStrides[0], toStrides[1], 1});
  return success();
}

LogicalResult lowering::lowerAddPosition(Lowering &state,
                                         vit::AddPositionOp op) {
  Value a = state.alignedBufferOf(op.getSequence());
  Value out = state.allocFor(op.getResult());
  state.add(op.getLoc(), a,
            state.paddedRows(op.getPosition(), rowsOf(out).stride), out);
  return success();
}
