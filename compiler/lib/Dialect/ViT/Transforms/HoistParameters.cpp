// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Dialect/ViT/IR/ViT.h"
#include "vitc/Dialect/ViT/Transforms/Passes.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/StringSet.h"

namespace vitc::vit {
#define GEN_PASS_DEF_HOISTPARAMETERSPASS
#include "vitc/Dialect/ViT/Transforms/Passes.h.inc"
} // namespace vitc::vit

using namespace mlir;
using namespace vitc::vit;

namespace {

struct HoistParametersPass
    : vitc::vit::impl::HoistParametersPassBase<HoistParametersPass> {
  void runOnOperation() override {
    // Made once: it goes through all of the model.
    SymbolTable table(getOperation());
    symbols = &table;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal())
        hoistFrom(function);
    symbols = nullptr;
    eraseUnused();
  }

  void hoistFrom(func::FuncOp function) {
    Block &body = function.getBody().front();
    DenseSet<Operation *> constant; // ops that depend on parameters alone
    for (Operation &op : body)
      if (isa_and_nonnull<ViTDialect>(op.getDialect()) &&
          llvm::all_of(op.getOperands(), [&](Value v) {
            return constant.contains(v.getDefiningOp());
          }))
        constant.insert(&op);

    for (Operation &op : body) {
      if (!constant.contains(&op) || isa<GetOp>(op))
        continue;
      auto isVariable = [&](OpOperand &use) {
        return !constant.contains(use.getOwner());
      };
      for (Value result : op.getResults())
        if (llvm::any_of(result.getUses(), isVariable)) {
          Value get = derive(result);
          result.replaceUsesWithIf(get, isVariable);
        }
    }
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
      if (constant.contains(&op) && op.use_empty())
        op.erase();
  }

  /// A new parameter whose body computes `result`, and a read of it.
  Value derive(Value result) {
    BackwardSliceOptions options;
    options.inclusive = true;
    SetVector<Operation *> slice;
    (void)getBackwardSlice(result, &slice, options);

    std::string name = layerName(result.getLoc());
    auto type = cast<RankedTensorType>(result.getType());
    OpBuilder builder(result.getDefiningOp()->getParentOfType<func::FuncOp>());
    auto parameter = ParameterOp::create(builder, result.getLoc(),
                                         name.empty() ? "derived" : name, type);
    symbols->insert(parameter); // another name if this one is taken

    builder.createBlock(&parameter.getBody());
    IRMapping mapping;
    for (Operation *op : slice)
      builder.clone(*op, mapping);
    YieldOp::create(builder, result.getLoc(), mapping.lookup(result));

    ++derived;
    builder.setInsertionPointAfterValue(result);
    return GetOp::create(builder, result.getLoc(), type,
                         parameter.getSymName());
  }

  /// Derived parameters may read others, so repeat until nothing changes.
  void eraseUnused() {
    for (bool changed = true; changed;) {
      changed = false;
      llvm::StringSet<> used;
      getOperation()->walk([&](Operation *op) {
        op->getAttrDictionary().walk(
            [&](FlatSymbolRefAttr symbol) { used.insert(symbol.getValue()); });
      });
      for (auto parameter :
           llvm::make_early_inc_range(getOperation().getOps<ParameterOp>()))
        if (!used.contains(parameter.getSymName())) {
          parameter.erase();
          changed = true;
        }
    }
  }

  SymbolTable *symbols = nullptr;
};

} // namespace
