// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The operands of each op that its kernel reads from the weights file.
#include "vitc/Dialect/ViT/IR/ViT.h"

using namespace mlir;
using namespace vitc::vit;

using Weights = SmallVector<Value>;

/// Queries may be learned: those of an attention pool are.
static Value ifParameter(Value value) {
  return value.getDefiningOp<GetOp>() ? value : Value();
}

Weights PatchEmbedOp::getWeights() {
  return {getWeight(), getBias(), getPosition()};
}
Weights ConcatTokensOp::getWeights() { return {getTokens()}; }
Weights AddPositionOp::getWeights() { return {getPosition()}; }
Weights LayerNormOp::getWeights() { return {getGain(), getBias()}; }
Weights LinearOp::getWeights() { return {getWeight(), getBias()}; }
Weights AttentionOp::getWeights() {
  return {getBias(), getMask(), ifParameter(getQuery())};
}
Weights SingleQueryAttentionOp::getWeights() {
  return {getKey(), getValue(), ifParameter(getQuery())};
}
Weights RotateOp::getWeights() { return {getCos(), getSin()}; }
Weights AffineOp::getWeights() { return {getScale(), getShift()}; }
Weights ConvOp::getWeights() { return {getWeight(), getBias()}; }
Weights DepthwiseConvOp::getWeights() { return {getWeight(), getBias()}; }
Weights GroupNormOp::getWeights() { return {getGain(), getBias()}; }
