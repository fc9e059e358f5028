// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TargetAttribute.h"

#include "vitc/Backend/Registry.h"
#include "vitc/Dialect/ViT/Transforms/Precision.h"
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

/// The element types that the products of a precision have.
static llvm::SmallVector<ElementType>
elementTypesOf(const CompileOptions &options) {
  switch (vit::toPrecision(options.precision).value_or(vit::Precision::F32)) {
  case vit::Precision::F32:
    return {ElementType::F32};
  case vit::Precision::Bf16:
    return {ElementType::F32, ElementType::Bf16};
  case vit::Precision::F16:
    return {ElementType::F32, ElementType::F16};
  case vit::Precision::Int8:
    return {ElementType::F32, ElementType::I8};
  }
  llvm_unreachable("unknown precision");
}

const Level &vitc::kernelsFor(const Target &target, const Level &level,
                              const CompileOptions &options) {
  llvm::SmallVector<ElementType> types = elementTypesOf(options);
  for (const Level &other : target.levels)
    if (llvm::all_of(types, [&](ElementType type) {
          return shareKernels(other, level, type);
        }))
      return other;
  return level;
}

std::string vitc::kernelTargetFor(const Level &level,
                                  const CompileOptions &options) {
  llvm::SmallVector<ElementType> types = elementTypesOf(options);
  return types.size() == 1 ? kernelTarget(level, types.front()).str()
                           : std::string(level.kernelTarget);
}

kernel::TargetAttr vitc::targetAttribute(mlir::MLIRContext *context,
                                         const Target &target,
                                         const CompileOptions &options) {
  llvm::SmallVector<kernel::LevelAttr> levels;
  for (const Level &level : target.levels)
    if (kernelsFor(target, level, options).name == level.name)
      levels.push_back(kernel::LevelAttr::get(
          context, llvm::StringRef(level.name), algorithmOf(level, options)));
  return kernel::TargetAttr::get(context, target.panel, levels);
}
