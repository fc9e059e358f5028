// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Dialect/Kernel/IR/Kernel.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace vitc::kernel;

LogicalResult TargetAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 int64_t panel, ArrayRef<LevelAttr> levels) {
  if (failed(verifyExtent(emitError, "panel", panel))) // target_c1
    return failure();
  if (levels.empty()) // target_c2
    return emitError() << "a target has at least one level";
  llvm::StringSet<> names;
  for (LevelAttr level : levels)
    if (!names.insert(level.getName()).second)
      return emitError() << "level \"" << level.getName()
                         << "\" is there twice";
  return success();
}

bool TargetAttr::offers(Algorithm algorithm) const {
  return llvm::any_of(getLevels(), [&](LevelAttr level) {
    return level.getAlgorithm() == algorithm;
  });
}

TargetAttr vitc::kernel::targetOf(ModuleOp module) {
  if (auto target = module->getAttrOfType<TargetAttr>(targetAttrName))
    return target;
  constexpr int64_t panel = 16;
  MLIRContext *context = module.getContext();
  return TargetAttr::get(context, panel,
                         LevelAttr::get(context, "any", Algorithm::Plain));
}

bool vitc::kernel::runsAt(CallOp call, StringRef level) {
  return !call.getLevels() ||
         llvm::is_contained(call.getLevels()->getAsValueRange<StringAttr>(),
                            level);
}
