// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TargetAttribute.h"

#include "vitc/Backend/Registry.h"
#include "vitc/Pipelines/Pipelines.h"

using namespace vitc;

static kernel::Algorithm algorithmOf(const Level &level,
                                     const CompileOptions &options) {
  if (options.tensorCores)
    return kernel::Algorithm::TensorCore;
  // TVM has no kernels for them. They are faster than Strassen's, and cost
  // neither memory nor precision.
  bool winograd = level.hasSeparateAdders() && options.backend != tvmBackend &&
                  !llvm::is_contained(options.disabledRewrites, winogradName);
  if (winograd)
    return kernel::Algorithm::Winograd;
  return options.fastMatmul ? kernel::Algorithm::Strassen
                            : kernel::Algorithm::Plain;
}

kernel::TargetAttr vitc::targetAttribute(mlir::MLIRContext *context,
                                         const Target &target,
                                         const CompileOptions &options) {
  llvm::SmallVector<kernel::LevelAttr> levels;
  for (const Level &level : target.levels)
    if (target.kernelsFor(level, ElementType::F32).name == level.name)
      levels.push_back(kernel::LevelAttr::get(
          context, llvm::StringRef(level.name), algorithmOf(level, options)));
  return kernel::TargetAttr::get(context, target.panel, levels);
}
