// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// `vitc models`: the known models, or one folder in detail.
#include "Commands.h"
#include "model/Facts.h"
#include "terminal/Options.h"
#include "terminal/Text.h"

#include "vitc/Driver/Compile.h"
#include "vitc/Pipelines/Pipelines.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace vitc;
using namespace vitc::tool;
using llvm::StringRef;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace {

/// One line of the list.
struct KnownModel {
  ModelFacts facts;
  std::string folder; ///< of a trained model; empty for a bare architecture
};

/// A name of timm's.
struct KnownArchitecture {
  std::string name, className;
  std::optional<ModelFacts> facts; ///< of those that can be compiled
};

} // namespace

/// Only the structure is looked at: any seed will do, and no weights are read.
static llvm::Expected<ModelFacts> factsOfModel(mlir::MLIRContext *context,
                                               StringRef model,
                                               StringRef modelsFolder) {
  auto source = openModel(model, "", /*seed=*/0, modelsFolder);
  if (!source)
    return source.takeError();
  auto imported = importModel(context, *source, ImportOptions());
  if (!imported)
    return imported.takeError();
  return factsOf(*imported->module);
}

/// Presets by name, then trained models by folder.
static llvm::Expected<std::vector<KnownModel>>
listModels(mlir::MLIRContext *context, StringRef modelsFolder) {
  std::vector<std::pair<std::string, std::string>> found; // name, folder
  std::error_code code;
  for (fs::directory_iterator it(modelsFolder, code), end; it != end && !code;
       it.increment(code)) {
    StringRef file = it->path();
    llvm::SmallString<256> config(file);
    path::append(config, "config.json");
    if (path::extension(file) == ".json")
      found.push_back({path::stem(file).str(), ""});
    else if (fs::exists(config))
      found.push_back({path::filename(file).str(), file.str()});
  }
  if (code)
    return userError(modelsFolder, code.message());
  llvm::sort(found, [](const auto &a, const auto &b) {
    return std::pair(!a.second.empty(), a.first) <
           std::pair(!b.second.empty(), b.first);
  });

  std::vector<KnownModel> models;
  for (const auto &[name, folder] : found) {
    auto facts =
        factsOfModel(context, folder.empty() ? name : folder, modelsFolder);
    if (!facts)
      return facts.takeError();
    models.push_back({std::move(*facts), folder});
    models.back().facts.name = name;
  }
  llvm::stable_sort(models, [](const KnownModel &a, const KnownModel &b) {
    return std::pair(!a.folder.empty(), a.facts.width) <
           std::pair(!b.folder.empty(), b.facts.width);
  });
  return models;
}

/// 224, or 224x160.
static std::string formatSize(std::pair<int64_t, int64_t> size) {
  std::string height = std::to_string(size.first);
  return size.first == size.second ? height
                                   : height + "x" + std::to_string(size.second);
}

//===----------------------------------------------------------------------===//
// The list
//===----------------------------------------------------------------------===//

static void printList(llvm::ArrayRef<KnownModel> models) {
  using Align = Table::Align;
  Table table({{"name", Align::Left},
               {"image", Align::Right},
               {"patch", Align::Right},
               {"width", Align::Right},
               {"depth", Align::Right},
               {"heads", Align::Right},
               {"parameters", Align::Right},
               {"GFLOP", Align::Right},
               {"weights", Align::Left}});
  for (const KnownModel &model : models) {
    const ModelFacts &facts = model.facts;
    table.add({facts.name, formatSize(facts.image), formatSize(facts.patch),
               std::to_string(facts.width), std::to_string(facts.depth),
               std::to_string(facts.heads), formatCount(facts.parameters),
               formatFixed(facts.flops / 1e9, 2),
               model.folder.empty() ? "" : "trained: " + model.folder});
  }
  table.print(out());
  out() << "\nA name without weights compiles with --random-weights SEED, for "
           "benchmarks:\n"
           "  vitc compile vit-tiny-patch16-224 --random-weights 1 -o out\n"
           "A folder with config.json and weights compiles as it is; `vitc "
           "models FOLDER` describes it.\n";
}

