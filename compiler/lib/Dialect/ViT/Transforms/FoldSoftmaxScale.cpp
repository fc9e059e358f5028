// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Dialect/ViT/IR/Flops.h"
#include "vitc/Dialect/ViT/IR/ViT.h"
#include "vitc/Dialect/ViT/Transforms/Passes.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace vitc::vit {
#define GEN_PASS_DEF_FOLDSOFTMAXSCALEPASS
#include "vitc/Dialect/ViT/Transforms/Passes.h.inc"
} // namespace vitc::vit

using namespace mlir;
using namespace vitc::vit;

namespace {

/// s·((W·x + b)·k) = ((s·W)·x + s·b)·k.
struct FoldScale : OpRewritePattern<AttentionOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AttentionOp op,
                                PatternRewriter &rewriter) const override {
    auto query = op.getQuery().getDefiningOp<LinearOp>();
    if (op.getScale().isExactlyValue(1.0))
      return rewriter.notifyMatchFailure(op, "nothing to fold");
    if (!query || !query.isPlain() || !query->hasOneUse())
      return rewriter.notifyMatchFailure(
          op, "the query is not a plain linear layer used once");
    auto scaled = [&](Value parameter) -> Value {
      return parameter ? ScaleOp::create(rewriter, parameter.getLoc(),
                                         parameter, op.getScale())
                       : Value();
    };
    rewriter.setInsertionPoint(query);
    Value weight = scaled(query.getWeight()), bias = scaled(query.getBias());
    rewriter.replaceOp(query, LinearOp::create(rewriter, query.getLoc(),
                                               query.getInput(), weight, bias));
    rewriter.modifyOpInPlace(op, [&] { op.setScale(APFloat(1.0)); });
    return success();
  }
};

struct FoldSoftmaxScalePass
    : vitc::vit::impl::FoldSoftmaxScalePassBase<FoldSoftmaxScalePass> {
  void runOnOperation() override {
    flopsBefore += countFlops(getOperation());
    RewritePatternSet patterns(&getContext());
    patterns.add<FoldScale>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
    flopsAfter += countFlops(getOperation());
  }
};

} // namespace
