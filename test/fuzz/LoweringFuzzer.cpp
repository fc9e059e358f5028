// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Configs of every family, from JSON to planned kernel calls (ImportInput.h).
/// What the import lets through, the passes have to be able to lower.
#include "ImportInput.h"

#include "vitc/Pipelines/Pipelines.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"

using namespace vitc;
using namespace vitc::fuzz;

/// Every pass takes time for each operation, and 16 bytes of a config make ten
/// thousand of them where weights are random; a checkpoint would have to hold
/// them all. What is not lowered here has five times as many as ViT-Huge.
static constexpr int64_t mostOperations = 4096;

static bool isTooLong(mlir::ModuleOp module) {
  int64_t operations = 0;
  auto count = [&](mlir::Operation *) {
    return ++operations > mostOperations ? mlir::WalkResult::interrupt()
                                         : mlir::WalkResult::advance();
  };
  return module->walk(count).wasInterrupted();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  bool isInput;
  mlir::MLIRContext &context = importContext();
  auto model = importInput(textOf(data, size), context, isInput);
  if (!model)
    return isInput ? 0 : -1;
  if (isTooLong(*model->module))
    return 0;
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
