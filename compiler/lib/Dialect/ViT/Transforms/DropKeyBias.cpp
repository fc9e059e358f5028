// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Dialect/ViT/IR/Flops.h"
#include "vitc/Dialect/ViT/IR/ViT.h"
#include "vitc/Dialect/ViT/Transforms/Passes.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace vitc::vit {
#define GEN_PASS_DEF_DROPKEYBIASPASS
#include "vitc/Dialect/ViT/Transforms/Passes.h.inc"
} // namespace vitc::vit

using namespace mlir;
using namespace vitc::vit;

namespace {

/// q·(k_j + b) = q·k_j + q·b, and softmax ignores what is the same for all
/// keys.
struct DropBias : OpRewritePattern<AttentionOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AttentionOp op,
                                PatternRewriter &rewriter) const override {
    auto key = op.getKey().getDefiningOp<LinearOp>();
    if (!key || !key.isPlain() || !key->hasOneUse() || !key.getBias())
      return rewriter.notifyMatchFailure(
          op, "the keys are not a plain linear layer with a bias, used once");
    rewriter.modifyOpInPlace(key, [&] { key.getBiasMutable().clear(); });
    return success();
  }
};

struct DropKeyBiasPass : vitc::vit::impl::DropKeyBiasPassBase<DropKeyBiasPass> {
  void runOnOperation() override {
    flopsBefore += countFlops(getOperation());
    RewritePatternSet patterns(&getContext());
    patterns.add<DropBias>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
    flopsAfter += countFlops(getOperation());
  }
};

} // namespace
