// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Report.h"

#include "DeviceCode.h"
#include "KernelRequests.h"

#include "vitc/Dialect/Kernel/IR/Kernel.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace vitc;

void vitc::reportOutputs(CompileReport &report,
                         const LibraryDescription &library) {
  for (const OutputDescription &output : library.outputs) {
    std::string shape;
    llvm::raw_string_ostream os(shape);
    llvm::interleaveComma(output.shape, os);
    report.outputs.push_back(output.name + " [" + shape + "]");
  }
}

void vitc::reportKernels(CompileReport &report, const KernelSet &set,
                         ModuleOp module, const Target &target) {
  report.kernels = set.kernels.size();
  report.cachedKernels = llvm::count_if(
      set.kernels, [](const CompiledKernel &kernel) { return kernel.cached; });
  report.tunedKernels = llvm::count_if(
      set.records, [](const tune::Record *record) { return record; });
  report.tensorCoreKernels =
      llvm::count_if(module.getOps<kernel::SpecOp>(), usesTensorCores);
  if (target.device.empty())
    return;
  DeviceCodeSummary device = summariseDeviceCode(set.kernels, target);
  report.deviceCode = device.text;
  llvm::append_range(report.warnings, device.warnings);
}

/// What Strassen's operands add to the weights file: seven combinations of
/// quarters are where four quarters would be, or beside them, where other
/// levels need those.
static int64_t strassenExtraBytes(ModuleOp module) {
  llvm::StringSet<> inPanels;
  for (auto constant : module.getOps<kernel::ConstantOp>())
    if (isa<kernel::PanelsAttr>(constant.getLayout()))
      inPanels.insert(constant.getParameter());
  int64_t bytes = 0;
  for (auto constant : module.getOps<kernel::ConstantOp>()) {
    if (!isa<kernel::StrassenAttr>(constant.getLayout()))
      continue;
    int64_t all = kernel::reservedBytes(constant.getBufferType()),
            quarters = all / families::strassenProducts * 4;
    bytes += inPanels.contains(constant.getParameter()) ? all : all - quarters;
  }
  return bytes;
}

void vitc::reportLibrary(CompileReport &report, ModuleOp module,
                         const LibraryDescription &library) {
  report.workspaceBytes = library.workspaceBytes;
  report.weightsBytes = library.weightsBytes;
  report.strassenBytes = strassenExtraBytes(module);
  report.winogradProducts = llvm::any_of(
      module.getOps<kernel::ConstantOp>(), [](kernel::ConstantOp op) {
        return isa<kernel::WinogradSumsAttr>(op.getLayout());
      });
}
