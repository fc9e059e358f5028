// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Runnable.h"

#include "terminal/Text.h"

#include "vitc/Frontend/Import.h"
#include "vitc/Pipelines/Pipelines.h"
#include "vitc/Reference/Interpreter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/STLExtras.h"

using namespace vitc;
using namespace vitc::tool;

Runnable::~Runnable() = default;

int Runnable::findOutput(llvm::StringRef name) const {
  for (auto [index, output] : llvm::enumerate(outputs()))
    if (name == output.name)
      return int(index);
  return -1;
}

namespace {

class CompiledRunnable : public Runnable {
public:
  CompiledRunnable(std::unique_ptr<Library> library,
                   std::unique_ptr<Context> context)
      : library(std::move(library)), context(std::move(context)) {}

  const vitc_model_v2 &getModel() const override { return library->getModel(); }
  llvm::ArrayRef<std::string> labels() const override {
    return library->getManifest().labels;
  }
  bool preprocesses() const override { return true; }
  llvm::Error run(llvm::ArrayRef<vitc_image_v2> images,
                  OutputBuffers &outputs) override {
    return context->run(images, outputs);
  }
  llvm::Error runTensor(llvm::ArrayRef<float> pixels,
                        OutputBuffers &outputs) override {
    return context->runTensor(pixels, outputs);
  }

private:
  std::unique_ptr<Library> library;
  std::unique_ptr<Context> context; ///< of the library: goes first
};

class ReferenceRunnable : public Runnable {
public:
  ReferenceRunnable() {
    mlir::DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    context.disableMultithreading();
  }

  llvm::Error open(const CompileOptions &options,
                   const Installation &installation);

  const vitc_model_v2 &getModel() const override { return table; }
  llvm::ArrayRef<std::string> labels() const override { return model.labels; }
  bool preprocesses() const override { return false; }
  llvm::Error run(llvm::ArrayRef<vitc_image_v2>, OutputBuffers &) override {
    llvm_unreachable("the reference takes tensors only");
  }
  llvm::Error runTensor(llvm::ArrayRef<float> pixels,
                        OutputBuffers &outputs) override;

private:
  /// Sizes and outputs as the module has them.
  void fillTable();

  mlir::MLIRContext context;
  ModelSource source;
  ImportedModel model;
  std::vector<std::string> names;
  std::vector<vitc_output_v2> outputInfos;
  vitc_model_v2 table = {};
};

} // namespace

llvm::Error ReferenceRunnable::open(const CompileOptions &options,
                                    const Installation &installation) {
  auto opened = openModel(options.model, options.configPath, options.seed,
                          installation.modelsFolder);
  if (!opened)
    return opened.takeError();
  source = std::move(*opened);
  auto imported = importModel(
      &context, source, {/*batch=*/1, options.imageSize, options.outputs});
  if (!imported)
    return imported.takeError();
  model = std::move(*imported);
  for (const std::string &warning : model.warnings)
    printWarning(warning);
  fillTable();
  return llvm::Error::success();
}

void ReferenceRunnable::fillTable() {
  auto forward =
      model.module->lookupSymbol<mlir::func::FuncOp>(vit::forwardName);
  auto shapeOf = [](mlir::Type type) {
    return mlir::cast<mlir::RankedTensorType>(type).getShape();
  };
  for (unsigned i = 0; i < forward.getNumResults(); ++i)
    names.push_back(
        forward.getResultAttrOfType<mlir::StringAttr>(i, vit::outputAttrName)
            .str());
  for (auto [name, type] : llvm::zip(names, forward.getResultTypes())) {
    llvm::ArrayRef<int64_t> shape = shapeOf(type);
    vitc_output_v2 info = {};
    info.name = name.c_str();
    info.type = VITC_F32;
    info.rank = int32_t(shape.size());
    llvm::copy(shape, info.shape);
    info.elements = 1;
    for (int64_t extent : shape)
      info.elements *= extent;
    info.bytes = uint64_t(info.elements) * sizeof(float);
    outputInfos.push_back(info);
  }
  llvm::ArrayRef<int64_t> image = shapeOf(forward.getArgument(0).getType());
  table.version = VITC_MODEL_VERSION;
  table.name = source.name.c_str();
  table.target = "reference";
  table.batch = int32_t(image[0]);
  table.channels = int32_t(image[1]);
  table.height = int32_t(image[2]);
  table.width = int32_t(image[3]);
  table.output_count = int32_t(outputInfos.size());
  table.outputs = outputInfos.data();
}

llvm::Error ReferenceRunnable::runTensor(llvm::ArrayRef<float> pixels,
                                         OutputBuffers &outputs) {
  Tensor image({table.batch, table.channels, table.height, table.width});
  llvm::copy(pixels, image.data.begin());
  std::vector<Tensor> results =
      interpret(*model.module, *source.checkpoint, image);
  for (auto [index, result] : llvm::enumerate(results))
    llvm::transform(result.data, outputs[index].begin(),
                    [](double value) { return float(value); });
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<Runnable>>
vitc::tool::openLibrary(llvm::StringRef folder, unsigned threads) {
  auto library = Library::open(folder);
  if (!library)
    return library.takeError();
  auto context = (*library)->createContext(threads);
  if (!context)
    return context.takeError();
  return std::make_unique<CompiledRunnable>(std::move(*library),
                                            std::move(*context));
}

llvm::Expected<std::unique_ptr<Runnable>>
vitc::tool::openReference(const CompileOptions &options,
                          const Installation &installation) {
  auto reference = std::make_unique<ReferenceRunnable>();
  if (llvm::Error error = reference->open(options, installation))
    return error;
  return reference;
}
