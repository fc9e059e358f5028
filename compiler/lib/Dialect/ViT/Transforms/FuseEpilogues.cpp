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

/// The linear layer behind `value` if `value` is used once and the layer has no
/// residual yet.
static LinearOp soleLinear(Value value) {
  auto linear = value.getDefiningOp<LinearOp>();
  return linear && linear->hasOneUse() && !linear.getResidual() ? linear
                                                                : LinearOp();
}

namespace {

struct FuseActivation : OpRewritePattern<ActivationOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ActivationOp op,
                                PatternRewriter &rewriter) const override {
    LinearOp linear = soleLinear(op.getInput());
    if (!linear || linear.getActivation() != Activation::None)
      return rewriter.notifyMatchFailure(
          op, "the input is not a plain linear layer used once");
    rewriter.replaceOp(op,
                       LinearOp::create(rewriter, linear.getLoc(), op.getType(),
                                        linear.getInput(), linear.getWeight(),
                                        linear.getBias(), /*residual=*/Value(),
                                        op.getFunction()));
    return success();
  }
};

struct FuseResidual : OpRewritePattern<AddOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AddOp op,
                                PatternRewriter &rewriter) const override {
    for (auto [candidate, residual] : {std::pair(op.getLhs(), op.getRhs()),
                                       std::pair(op.getRhs(), op.getLhs())}) {
      LinearOp linear = soleLinear(candidate);
      if (!linear)
        continue;
      // Created at the sum, where both the layer's operands and the residual
      // are known.
      rewriter.replaceOp(op,
                         LinearOp::create(rewriter, linear.getLoc(),
                                          op.getType(), linear.getInput(),
                                          linear.getWeight(), linear.getBias(),
                                          residual, linear.getActivation()));
      return success();
    }
    return rewriter.notifyMatchFailure(
        op, "neither operand is a linear layer used once");
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
