#include "Lowering.h"

#include "vitc/Conversion/Passes.h"

namespace vitc {
#define GEN_PASS_DEF_CONVERTVITTOKERNELPASS
#include "vitc/Conversion/Passes.h.inc"
} // namespace vitc

namespace {

struct ConvertViTToKernelPass : vitc::impl::ConvertViTToKernelPassBase<ConvertViTToKernelPass> {
  using ConvertViTToKernelPassBase::ConvertViTToKernelPassBase;

  void runOnOperation() override {
    for (auto function : llvm::make_early_inc_range(getOperation().getOps<mlir::func::FuncOp>()))
      if (!function.isExternal() && mlir::failed(vitc::lowering::Lowering(getOperation(), function, panel).run()))
        return signalPassFailure();
  }
};

} // namespace
