// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Facts.h"

#include "terminal/Text.h"

#include "vitc/Dialect/ViT/IR/Flops.h"
#include "vitc/Dialect/ViT/IR/ViT.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"

#include <map>

using namespace vitc;
using namespace vitc::tool;
using llvm::StringRef;

static llvm::ArrayRef<int64_t> shapeOf(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType()).getShape();
}

static mlir::func::FuncOp forwardOf(mlir::ModuleOp module) {
  return module.lookupSymbol<mlir::func::FuncOp>(vit::forwardName);
}

ModelFacts vitc::tool::factsOf(mlir::ModuleOp module) {
  ModelFacts facts;
  mlir::func::FuncOp forward = forwardOf(module);
  llvm::ArrayRef<int64_t> image = shapeOf(forward.getArgument(0));
  facts.channels = image[1];
  facts.image = {image[2], image[3]};
  forward.walk([&](vit::PatchEmbedOp op) {
    llvm::ArrayRef<int64_t> weight = shapeOf(op.getWeight());
    facts.width = weight.front();
    facts.patch = {weight[weight.size() - 2], weight.back()};
  });
  forward.walk([&](vit::AttentionOp op) {
    if (facts.depth++ == 0)
      facts.heads = op.getHeads();
  });
  facts.parameters = countParameters(module);
  facts.flops = vit::countFlops(module);
  return facts;
}

//===----------------------------------------------------------------------===//
// A folder
//===----------------------------------------------------------------------===//

/// Names that models of any family give their outputs.
static constexpr llvm::StringLiteral outputNames[] = {
    "logits",       "probabilities",     "cls_logits",    "distillation_logits",
    "image_embeds", "pooler_output",     "embedding",     "pre_logits",
    "features",     "last_hidden_state", "hidden_states", "attentions"};

static std::string describeProcessor(const ImageProcessor &processor) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (processor.resize == ImageProcessor::Resize::Exact)
    os << "resize to " << processor.resizeHeight << " x "
       << processor.resizeWidth << ", ";
  if (processor.resize == ImageProcessor::Resize::ShortestEdge)
    os << "resize the shorter edge to " << processor.resizeHeight << ", ";
  if (processor.resize == ImageProcessor::Resize::Cover)
    os << "resize to cover " << processor.resizeHeight << " x "
       << processor.resizeWidth << ", ";
  if (processor.centerCrop)
    os << "crop the centre to " << processor.cropHeight << " x "
       << processor.cropWidth << ", ";
  os << "times " << formatShort(processor.rescale);
  auto list = [&](StringRef what, llvm::ArrayRef<double> values) {
    os << ", " << what << " ";
    llvm::interleave(
        values, os, [&](double value) { os << formatShort(value); }, " ");
  };
  if (processor.reversesChannels)
    os << ", channels reversed";
  if (!processor.mean.empty()) {
    list("mean", processor.mean);
    list("std", processor.std);
  }
  return text;
}

static std::string describeWeights(const Checkpoint &checkpoint) {
  std::map<std::string, int64_t> types;
  for (const TensorInfo &tensor : checkpoint.tensors())
    types[storedTypeName(tensor.type).str()] += 1;
  std::vector<std::string> parts;
  for (const auto &[type, count] : types)
    parts.push_back(std::to_string(count) + " " + type);
  return checkpoint.describe() + ": " + llvm::join(parts, ", ") + " tensors";
}

static void addRemarks(FolderFacts &facts, const ModelSource &source,
                       const ImportedModel &model) {
  llvm::append_range(facts.remarks, model.warnings);
  if (source.processorPath.empty())
    facts.remarks.push_back("no preprocessor_config.json: images get the "
                            "default preprocessing above");
  auto [height, width] = facts.model.image;
  auto [patchHeight, patchWidth] = facts.model.patch;
  if (patchHeight && (height % patchHeight || width % patchWidth))
    facts.remarks.push_back(
        "images are not a whole number of patches; the rest at the right "
        "and bottom is not seen");
  if (!facts.unusedTensors.empty())
    facts.remarks.push_back(
        std::to_string(facts.unusedTensors.size()) +
        " tensors of the checkpoint are not read, the first is " +
        terminalText(facts.unusedTensors.front()));
}

/// The outputs that the model accepts, and which tensors they need in all.
static void probeOutputs(mlir::MLIRContext *context, ModelSource &source,
                         StringRef mainOutput, FolderFacts &facts,
                         llvm::StringSet<> &used) {
  for (StringRef name : outputNames) {
    ImportOptions options;
    options.outputs = {name.str()};
    // Random weights are made for the outputs of one import.
    if (source.seed)
      source.checkpoint.reset();
    auto model = importModel(context, source, options);
    if (!model) {
      // The model was imported before, so the fault is in the name alone.
      llvm::consumeError(model.takeError());
      continue;
    }
    mlir::Type type = forwardOf(*model->module).getResultTypes().front();
    facts.outputs.push_back(
        {name.str(), mlir::cast<mlir::RankedTensorType>(type).getShape().vec(),
         name == mainOutput});
    for (auto parameter : model->module->getOps<vit::ParameterOp>())
      used.insert(parameter.getSymName());
  }
}

llvm::Expected<FolderFacts> vitc::tool::lookInto(mlir::MLIRContext *context,
                                                 StringRef model,
                                                 StringRef modelsFolder) {
  // A preset has no weights; any seed shows its structure.
  std::optional<uint64_t> seed;
  if (!llvm::sys::fs::is_directory(model))
    seed = 0;
  auto source = openModel(model, "", seed, modelsFolder);
  if (!source)
    return source.takeError();
  auto imported = importModel(context, *source, ImportOptions());
  if (!imported)
    return imported.takeError();

  FolderFacts facts;
  facts.model = factsOf(*imported->module);
  facts.model.name = source->name;
  const JsonObject &config = *source->config;
  if (auto type = config.getString("model_type", ""))
    facts.modelType = *type;
  else
    return type.takeError();
  if (config.has("architectures")) {
    auto classes = config.getStrings("architectures");
    if (!classes)
      return classes.takeError();
    facts.architectures = std::move(*classes);
  }
  if (facts.modelType.empty()) {
    auto name = config.getString("architecture");
    if (!name)
      return name.takeError();
    facts.modelType = "timm";
    facts.architectures = {*name};
  }
  facts.labels = int64_t(imported->labels.size());
  facts.preprocessing = describeProcessor(imported->processor);

  std::string mainOutput;
  if (auto name =
          forwardOf(*imported->module)
              .getResultAttrOfType<mlir::StringAttr>(0, vit::outputAttrName))
    mainOutput = name.str();
  llvm::StringSet<> used;
  probeOutputs(context, *source, mainOutput, facts, used);
  if (!source->seed) {
    facts.weights = describeWeights(*source->checkpoint);
    for (const TensorInfo &tensor : source->checkpoint->tensors())
      if (!used.contains(tensor.name))
        facts.unusedTensors.push_back(tensor.name);
  }
  addRemarks(facts, *source, *imported);
  return facts;
}
