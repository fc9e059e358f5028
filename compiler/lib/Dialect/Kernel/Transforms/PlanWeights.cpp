// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Dialect/Kernel/IR/Kernel.h"
#include "vitc/Dialect/Kernel/Transforms/Passes.h"

#include "mlir/IR/Builders.h"

namespace vitc::kernel {
#define GEN_PASS_DEF_PLANWEIGHTSPASS
#include "vitc/Dialect/Kernel/Transforms/Passes.h.inc"
} // namespace vitc::kernel

using namespace mlir;
using namespace vitc::kernel;

namespace {

struct PlanWeightsPass
    : vitc::kernel::impl::PlanWeightsPassBase<PlanWeightsPass> {
  void runOnOperation() override {
    SymbolTableCollection symbols;
    SetVector<ConstantOp> order;
    auto use = [&](WeightOp weight) {
      order.insert(symbols.lookupNearestSymbolFrom<ConstantOp>(
          weight, weight.getConstantAttr()));
    };
    getOperation()->walk([&](CallOp call) {
      for (Value operand : call->getOperands())
        if (auto weight = rootBuffer(operand).getDefiningOp<WeightOp>())
          use(weight);
    });
    // Behind them, what is read by anything but a call.
    getOperation()->walk([&](WeightOp weight) {
      if (weight.use_empty())
        weight.erase();
      else
        use(weight);
    });

    int64_t end = 0;
    for (ConstantOp constant : order) {
      constant.setOffset(end);
      end += reservedBytes(constant.getBufferType());
    }
    for (auto constant :
         llvm::make_early_inc_range(getOperation().getOps<ConstantOp>()))
      if (!order.contains(constant))
        constant.erase();
    getOperation()->setAttr(weightsBytesAttrName,
                            Builder(&getContext()).getI64IntegerAttr(end));
  }
};

} // namespace
