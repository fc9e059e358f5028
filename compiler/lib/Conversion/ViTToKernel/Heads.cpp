// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Lowering.h"

using namespace mlir;
using namespace vitc;
using namespace vitc::lowering;

LogicalResult lowering::lowerPool(Lowering &state, vit::PoolOp op) {
  auto sequence = cast<RankedTensorType>(op.getSequence().getType());
  int64_t images = sequence.getDimSize(0), tokens = sequence.getDimSize(1),
          channels = sequence.getDimSize(2);
  Value buffer = state.alignedBufferOf(op.getSequence());
  Rows from = rowsOf(buffer);
  int64_t first = op.getFirst();

  // One token of each image is a view: nothing moves.
  if (op.getKind() == vit::PoolKind::Token) {
    state.setBuffer(op.getResult(),
                    state.view(op.getLoc(), buffer, {images, channels},
                               {tokens * from.stride, 1},
                               from.offset + first * from.stride));
    return success();
  }
  int64_t rows = tokens - first;
  Value x = state.view(op.getLoc(), buffer, {images, rows, channels},
                       {tokens * from.stride, from.stride, 1},
                       from.offset + first * from.stride);
  Value out = state.allocFor(op.getResult());
  families::PoolSpec spec;
  spec.kind = wordFor(op.getKind());
  spec.batch = images;
  spec.rows = rows;
  spec.cols = channels;
  spec.ldx = from.stride;
  spec.batchStride = tokens * from.stride;
  spec.ldy = rowsOf(out).stride;
  state.call(op.getLoc(), Twine(rows) + "x" + Twine(channels), spec,
             {double(images) * rows * channels}, {x, out});
  return success();
}
