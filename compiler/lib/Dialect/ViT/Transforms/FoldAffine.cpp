// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Dialect/ViT/IR/Flops.h"
#include "vitc/Dialect/ViT/IR/ViT.h"
#include "vitc/Dialect/ViT/Transforms/Passes.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace vitc::vit {
#define GEN_PASS_DEF_FOLDAFFINEPASS
#include "vitc/Dialect/ViT/Transforms/Passes.h.inc"
} // namespace vitc::vit

using namespace mlir;
using namespace vitc::vit;

/// scale∘bias + shift, for a layer that may have no bias before an affine map
/// that may have no shift.
static Value foldedBias(OpBuilder &builder, Value bias, AffineOp affine) {
  if (!bias)
    return affine.getShift();
  Value scaled = GateOp::create(builder, bias.getLoc(), bias.getType(), bias,
                                affine.getScale(), Activation::None);
  return affine.getShift()
             ? AddOp::create(builder, bias.getLoc(), scaled, affine.getShift())
             : scaled;
}

/// Weight and bias of `layer` become the given ones, and the layer stands for
/// the affine map behind it: in its place, where the map's parameters are
/// known.
template <typename Layer>
static void absorb(PatternRewriter &rewriter, Layer layer, AffineOp affine,
                   Value weight, Value bias) {
  rewriter.moveOpBefore(layer, affine);
  rewriter.modifyOpInPlace(layer, [&] {
    layer.getWeightMutable().assign(weight);
    if (bias)
      layer.getBiasMutable().assign(bias);
  });
  rewriter.replaceOp(affine, layer.getResult());
}

namespace {

/// s∘(W·x + b) + t = (diag(s)·W)·x + (s∘b + t), for every layer whose outputs
/// are linear in its weights.
struct FoldIntoLayerBefore : OpRewritePattern<AffineOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AffineOp op,
                                PatternRewriter &rewriter) const override {
    Operation *layer = op.getInput().getDefiningOp();
    if (!layer || !layer->hasOneUse())
      return rewriter.notifyMatchFailure(op, "no layer for this map alone");
    if (auto linear = dyn_cast<LinearOp>(layer); linear && linear.isPlain())
      return fold(linear, op, rewriter);
    if (auto conv = dyn_cast<ConvOp>(layer);
        conv && !conv.getResidual() && conv.getActivation() == Activation::None)
      return fold(conv, op, rewriter);
    if (auto conv = dyn_cast<DepthwiseConvOp>(layer);
        conv && conv.getActivation() == Activation::None) {
      // The channels of this weight are its last dimension.
      Value weight = ScaleColumnsOp::create(rewriter, conv.getWeight().getLoc(),
                                            conv.getWeight(), op.getScale());
      absorb(rewriter, conv, op, weight,
             foldedBias(rewriter, conv.getBias(), op));
      return success();
    }
    return rewriter.notifyMatchFailure(op, "not behind a plain layer");
  }

  template <typename Layer>
  static LogicalResult fold(Layer layer, AffineOp op,
                            PatternRewriter &rewriter) {
    Value weight = ScaleRowsOp::create(rewriter, layer.getWeight().getLoc(),
                                       layer.getWeight(), op.getScale());
    absorb(rewriter, layer, op, weight,
           foldedBias(rewriter, layer.getBias(), op));
    return success();
  }
};

/// W·(s∘x + t) + b = (W·diag(s))·x + (W·t + b).
struct FoldIntoLayersBehind : OpRewritePattern<AffineOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AffineOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<LinearOp> readers;
    for (OpOperand &use : op.getResult().getUses()) {
      auto linear = dyn_cast<LinearOp>(use.getOwner());
      if (!linear || &use != &linear.getInputMutable())
        return rewriter.notifyMatchFailure(
            op, "something else than linear layers reads the result");
      readers.push_back(linear);
    }
    for (LinearOp linear : readers) {
      rewriter.setInsertionPoint(linear);
      Value weight =
          ScaleColumnsOp::create(rewriter, linear.getWeight().getLoc(),
                                 linear.getWeight(), op.getScale());
      Value bias = linear.getBias();
      if (op.getShift())
        bias =
            LinearOp::create(rewriter, bias ? bias.getLoc() : linear.getLoc(),
                             op.getShift(), linear.getWeight(), bias);
      rewriter.modifyOpInPlace(linear, [&] {
        linear.getInputMutable().assign(op.getInput());
        linear.getWeightMutable().assign(weight);
        if (bias)
          linear.getBiasMutable().assign(bias);
      });
    }
    rewriter.eraseOp(op);
    return success();
  }
};

struct FoldAffinePass : vitc::vit::impl::FoldAffinePassBase<FoldAffinePass> {
  void runOnOperation() override {
    flopsBefore += countFlops(getOperation());
    RewritePatternSet patterns(&getContext());
    patterns.add<FoldIntoLayerBefore>(&getContext(), /*benefit=*/2);
    patterns.add<FoldIntoLayersBehind>(&getContext(), /*benefit=*/1);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();
    flopsAfter += countFlops(getOperation());
  }
};

} // namespace
