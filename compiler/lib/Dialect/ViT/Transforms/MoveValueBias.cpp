// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Dialect/ViT/IR/Flops.h"
#include "vitc/Dialect/ViT/IR/ViT.h"
#include "vitc/Dialect/ViT/Transforms/Passes.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace vitc::vit {
#define GEN_PASS_DEF_MOVEVALUEBIASPASS
#include "vitc/Dialect/ViT/Transforms/Passes.h.inc"
} // namespace vitc::vit

using namespace mlir;
using namespace vitc::vit;

namespace {

/// Σ_j p_j·(v_j + b) = Σ_j p_j·v_j + b, since the p_j sum to one; and W_o·(y +
/// b) + c = W_o·y + (W_o·b + c).
struct MoveBias : OpRewritePattern<AttentionOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AttentionOp op,
                                PatternRewriter &rewriter) const override {
    auto value = op.getValue().getDefiningOp<LinearOp>();
    if (!value || !value.isPlain() || !value->hasOneUse() || !value.getBias())
      return rewriter.notifyMatchFailure(
          op, "the values are not a plain linear layer with a bias, used once");
    auto output = op.getResult().hasOneUse()
                      ? dyn_cast<LinearOp>(*op.getResult().getUsers().begin())
                      : LinearOp();
    if (!output || output.getInput() != op.getResult())
      return rewriter.notifyMatchFailure(
          op, "the result does not feed one linear layer alone");

    rewriter.setInsertionPoint(output);
    Location location =
        output.getBias() ? output.getBias().getLoc() : output.getLoc();
    Value bias = LinearOp::create(rewriter, location, value.getBias(),
                                  output.getWeight(), output.getBias());
    rewriter.modifyOpInPlace(output,
                             [&] { output.getBiasMutable().assign(bias); });
    rewriter.modifyOpInPlace(value, [&] { value.getBiasMutable().clear(); });
    return success();
  }
};

struct MoveValueBiasPass
    : vitc::vit::impl::MoveValueBiasPassBase<MoveValueBiasPass> {
  void runOnOperation() override {
    flopsBefore += countFlops(getOperation());
    RewritePatternSet patterns(&getContext());
    patterns.add<MoveBias>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
    flopsAfter += countFlops(getOperation());
  }
};

} // namespace