static void writeFacts(llvm::json::OStream &json, const ModelFacts &facts) {
  jsonText(json, "name", facts.name);
  json.attribute("channels", facts.channels);
  jsonShape(json, "image", {facts.image.first, facts.image.second});
  jsonShape(json, "patch", {facts.patch.first, facts.patch.second});
  json.attribute("width", facts.width);
  json.attribute("depth", facts.depth);
  json.attribute("heads", facts.heads);
  json.attribute("parameters", facts.parameters);
  jsonNumber(json, "flops", facts.flops);
}

static void printListJson(llvm::ArrayRef<KnownModel> models) {
  llvm::json::OStream json(llvm::outs(), /*IndentSize=*/2);
  json.object([&] {
    json.attributeArray("models", [&] {
      for (const KnownModel &model : models)
        json.object([&] {
          writeFacts(json, model.facts);
          if (model.folder.empty())
            json.attribute("folder", nullptr);
          else
            jsonText(json, "folder", model.folder);
        });
    });
  });
  llvm::outs() << "\n";
}

/// timm's names, for configs with `architecture`. One that vitc knows of but
/// cannot compile is listed without its size.
static std::vector<KnownArchitecture>
listArchitectures(mlir::MLIRContext *context, StringRef modelsFolder) {
  std::vector<KnownArchitecture> list;
  for (auto &[name, className] : listTimmArchitectures()) {
    list.push_back({name, className, std::nullopt});
    if (auto facts = factsOfModel(context, name, modelsFolder))
      list.back().facts = std::move(*facts);
    else
      llvm::consumeError(facts.takeError());
  }
  return list;
}

static void printArchitectures(llvm::ArrayRef<KnownArchitecture> list) {
  using Align = Table::Align;
  Table table({{"name", Align::Left},
               {"class", Align::Left},
               {"image", Align::Right},
               {"parameters", Align::Right},
               {"GFLOP", Align::Right}});
  for (const auto &[name, className, facts] : list)
    table.add({name, className, facts ? formatSize(facts->image) : "",
               facts ? formatCount(double(facts->parameters)) : "not supported",
               facts ? formatFixed(facts->flops / 1e9, 2) : ""});
  table.print(out());
}

static void printArchitecturesJson(llvm::ArrayRef<KnownArchitecture> list) {
  llvm::json::OStream json(llvm::outs(), /*IndentSize=*/2);
  json.object([&] {
    json.attributeArray("architectures", [&] {
      for (const auto &architecture : list)
        json.object([&] {
          json.attribute("name", architecture.name);
          json.attribute("class", architecture.className);
          json.attribute("supported", architecture.facts.has_value());
          if (const std::optional<ModelFacts> &facts = architecture.facts) {
            jsonShape(json, "image", {facts->image.first, facts->image.second});
            json.attribute("parameters", facts->parameters);
            jsonNumber(json, "flops", facts->flops);
          }
        });
    });
  });
  llvm::outs() << "\n";
}

//===----------------------------------------------------------------------===//
// One folder
//===----------------------------------------------------------------------===//

