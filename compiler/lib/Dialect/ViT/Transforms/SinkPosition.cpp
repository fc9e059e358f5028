// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Dialect/ViT/IR/ViT.h"
#include "vitc/Dialect/ViT/Transforms/Passes.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace vitc::vit {
#define GEN_PASS_DEF_SINKPOSITIONPASS
#include "vitc/Dialect/ViT/Transforms/Passes.h.inc"
} // namespace vitc::vit

using namespace mlir;
using namespace vitc::vit;

/// Tokens [first, first + count) of a sequence.
static Value sliceTokens(OpBuilder &builder, Location location, Value sequence,
                         int64_t first, int64_t count) {
  auto type = cast<RankedTensorType>(sequence.getType());
  return SliceOp::create(
      builder, location,
      type.clone({type.getDimSize(0), count, type.getDimSize(2)}), sequence,
      /*dimension=*/1, first);
}

namespace {

/// add_position(concat_tokens(c, s), p) = concat_tokens(c + p[first part],
/// add_position(s, p[rest])).
struct SplitOverConcat : OpRewritePattern<AddPositionOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AddPositionOp op,
                                PatternRewriter &rewriter) const override {
    auto concat = op.getSequence().getDefiningOp<ConcatTokensOp>();
    if (!concat || !concat->hasOneUse())
      return rewriter.notifyMatchFailure(
          op, "the sequence is not a concatenation made for this sum alone");
    int64_t learned =
        cast<RankedTensorType>(concat.getTokens().getType()).getDimSize(1);
    int64_t patches =
        cast<RankedTensorType>(concat.getSequence().getType()).getDimSize(1);

    Location location = op.getPosition().getLoc();
    Value first = sliceTokens(rewriter, location, op.getPosition(), 0, learned);
    Value rest =
        sliceTokens(rewriter, location, op.getPosition(), learned, patches);
    Value tokens = AddOp::create(rewriter, concat.getTokens().getLoc(),
                                 concat.getTokens(), first);
    Value sequence = AddPositionOp::create(rewriter, op.getLoc(),
                                           concat.getSequence(), rest);
    rewriter.replaceOpWithNewOp<ConcatTokensOp>(op, op.getType(), tokens,
                                                sequence);
    return success();
  }
};

/// add_position(patch_embed(image), p) = patch_embed(image) with position p.
struct FuseIntoPatchEmbed : OpRewritePattern<AddPositionOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AddPositionOp op,
                                PatternRewriter &rewriter) const override {
    auto embed = op.getSequence().getDefiningOp<PatchEmbedOp>();
    if (!embed || !embed->hasOneUse() || embed.getPosition())
      return rewriter.notifyMatchFailure(
          op, "the sequence is not a patch embedding made for this sum alone");
    Value fused = PatchEmbedOp::create(rewriter, embed.getLoc(), op.getType(),
                                       embed.getImage(), embed.getWeight(),
                                       embed.getBias(), op.getPosition());
    rewriter.replaceOp(op, fused);
    return success();
  }
};

struct SinkPositionPass
    : vitc::vit::impl::SinkPositionPassBase<SinkPositionPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<SplitOverConcat, FuseIntoPatchEmbed>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
