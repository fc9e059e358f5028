// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The dialects and passes of vitc on files of IR: what the lit tests run.
#include "vitc/Pipelines/Pipelines.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  vitc::registerDialects(registry);
  vitc::registerPasses();
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  mlir::registerSymbolDCEPass();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "vitc's optimiser driver\n", registry));
}
