// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Dialect/ViT/IR/Flops.h"
#include "vitc/Dialect/ViT/IR/ViT.h"
#include "vitc/Dialect/ViT/Transforms/Passes.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace vitc::vit {
#define GEN_PASS_DEF_SINGLEQUERYPASS
#include "vitc/Dialect/ViT/Transforms/Passes.h.inc"
} // namespace vitc::vit

using namespace mlir;
using namespace vitc::vit;

/// The linear layer without bias that computes `value`, if `value` has one
/// user.
static LinearOp soleProjection(Value value) {
  auto linear = value.getDefiningOp<LinearOp>();
  return linear && linear.isPlain() && !linear.getBias() && linear->hasOneUse()
             ? linear
             : LinearOp();
}

namespace {

/// q·(W_k·x_j) = x_j·(W_kᵀ·q), and Σ_j p_j·(W_v·x_j) = W_v·(Σ_j p_j·x_j), head
/// by head.
struct AttendFromOneToken : OpRewritePattern<PoolOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(PoolOp pool,
                                PatternRewriter &rewriter) const override {
    auto attention = pool.getSequence().getDefiningOp<AttentionOp>();
    if (!attention || pool.getKind() != PoolKind::Token ||
        !attention.getResult().hasOneUse() || attention.getProbabilities() ||
        attention.getBias() || attention.getMask() ||
        attention.getQuery().getType().getDimSize(0) !=
            attention.getKey().getType().getDimSize(0))
      return rewriter.notifyMatchFailure(
          pool, "not the only reader of a plain attention without maps");
    LinearOp key = soleProjection(attention.getKey()),
             value = soleProjection(attention.getValue());
    if (!key || !value || key.getInput() != value.getInput())
      return rewriter.notifyMatchFailure(pool,
                                         "keys and values are not two layers "
                                         "without bias of the same sequence");

    rewriter.setInsertionPoint(attention);
    Value query =
        PoolOp::create(rewriter, attention.getQuery().getLoc(), pool.getType(),
                       attention.getQuery(), PoolKind::Token, pool.getFirst());
    rewriter.replaceOp(pool, SingleQueryAttentionOp::create(
                                 rewriter, attention.getLoc(), query.getType(),
                                 key.getInput(), query, key.getWeight(),
                                 value.getWeight(), attention.getHeads(),
                                 attention.getScale()));
    rewriter.eraseOp(attention);
    rewriter.eraseOp(key);
    rewriter.eraseOp(value);
    return success();
  }
};

struct SingleQueryPass : vitc::vit::impl::SingleQueryPassBase<SingleQueryPass> {
  void runOnOperation() override {
    flopsBefore += countFlops(getOperation());
    RewritePatternSet patterns(&getContext());
    patterns.add<AttendFromOneToken>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();
    flopsAfter += countFlops(getOperation());
  }
};

} // namespace
