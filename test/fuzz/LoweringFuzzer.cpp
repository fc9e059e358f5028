// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Configs of every family, from JSON to planned kernel calls (ImportInput.h).
/// What the import lets through, the passes have to be able to lower.
#include "ImportInput.h"

#include "vitc/Pipelines/Pipelines.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"

using namespace vitc;
using namespace vitc::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  bool isInput;
  mlir::MLIRContext &context = importContext();
  auto model = importInput(textOf(data, size), context, isInput);
  if (!model)
    return isInput ? 0 : -1;
  std::string complaint;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &said) {
    complaint += said.str() + "\n";
  });
  mlir::PassManager manager(&context);
  for (const Stage &stage : stages())
    stage.populate(manager, PipelineOptions());
  if (mlir::failed(manager.run(*model->module)))
    fault("an imported model is not lowered: " + complaint);
  return 0;
}
