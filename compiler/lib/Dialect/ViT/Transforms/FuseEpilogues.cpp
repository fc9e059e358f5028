// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Dialect/ViT/IR/ViT.h"
#include "vitc/Dialect/ViT/Transforms/Passes.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace vitc::vit {
#define GEN_PASS_DEF_FUSEEPILOGUESPASS
#include "vitc/Dialect/ViT/Transforms/Passes.h.inc"
} // namespace vitc::vit

using namespace mlir;
using namespace vitc::vit;

/// True if the layer may still take a residual.
static bool isOpen(Operation *layer) {
  if (auto linear = dyn_cast<LinearOp>(layer))
    return !linear.getResidual();
  if (auto conv = dyn_cast<ConvOp>(layer))
    return !conv.getResidual();
  return false;
}

namespace {

/// f(W·x + b) in the kernel that computes W·x + b; likewise for a group norm,
/// whose residual comes before the activation.
struct FuseActivation : OpRewritePattern<ActivationOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ActivationOp op,
                                PatternRewriter &rewriter) const override {
    Operation *layer = op.getInput().getDefiningOp();
    if (!layer || !layer->hasOneUse())
      return rewriter.notifyMatchFailure(op, "no layer for this one alone");
    if (isOpen(layer)) {
      if (auto linear = dyn_cast<LinearOp>(layer))
        return take(linear, op, rewriter);
      return take(cast<ConvOp>(layer), op, rewriter);
    }
    if (auto conv = dyn_cast<DepthwiseConvOp>(layer))
      return take(conv, op, rewriter);
    if (auto norm = dyn_cast<GroupNormOp>(layer))
      return take(norm, op, rewriter);
    return rewriter.notifyMatchFailure(
        op, "the input is not a layer that can take an activation");
  }

  template <typename Layer>
  static LogicalResult take(Layer layer, ActivationOp op,
                            PatternRewriter &rewriter) {
    if (layer.getActivation() != Activation::None)
      return rewriter.notifyMatchFailure(op, "the layer has an activation");
    rewriter.modifyOpInPlace(layer,
                             [&] { layer.setActivation(op.getFunction()); });
    rewriter.replaceOp(op, layer.getResult());
    return success();
  }
};

struct FuseResidual : OpRewritePattern<AddOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AddOp op,
                                PatternRewriter &rewriter) const override {
    for (auto [candidate, residual] : {std::pair(op.getLhs(), op.getRhs()),
                                       std::pair(op.getRhs(), op.getLhs())}) {
      Operation *layer = candidate.getDefiningOp();
      if (!layer || !layer->hasOneUse())
        continue;
      if (auto linear = dyn_cast<LinearOp>(layer); linear && isOpen(layer))
        return take(linear, op, residual, rewriter);
      if (auto conv = dyn_cast<ConvOp>(layer); conv && isOpen(layer))
        return take(conv, op, residual, rewriter);
      if (auto norm = dyn_cast<GroupNormOp>(layer);
          norm && !norm.getResidual() &&
          norm.getActivation() == Activation::None)
        return take(norm, op, residual, rewriter);
    }
    return rewriter.notifyMatchFailure(op,
                                       "neither operand is a layer used once");
  }

  /// The layer moves to the sum, where the residual is known, too.
  template <typename Layer>
  static LogicalResult take(Layer layer, AddOp op, Value residual,
                            PatternRewriter &rewriter) {
    rewriter.moveOpBefore(layer, op);
    rewriter.modifyOpInPlace(
        layer, [&] { layer.getResidualMutable().assign(residual); });
    rewriter.replaceOp(op, layer.getResult());
    return success();
  }
};

struct FuseEpiloguesPass
    : vitc::vit::impl::FuseEpiloguesPassBase<FuseEpiloguesPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<FuseActivation, FuseResidual>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
