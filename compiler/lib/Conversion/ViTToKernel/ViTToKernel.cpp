// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Lowering.h"

#include "vitc/Conversion/Passes.h"

namespace vitc {
#define GEN_PASS_DEF_CONVERTVITTOKERNELPASS
#include "vitc/Conversion/Passes.h.inc"
} // namespace vitc

namespace {

struct ConvertViTToKernelPass
    : vitc::impl::ConvertViTToKernelPassBase<ConvertViTToKernelPass> {
  void runOnOperation() override {
    for (auto function : llvm::make_early_inc_range(
             getOperation().getOps<mlir::func::FuncOp>())) {
      if (function.isExternal())
        continue;
      if (!llvm::all_of(function.getArgumentTypes(),
                        vitc::vit::isModelTensor) ||
          !llvm::all_of(function.getResultTypes(), vitc::vit::isModelTensor)) {
        function.emitError("takes or returns something that is not a tensor of "
                           "the vit dialect");
        return signalPassFailure();
      }
      if (mlir::failed(
              vitc::lowering::Lowering(getOperation(), function).run()))
        return signalPassFailure();
    }
  }
};

} // namespace
