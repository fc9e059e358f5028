// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KernelRequests.h"

#include "vitc/Backend/Registry.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace vitc;

static llvm::json::Value toJson(Attribute attribute) {
  if (auto value = dyn_cast<BoolAttr>(attribute))
    return value.getValue();
  if (auto value = dyn_cast<IntegerAttr>(attribute))
    return value.getInt();
  if (auto value = dyn_cast<FloatAttr>(attribute))
    return value.getValueAsDouble();
  if (auto value = dyn_cast<StringAttr>(attribute))
    return value.getValue().str(); // a request outlives the model
  return llvm::json::Array(cast<DenseI64ArrayAttr>(attribute).asArrayRef());
}

bool vitc::usesTensorCores(kernel::SpecOp spec) {
  return spec.getConfig().contains("tensor_cores");
}

std::vector<KernelRequest>
vitc::kernelRequests(ModuleOp module, const CompileOptions &options,
                     const Target &target, const LibraryDescription &library) {
  std::vector<KernelRequest> requests;
  for (const Level &level : target.levels) {
    if (!llvm::is_contained(kernelLevels(library), level.name))
      continue;
    for (auto spec : module.getOps<kernel::SpecOp>()) {
      std::string name =
          spec.getSymName().str() + kernelSuffix(library, level.name);
      llvm::json::Object config;
      for (NamedAttribute field : spec.getConfig())
        config[field.getName().str()] = toJson(field.getValue());
      StringRef backend = options.backend;
      if (backend == everyBackend)
        backend = defaultBackend;
      if (usesTensorCores(spec))
        backend = tvmBackend;
      requests.push_back({name,
                          kernelTarget(level, ElementType::F32).str(),
                          spec.getFamily().str(), std::move(config),
                          /*schedule=*/{}, backend.str()});
    }
  }
  return requests;
}
