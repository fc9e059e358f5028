// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Dialect/ViT/IR/ViT.h"
#include "vitc/Dialect/ViT/Transforms/Passes.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace vitc::vit {
#define GEN_PASS_DEF_DECOMPOSEPASS
#include "vitc/Dialect/ViT/Transforms/Passes.h.inc"
} // namespace vitc::vit

using namespace mlir;
using namespace vitc::vit;

/// A linear layer is called like its weight: `encoder.layer.0.output.dense` for
/// `encoder.layer.0.output.dense.weight`.
static Location layerOf(Value weight, Location fallback) {
  auto get = weight.getDefiningOp<GetOp>();
  if (!get)
    return fallback;
  StringRef name = get.getParameter();
  name.consume_back(".weight");
  return NameLoc::get(StringAttr::get(weight.getContext(), name));
}

static Value createLinear(OpBuilder &builder, Location fallback, Value input,
                          Value weight, Value bias) {
  return LinearOp::create(builder, layerOf(weight, fallback), input, weight,
                          bias);
}

/// activation(x), called like the layer it follows.
static Value createActivation(OpBuilder &builder, Value input,
                              Activation activation) {
  if (activation == Activation::None)
    return input;
  Location location = input.getLoc();
  if (std::string name = layerName(location); !name.empty())
    location = NameLoc::get(
        builder.getStringAttr(name + "." + stringifyActivation(activation)));
  return ActivationOp::create(builder, location, input.getType(), input,
                              activation);
}

namespace {

struct DecomposeMlp : OpRewritePattern<MlpOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MlpOp op,
                                PatternRewriter &rewriter) const override {
    Value up = createLinear(rewriter, op.getLoc(), op.getInput(), op.getUp(),
                            op.getUpBias());
    Value hidden = createActivation(rewriter, up, op.getActivation());
    rewriter.replaceOp(op, createLinear(rewriter, op.getLoc(), hidden,
                                        op.getDown(), op.getDownBias()));
    return success();
  }
};

struct DecomposeHead : OpRewritePattern<HeadOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(HeadOp op,
                                PatternRewriter &rewriter) const override {
    Value linear = createLinear(rewriter, op.getLoc(), op.getPooled(),
                                op.getWeight(), op.getBias());
    rewriter.replaceOp(op,
                       createActivation(rewriter, linear, op.getActivation()));
    return success();
  }
};

/// A window of one pixel that visits every pixel.
struct DecomposePointwiseConv : OpRewritePattern<ConvOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConvOp op,
                                PatternRewriter &rewriter) const override {
    auto isOne = [](int64_t extent) { return extent == 1; };
    if (op.readsImage() ||
        op.getWindow() != std::pair<int64_t, int64_t>(1, 1) ||
        !llvm::all_of(op.getStride(), isOne) ||
        llvm::any_of(op.getPadding(), [](int64_t side) { return side != 0; }))
      return rewriter.notifyMatchFailure(op, "not pixel by pixel");
    auto weight = cast<RankedTensorType>(op.getWeight().getType());
    Value matrix = ReshapeOp::create(
        rewriter, op.getWeight().getLoc(),
        weight.clone({weight.getDimSize(0), weight.getDimSize(3)}),
        op.getWeight());
    rewriter.replaceOpWithNewOp<LinearOp>(op, op.getType(), op.getInput(),
                                          matrix, op.getBias(),
                                          op.getResidual(), op.getActivation());
    return success();
  }
};

struct DecomposePass : vitc::vit::impl::DecomposePassBase<DecomposePass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<DecomposeMlp, DecomposeHead, DecomposePointwiseConv>(
        &getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};

} // namespace
