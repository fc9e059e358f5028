// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KernelRequests.h"

#include "TargetAttribute.h"

#include "vitc/Backend/Registry.h"
#include "vitc/Support/FamilyJson.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace vitc;

bool vitc::usesTensorCores(kernel::SpecOp spec) {
  auto gemm = dyn_cast<kernel::GemmSpecAttr>(spec.getConfig());
  return gemm && gemm.getSpec().multiply == families::FactorType::F16;
}

std::vector<KernelRequest>
vitc::kernelRequests(ModuleOp module, const CompileOptions &options,
                     const Target &target, const LibraryDescription &library) {
  std::vector<KernelRequest> requests;
  for (const Level &level : target.levels) {
    if (!llvm::is_contained(kernelLevels(library), level.name))
      continue;
    llvm::StringSet<> called;
    module->walk([&](kernel::CallOp call) {
      if (kernel::runsAt(call, level.name))
        called.insert(call.getSpec());
    });
    for (auto spec : module.getOps<kernel::SpecOp>()) {
      if (!called.contains(spec.getSymName()))
        continue;
      std::string name =
          spec.getSymName().str() + kernelSuffix(library, level.name);
      StringRef backend = options.backend;
      if (backend == everyBackend)
        backend = defaultBackend;
      if (usesTensorCores(spec))
        backend = tvmBackend;
      requests.push_back({name, kernelTargetFor(level, options),
                          spec.getConfig().getFamily().str(),
                          toJson(spec.getConfig().getFields()),
                          /*schedule=*/{}, backend.str(),
                          spec.getSymName().str()});
    }
  }
  return requests;
}