static void printFolder(const FolderFacts &facts) {
  llvm::raw_ostream &os = out();
  const ModelFacts &model = facts.model;
  constexpr unsigned column = 17;
  auto line = [&](StringRef head, const std::string &text) {
    if (text.empty())
      return;
    os << "  " << llvm::left_justify(head, column - 2);
    printWrapped(os, terminalText(text), column, column);
  };
  os << terminalText(model.name) << "\n";
  line("family", facts.modelType + (facts.architectures.empty() ? "" : ", ") +
                     llvm::join(facts.architectures, ", "));
  line("images", formatSize(model.image) + " with " +
                     std::to_string(model.channels) + " channel" +
                     (model.channels == 1 ? "" : "s") + ", patches of " +
                     formatSize(model.patch));
  line("encoder", std::to_string(model.depth) + " blocks of width " +
                      std::to_string(model.width) + " with " +
                      std::to_string(model.heads) + " heads");
  line("size", formatCount(double(model.parameters)) + " parameters, " +
                   formatFixed(model.flops / 1e9, 2) + " GFLOP an image");
  line("weights", facts.weights);
  line("classes", facts.labels ? std::to_string(facts.labels) : "");
  line("preprocessing", facts.preprocessing);
  os << "  outputs (--output NAME)\n";
  for (const OutputFacts &output : facts.outputs)
    os << "    " << llvm::left_justify(output.name, 20)
       << formatShape(output.shape) << (output.isMain ? "  (default)" : "")
       << "\n";
  for (const std::string &remark : facts.remarks)
    line("note", remark);
}

static void printFolderJson(const FolderFacts &facts) {
  llvm::json::OStream json(llvm::outs(), /*IndentSize=*/2);
  auto texts = [&](StringRef key, llvm::ArrayRef<std::string> values) {
    json.attributeArray(key, [&] {
      for (const std::string &value : values)
        json.value(utf8Text(value));
    });
  };
  json.object([&] {
    writeFacts(json, facts.model);
    jsonText(json, "model_type", facts.modelType);
    texts("architectures", facts.architectures);
    json.attribute("labels", facts.labels);
    jsonText(json, "weights", facts.weights);
    jsonText(json, "preprocessing", facts.preprocessing);
    json.attributeArray("outputs", [&] {
      for (const OutputFacts &output : facts.outputs)
        json.object([&] {
          json.attribute("name", output.name);
          jsonShape(json, "shape", output.shape);
          json.attribute("default", output.isMain);
        });
    });
    texts("unused_tensors", facts.unusedTensors);
    texts("notes", facts.remarks);
  });
  llvm::outs() << "\n";
}

//===----------------------------------------------------------------------===//
// The command
//===----------------------------------------------------------------------===//

llvm::Error vitc::tool::modelsCommand(const Invocation &invocation) {
  std::string model;
  bool asJson = false, architectures = false;
  Options options("models", "[MODEL] [options]",
                  "Lists the models that vitc knows by name, with their sizes. "
                  "With a folder or a name: what it is, which outputs it can "
                  "give, and anything unusual about it.");
  options.argument("MODEL", model, "a model's folder, or a name from the list",
                   /*required=*/false);
  options.flag(
      "architectures", architectures,
      "list the architectures of timm that configs may name, with their "
      "sizes");
  options.flag("json", asJson, "print JSON (docs/CommandLine.md)");
  options.example("vitc models", "what is known");
  options.example("vitc models vit-base-patch16-224/",
                  "what a downloaded folder holds");
  auto parsed = options.parse(invocation.arguments);
  if (!parsed || !*parsed)
    return parsed.takeError();
  if (architectures && !model.empty())
    return userError("--architectures lists all of them, without a MODEL");
  auto installation = Installation::find(invocation.program);
  if (!installation)
    return installation.takeError();

  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  if (architectures) {
    auto list = listArchitectures(&context, installation->modelsFolder);
    if (asJson)
      printArchitecturesJson(list);
    else
      printArchitectures(list);
    return llvm::Error::success();
  }
  if (!model.empty()) {
    auto facts = lookInto(&context, model, installation->modelsFolder);
    if (!facts)
      return facts.takeError();
    if (asJson)
      printFolderJson(*facts);
    else
      printFolder(*facts);
    return llvm::Error::success();
  }
  auto models = listModels(&context, installation->modelsFolder);
  if (!models)
    return models.takeError();
  if (asJson)
    printListJson(*models);
  else
    printList(*models);
  return llvm::Error::success();
}
