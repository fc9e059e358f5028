// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Dialect/ViT/IR/ViT.h"
#include "vitc/Dialect/ViT/Transforms/Passes.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace vitc::vit {
#define GEN_PASS_DEF_FUSEQKVPASS
#include "vitc/Dialect/ViT/Transforms/Passes.h.inc"
} // namespace vitc::vit

using namespace mlir;
using namespace vitc::vit;

/// The tensors on top of each other.
static Value concatRows(OpBuilder &builder, Location location,
                        ValueRange parts) {
  auto type = cast<RankedTensorType>(parts.front().getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[0] = 0;
  for (Value part : parts)
    shape[0] += cast<RankedTensorType>(part.getType()).getDimSize(0);
  return ConcatOp::create(builder, location, type.clone(shape), parts,
                          /*dimension=*/0);
}

/// The bias that a layer without one stands for.
static Value zeros(OpBuilder &builder, LinearOp layer) {
  auto weight = cast<RankedTensorType>(layer.getWeight().getType());
  return FillOp::create(builder, layer.getLoc(),
                        weight.clone({weight.getDimSize(0)}), APFloat(0.0));
}

/// A name for the joint layer: what the three names have in common, then `qkv`.
static std::string jointName(MutableArrayRef<LinearOp> layers) {
  std::string first = layerName(layers.front().getLoc());
  StringRef common = first;
  for (LinearOp layer : layers.drop_front()) {
    std::string other = layerName(layer.getLoc());
    size_t length = 0;
    while (length < common.size() && length < other.size() &&
           common[length] == other[length])
      ++length;
    common = common.take_front(length);
  }
  return (common.substr(0, common.rfind('.') + 1) + "qkv").str();
}

namespace {

struct FuseProjections : OpRewritePattern<AttentionOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AttentionOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<LinearOp> layers;
    for (Value projected : {op.getQuery(), op.getKey(), op.getValue()}) {
      auto layer = projected.getDefiningOp<LinearOp>();
      if (!layer || !layer->hasOneUse() || !layer.isPlain())
        return rewriter.notifyMatchFailure(
            op, "queries, keys and values are not three plain linear layers");
      layers.push_back(layer);
    }
    if (!llvm::all_equal(llvm::map_range(
            layers, [](LinearOp layer) { return layer.getInput(); })))
      return rewriter.notifyMatchFailure(
          op, "the three layers have different inputs");

    std::string name = jointName(layers);
    auto named = [&](const Twine &suffix) {
      return NameLoc::get(rewriter.getStringAttr(name + suffix));
    };
    bool anyBias = llvm::any_of(
        layers, [](LinearOp layer) { return bool(layer.getBias()); });
    SmallVector<Value> weights, biases;
    for (LinearOp layer : layers) {
      weights.push_back(layer.getWeight());
      if (anyBias)
        biases.push_back(layer.getBias() ? layer.getBias()
                                         : zeros(rewriter, layer));
    }
    Value weight = concatRows(rewriter, named(".weight"), weights);
    Value bias =
        biases.empty() ? Value() : concatRows(rewriter, named(".bias"), biases);
    Value joint = LinearOp::create(rewriter, named(""), layers[0].getInput(),
                                   weight, bias);

    SmallVector<Value> parts;
    int64_t offset = 0;
    for (LinearOp layer : layers) {
      parts.push_back(SliceOp::create(rewriter, layer.getLoc(), layer.getType(),
                                      joint, /*dimension=*/2, offset));
      offset += cast<RankedTensorType>(layer.getType()).getDimSize(2);
    }
    rewriter.modifyOpInPlace(op, [&] {
      op.getQueryMutable().assign(parts[0]);
      op.getKeyMutable().assign(parts[1]);
      op.getValueMutable().assign(parts[2]);
    });
    for (LinearOp layer : layers)
      rewriter.eraseOp(layer);
    return success();
  }
};

struct FuseQkvPass : vitc::vit::impl::FuseQkvPassBase<FuseQkvPass> {
  void runOnOperation() override {
    auto count = [&] {
      int64_t layers = 0;
      getOperation()->walk([&](LinearOp) { ++layers; });
      return layers;
    };
    int64_t before = count();
    RewritePatternSet patterns(&getContext());
    patterns.add<FuseProjections>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
    fused += (before - count()) / 2;
  }
};

} // namespace
