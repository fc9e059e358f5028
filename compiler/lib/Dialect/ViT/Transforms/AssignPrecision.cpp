// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Dialect/ViT/IR/ViT.h"
#include "vitc/Dialect/ViT/Transforms/Passes.h"
#include "vitc/Dialect/ViT/Transforms/Precision.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"

namespace vitc::vit {
#define GEN_PASS_DEF_ASSIGNPRECISIONPASS
#include "vitc/Dialect/ViT/Transforms/Passes.h.inc"
} // namespace vitc::vit

using namespace mlir;
using namespace vitc;
using namespace vitc::vit;

std::optional<Precision> vit::toPrecision(StringRef word) {
  for (const PrecisionInfo &info : precisions)
    if (info.word == word)
      return info.precision;
  return std::nullopt;
}

Precision vit::precisionOf(ModuleOp module) {
  auto word = module->getAttrOfType<StringAttr>(precisionAttrName);
  return word ? toPrecision(word.getValue()).value_or(Precision::F32)
              : Precision::F32;
}

namespace {

struct AssignPrecisionPass
    : vitc::vit::impl::AssignPrecisionPassBase<AssignPrecisionPass> {
  void runOnOperation() override {
    auto word = getOperation()->getAttrOfType<StringAttr>(precisionAttrName);
    if (word && !toPrecision(word.getValue())) {
      getOperation().emitError()
          << precisionAttrName << " is " << word << ", expected one of "
          << llvm::join(precisionWords(), ", ");
      return signalPassFailure();
    }
    Precision precision = precisionOf(getOperation());
    if (precision == Precision::F32)
      return;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      narrowed.clear();
      function.walk([&](Operation *op) {
        if (auto linear = dyn_cast<LinearOp>(op)) {
          assign(linear, precision);
        } else if (auto embed = dyn_cast<PatchEmbedOp>(op)) {
          store(embed.getWeightMutable(), precision);
        } else if (auto query = dyn_cast<SingleQueryAttentionOp>(op)) {
          store(query.getKeyMutable(), precision);
          store(query.getValueMutable(), precision);
        }
      });
    }
  }

  /// Few rows wait for their weights, not for arithmetic: what fewer bits of
  /// their activations would save is not worth its error.
  static bool hasManyRows(LinearOp linear) {
    constexpr int64_t fewRows = 8;
    RankedTensorType input = linear.getInput().getType();
    return input.getNumElements() / input.getShape().back() >= fewRows;
  }

  static Format weightFormat(Precision precision) {
    switch (precision) {
    case Precision::F32:
      return Format::F32;
    case Precision::F16:
      return Format::F16;
    case Precision::Bf16:
      return Format::Bf16;
    case Precision::Int8:
      return Format::I8Rows;
    }
    llvm_unreachable("unknown precision");
  }

  static Format inputFormat(LinearOp linear, Precision precision) {
    if (!hasManyRows(linear))
      return Format::F32;
    switch (precision) {
    case Precision::F32:
    case Precision::F16:
      return Format::F32;
    case Precision::Bf16:
      return Format::Bf16;
    case Precision::Int8:
      return linear->getParentOfType<ModuleOp>()->hasAttr(sevenBitsAttrName)
                 ? Format::U7Rows
                 : Format::U8Rows;
    }
    llvm_unreachable("unknown precision");
  }

  /// Whether queries or keys of cosine attention come of the layer: they are
  /// brought to length 1 and multiplied by up to 100, and with them the error.
  static bool feedsCosineAttention(Value value) {
    return llvm::any_of(value.getUsers(), [](Operation *user) {
      if (auto slice = dyn_cast<SliceOp>(user))
        return feedsCosineAttention(slice.getResult());
      auto norm = dyn_cast<LayerNormOp>(user);
      return norm && norm.getKind() == NormKind::L2;
    });
  }

  void assign(LinearOp linear, Precision precision) {
    // A layer of parameters alone is computed now, in double.
    if (!linear.getWeight().getDefiningOp<GetOp>() ||
        linear.getInput().getDefiningOp<GetOp>() ||
        feedsCosineAttention(linear.getResult()))
      return;
    OpBuilder builder(linear);
    linear.getInputMutable().assign(
        narrow(builder, linear.getInput(), inputFormat(linear, precision)));
    store(linear.getWeightMutable(), precision);
  }

  /// Stores a layer's weights in fewer bits; it computes in float32.
  void store(OpOperand &weight, Precision precision) {
    if (!weight.get().getDefiningOp<GetOp>())
      return;
    OpBuilder builder(weight.getOwner());
    weight.set(narrow(builder, weight.get(), weightFormat(precision)));
    ++layers;
  }

  /// The value in a format; layers of one input share it.
  Value narrow(OpBuilder &builder, Value value, Format format) {
    if (format == Format::F32)
      return value;
    Value &known = narrowed[{value, int(format)}];
    if (!known) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointAfterValue(value);
      auto type = cast<RankedTensorType>(value.getType());
      std::string layer = layerName(value.getLoc());
      Location location =
          layer.empty()
              ? value.getLoc()
              : NameLoc::get(builder.getStringAttr(layer + ".quantized"));
      known = QuantizeOp::create(builder, location,
                                 type.clone(elementType(&getContext(), format)),
                                 value);
    }
    return known;
  }

  DenseMap<std::pair<Value, int>, Value> narrowed;
};

} // namespace
