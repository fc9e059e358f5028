// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Conversion/Passes.h"
#include "vitc/Dialect/Kernel/IR/Kernel.h"
#include "vitc/Dialect/ViT/IR/ViT.h"
#include "vitc/Support/Escape.h"
#include "vitc/Target/Cpp/Library.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/Cpp/CppEmitter.h"

using namespace mlir;
using namespace vitc;

int64_t OutputDescription::elements() const {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

/// Where the call's last output is in the workspace; no rows if it is an output
/// of the model or has another form than rows. A call for several images has a
/// row of each.
static StepDescription describeStep(kernel::CallOp call, kernel::SpecOp spec,
                                    int64_t imageWorkspaceBytes) {
  Value result = call.getOutputs().back();
  auto type = cast<MemRefType>(result.getType());
  StepDescription step = {};
  step.layer = vit::layerName(call.getLoc());
  step.kernel = spec.getSymName().str();
  step.flops = spec.getFlops().convertToDouble();
  step.bytes = spec.getBytes().convertToDouble();
  step.images = call.getImages().value_or(1);
  step.type = &kernel::elementTypeInfo(type.getElementType());
  if (call.getLevels())
    for (StringRef level : call.getLevels()->getAsValueRange<StringAttr>())
      step.levels.push_back(level.str());
  auto alloc = kernel::rootBuffer(result).getDefiningOp<kernel::AllocOp>();
  if (!alloc || type.getRank() != 2)
    return step;
  auto [strides, offset] = type.getStridesAndOffset();
  step.bufferOffset = *alloc.getOffset() + offset * step.type->bytes;
  step.bufferRows = type.getDimSize(0);
  step.bufferColumns = type.getDimSize(1);
  step.bufferStride = strides[0] * step.type->bytes;
  if (step.images > 1) {
    step.bufferRows = step.images;
    step.bufferStride = imageWorkspaceBytes;
  }
  return step;
}

LibraryDescription vitc::describeLibrary(ModuleOp module, int64_t batch,
                                         llvm::ArrayRef<OutputForm> forms) {
  LibraryDescription library = {};
  SymbolTable symbols(module);
  auto function = symbols.lookup<func::FuncOp>(vit::forwardName);
  auto image = cast<MemRefType>(function.getArgument(0).getType()).getShape();
  assert(image[0] == 1 && "a library runs its kernels image by image");
  library.batch = batch;
  library.channels = image[1];
  library.height = image[2];
  library.width = image[3];
  for (unsigned i = 1; i < function.getNumArguments(); ++i) {
    auto type = cast<MemRefType>(function.getArgument(i).getType());
    OutputDescription output;
    output.name =
        function.getArgAttrOfType<StringAttr>(i, vit::outputAttrName).str();
    output.shape = type.getShape().vec();
    output.shape.front() *= batch; // more than 1: windows count as images
    output.type = &kernel::elementTypeInfo(type.getElementType());
    output.form = forms[i - 1];
    library.outputs.push_back(std::move(output));
  }
  auto integer = [](Operation *op, StringRef name) {
    auto attr = op->getAttrOfType<IntegerAttr>(name);
    return attr ? attr.getInt() : 0;
  };
  library.imageWorkspaceBytes =
      integer(function, kernel::workspaceBytesAttrName);
  function.walk([&](kernel::CallOp call) {
    library.steps.push_back(
        describeStep(call, symbols.lookup<kernel::SpecOp>(call.getSpec()),
                     library.imageWorkspaceBytes));
  });
  library.workspaceBytes = batch * library.imageWorkspaceBytes;
  library.pixelsOffset = integer(function, kernel::pixelsOffsetAttrName);
  library.scratchOffset = integer(function, kernel::scratchOffsetAttrName);
  library.scratchBytes = integer(function, kernel::scratchBytesAttrName);
  library.weightsBytes = integer(module, kernel::weightsBytesAttrName);
  return library;
}

int64_t vitc::tailImages(const LibraryDescription &library) {
  int64_t images = 1;
  for (const StepDescription &step : library.steps)
    images = std::max(images, step.images);
  return images;
}

std::vector<std::string> vitc::kernelLevels(const LibraryDescription &library) {
  std::vector<std::string> levels;
  for (const VariantDescription &variant : library.variants)
    if (!llvm::is_contained(levels, variant.kernels))
      levels.push_back(variant.kernels);
  return levels;
}

std::string vitc::kernelSuffix(const LibraryDescription &library,
                               StringRef kernelLevel) {
  return kernelLevels(library).size() > 1 ? ("_" + kernelLevel).str() : "";
}

bool vitc::isCallOf(const StepDescription &step, StringRef kernel,
                    const LibraryDescription &library) {
  return llvm::any_of(kernelLevels(library), [&](const std::string &level) {
    bool runs = step.levels.empty() || llvm::is_contained(step.levels, level);
    return runs && kernel == step.kernel + kernelSuffix(library, level);
  });
}

llvm::Expected<std::string> vitc::emitForward(ModuleOp planned,
                                              const LibraryDescription &library,
                                              StringRef kernelLevel) {
  OwningOpRef<ModuleOp> copy = planned.clone();
  ModuleOp module = *copy;
  PassManager manager(module.getContext());
  manager.addPass(createConvertKernelToEmitCPass(
      {(library.name + "_" + kernelLevel).str(),
       kernelSuffix(library, kernelLevel), kernelLevel.str()}));
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "// " << commentText(library.model) << " for " << kernelLevel
     << ", one kernel call a line. Written by vitc; do not edit.\n";
  if (failed(manager.run(module)) || failed(emitc::translateToCpp(module, os)))
    return llvm::createStringError(
        "the kernel calls could not be written as C++");
  return text;
}
