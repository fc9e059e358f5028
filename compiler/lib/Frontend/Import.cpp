// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Frontend/Import.h"

#include "Families.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace vitc;

namespace {

using Importer = FamilyResult (*)(FamilyImport &);

struct Family {
  llvm::StringLiteral modelType;
  Importer import;
};

} // namespace

static constexpr Family families[] = {
#define VITC_MODEL_FAMILY(ModelType, Import, Source) {ModelType, Import},
#include "Families.def"
};

static llvm::Expected<Importer> findImporter(const JsonObject &config) {
  std::vector<StringRef> known;
  for (const Family &family : families)
    known.push_back(family.modelType);
  std::string list = llvm::join(known, ", ");
  if (!config.has("model_type")) {
    if (config.has("architecture"))
      return importTimm;
    return config.error("", "no model_type; known are " + list +
                                "; a model of timm has architecture instead");
  }
  llvm::Expected<std::string> type = config.getString("model_type");
  if (!type)
    return type.takeError();
  for (const Family &family : families)
    if (family.modelType == *type)
      return family.import;
  return config.error("model_type", "unknown model_type " + inQuotes(*type) +
                                        "; known are " + list);
}

/// The tensors that the module reads, for random weights.
static std::vector<TensorInfo> declaredTensors(ModuleOp module) {
  std::vector<TensorInfo> tensors;
  for (auto parameter : module.getOps<vit::ParameterOp>())
    if (!parameter.isDerived())
      tensors.push_back({parameter.getSymName().str(), StoredType::F32,
                         parameter.getTensorType().getShape().vec(),
                         "random weights"});
  return tensors;
}

/// NaN and infinite weights poison every output; that is the checkpoint's
/// fault, but the user should hear of it.
static void warnOfNonFinite(ModuleOp module, const Checkpoint &checkpoint,
                            std::vector<std::string> &warnings) {
  int64_t total = 0;
  std::string first;
  for (auto parameter : module.getOps<vit::ParameterOp>())
    if (const TensorInfo *tensor = checkpoint.find(parameter.getSymName()))
      if (int64_t count = countNonFinite(checkpoint, *tensor)) {
        total += count;
        if (first.empty())
          first = tensor->place + ": tensor " + tensor->name;
      }
  if (total)
    warnings.push_back(first + " is the first of those that hold " +
                       std::to_string(total) +
                       " NaN or infinite values in all; outputs that depend on "
                       "them will be NaN");
}

static llvm::Expected<ImageProcessor>
readProcessor(const ModelSource &source, const FamilyImport &import,
              std::vector<std::string> &warnings) {
  if (source.processorPath.empty() && !import.processor)
    return ImageProcessor::makeDefault(import.channels, import.height,
                                       import.width);
  llvm::Expected<ImageProcessor> processor =
      source.processorPath.empty()
          ? *import.processor
          : readImageProcessor(source.processorPath, import.channels);
  if (!processor)
    return processor.takeError();
  ImageProcessor adapted = *processor;
  adapted.retarget(import.height, import.width);
  bool same = adapted.resizeHeight == processor->resizeHeight &&
              adapted.resizeWidth == processor->resizeWidth &&
              adapted.cropHeight == processor->cropHeight &&
              adapted.cropWidth == processor->cropWidth;
  if (!same && !import.options.imageSize)
    warnings.push_back(
        (source.processorPath.empty() ? import.config.getFile().path
                                      : source.processorPath) +
        " makes images of another size than the model takes; using " +
        std::to_string(import.height) + " x " + std::to_string(import.width));
  return adapted;
}

llvm::Expected<ImportedModel> vitc::importModel(MLIRContext *context,
                                                ModelSource &source,
                                                const ImportOptions &options) {
  llvm::Expected<Importer> importer = findImporter(*source.config);
  if (!importer)
    return importer.takeError();
  FamilyImport import{context, *source.config, source.checkpoint.get(), options,
                      source.processorPath};
  llvm::Expected<OwningOpRef<ModuleOp>> module = (*importer)(import);
  if (!module)
    return module.takeError();
  // A family that forgot to ask its reader for errors made a wrong model.
  if (const auto &unchecked = source.config->getFile().unchecked)
    return llvm::createStringError(
        source.config->getFile().path +
        ": the config was not checked: " + *unchecked);

  ImportedModel model;
  model.module = std::move(*module);
  model.labels = std::move(import.labels);
  llvm::Expected<ImageProcessor> processor =
      readProcessor(source, import, model.warnings);
  if (!processor)
    return processor.takeError();
  model.processor = std::move(*processor);
  if (source.checkpoint)
    warnOfNonFinite(*model.module, *source.checkpoint, model.warnings);
  else
    source.checkpoint =
        makeRandomCheckpoint(declaredTensors(*model.module), *source.seed);
  return model;
}

int64_t vitc::countParameters(ModuleOp module) {
  int64_t count = 0;
  for (auto parameter : module.getOps<vit::ParameterOp>())
    if (!parameter.isDerived())
      count += parameter.getTensorType().getNumElements();
  return count;
}
