// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Dialect/Kernel/IR/Kernel.h"
#include "vitc/Dialect/ViT/IR/Flops.h"
#include "vitc/Dialect/ViT/IR/ViT.h"
#include "vitc/Dialect/ViT/Transforms/Passes.h"
#include "vitc/Dialect/ViT/Transforms/Precision.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace vitc::vit {
#define GEN_PASS_DEF_FOLDNORMPASS
#include "vitc/Dialect/ViT/Transforms/Passes.h.inc"
} // namespace vitc::vit

using namespace mlir;
using namespace vitc::vit;

/// The linear layers that read `normed`, directly or after picking one token;
/// nothing if anything else reads it.
static SmallVector<LinearOp> linearReaders(Value normed) {
  SmallVector<LinearOp> readers;
  for (OpOperand &use : normed.getUses()) {
    if (auto linear = dyn_cast<LinearOp>(use.getOwner());
        linear && &use == &linear.getInputMutable()) {
      readers.push_back(linear);
      continue;
    }
    auto pool = dyn_cast<PoolOp>(use.getOwner());
    SmallVector<LinearOp> behind = pool && pool.getKind() == PoolKind::Token
                                       ? linearReaders(pool.getResult())
                                       : SmallVector<LinearOp>();
    if (behind.empty())
      return {};
    llvm::append_range(readers, behind);
  }
  return readers;
}

namespace {

/// W·(g∘x̂ + β) + b = (W·diag(g))·x̂ + (W·β + b), or W·(g∘x̂) + (W·β + b) where
/// the gain is kept.
struct FoldNormAffine : OpRewritePattern<LayerNormOp> {
  FoldNormAffine(MLIRContext *context, bool keepGain)
      : OpRewritePattern(context), keepGain(keepGain) {}

  LogicalResult matchAndRewrite(LayerNormOp op,
                                PatternRewriter &rewriter) const override {
    if (keepGain ? !op.getBias() : !op.getGain())
      return rewriter.notifyMatchFailure(op, "nothing to fold");
    SmallVector<LinearOp> readers = linearReaders(op.getResult());
    if (readers.empty())
      return rewriter.notifyMatchFailure(
          op, "something else than linear layers reads the norm");

    for (LinearOp linear : readers) {
      rewriter.setInsertionPoint(linear);
      Location location =
          linear.getBias() ? linear.getBias().getLoc() : linear.getLoc();
      Value weight = linear.getWeight();
      if (!keepGain)
        weight = ScaleColumnsOp::create(rewriter, weight.getLoc(), weight,
                                        op.getGain());
      Value bias = op.getBias()
                       ? LinearOp::create(rewriter, location, op.getBias(),
                                          linear.getWeight(), linear.getBias())
                       : linear.getBias();
      rewriter.modifyOpInPlace(linear, [&] {
        linear.getWeightMutable().assign(weight);
        if (bias)
          linear.getBiasMutable().assign(bias);
      });
    }
    rewriter.modifyOpInPlace(op, [&] {
      if (!keepGain)
        op.getGainMutable().clear();
      op.getBiasMutable().clear();
    });
    return success();
  }

  bool keepGain;
};

struct FoldNormPass : vitc::vit::impl::FoldNormPassBase<FoldNormPass> {
  void runOnOperation() override {
    flopsBefore += countFlops(getOperation());
    // Rows of few bits are best where channels are of one size, as behind the
    // norm's gain; Winograd's products likewise.
    bool keepGain = vitc::kernel::targetOf(getOperation())
                        .offers(vitc::kernel::Algorithm::Winograd) ||
                    precisionOf(getOperation()) == Precision::Int8;
    RewritePatternSet patterns(&getContext());
    patterns.add<FoldNormAffine>(&getContext(), keepGain);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
    flopsAfter += countFlops(getOperation());
  }
};

} // namespace
