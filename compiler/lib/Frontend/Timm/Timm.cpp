// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// timm's `config.json`: `architecture` names a row of the table, `model_args`
/// overrides its arguments, `pretrained_cfg` gives the sizes of image and
/// classifier and the preprocessing.
///
/// A model whose name the table lacks can be described by hand: `timm_class`
/// says which class it is, and `model_args` has all arguments.
#include "Timm.h"

#include "Families.h"

#include "llvm/ADT/StringExtras.h"

using namespace vitc;
using llvm::StringRef;
using llvm::Twine;

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

static constexpr char tableText[] =
#include "Architectures.inc"
    ;

namespace {
struct TimmClass {
  llvm::StringLiteral name;
  FamilyResult (*import)(TimmImport &);
};
} // namespace

static constexpr TimmClass classes[] = {
    {"Beit", importTimmBeit},
    {"Eva", importTimmEva},
    {"MaxxVit", importTimmCoAtNet},
    {"SwinTransformer", importTimmSwin},
    {"SwinTransformerV2", importTimmSwin},
    {"SwinTransformerV2Cr", importTimmSwin},
    {"VisionTransformer", importTimmVisionTransformer},
    {"VisionTransformerDistilled", importTimmVisionTransformer},
    {"VisionTransformerRelPos", importTimmRelPos},
};

/// Read once: it is a hundred times as long as a config.
static JsonObject readTable() {
  static const JsonObject table =
      llvm::cantFail(parseJson("timm's architectures", tableText));
  return table;
}

static std::vector<std::string> knownNames(const JsonObject &table) {
  std::vector<std::string> names = table.keys();
  llvm::erase(names, "");
  llvm::sort(names);
  return names;
}

std::vector<std::pair<std::string, std::string>> vitc::listTimmArchitectures() {
  JsonObject table = readTable();
  std::vector<std::pair<std::string, std::string>> list;
  for (const std::string &name : knownNames(table))
    list.push_back(
        {name, llvm::cantFail(
                   llvm::cantFail(table.getObject(name)).getString("class"))});
  return list;
}

/// The three names that are spelled most alike.
static std::string nearNames(StringRef name, const JsonObject &table) {
  std::vector<std::pair<unsigned, std::string>> ranked;
  for (const std::string &known : knownNames(table))
    ranked.push_back({name.edit_distance(known), known});
  llvm::sort(ranked);
  ranked.resize(std::min<size_t>(ranked.size(), 3));
  std::vector<std::string> names;
  for (auto &entry : ranked)
    names.push_back(entry.second);
  return llvm::join(names, ", ");
}

llvm::Expected<TimmArchitecture>
vitc::findTimmArchitecture(const JsonObject &config) {
  llvm::Expected<std::string> architecture = config.getString("architecture");
  if (!architecture)
    return architecture.takeError();
  // timm's names may carry the tag of their weights: NAME.TAG.
  std::string name = StringRef(*architecture).split('.').first.str();
  JsonObject table = readTable();
  JsonObject common = llvm::cantFail(table.getObject("")),
             none = llvm::cantFail(parseJson("no arguments", "{}"));

  TimmArchitecture result{name, "", none, none};
  std::optional<JsonObject> row;
  if (config.has("timm_class")) {
    llvm::Expected<std::string> className = config.getString("timm_class");
    if (!className)
      return className.takeError();
    result.className = *className;
  } else if (!name.empty() && table.has(name)) { // "" has the defaults
    row = llvm::cantFail(table.getObject(name));
    result.className = llvm::cantFail(row->getString("class"));
    result.arguments = llvm::cantFail(row->getObject("arguments"));
  } else {
    return config.error(
        "architecture",
        "unknown timm architecture " + inQuotes(name) +
            "; the nearest known are " + nearNames(name, table) +
            " (`vitc models --architectures` lists all). Another model "
            "can be described with timm_class and model_args "
            "(docs/families/TimmVisionTransformer.md), or in vitc's own words "
            "(docs/OwnModels.md)");
  }

  if (config.has("pretrained_cfg")) {
    llvm::Expected<JsonObject> pretrained = config.getObject("pretrained_cfg");
    if (!pretrained)
      return pretrained.takeError();
    result.pretrained = *pretrained;
  } else if (config.has("input_size")) {
    // Configs before timm 0.9 have all in one object.
    result.pretrained = config;
  } else {
    llvm::json::Object merged = *common.get("pretrained_cfg")->getAsObject();
    if (row && row->has("pretrained_cfg"))
      for (auto &entry : *row->get("pretrained_cfg")->getAsObject())
        merged[entry.first] = entry.second;
    result.pretrained =
        asObject(name + " in timm's architectures", std::move(merged));
  }
  return result;
}

//===----------------------------------------------------------------------===//
// The import
//===----------------------------------------------------------------------===//

/// Names of the classes: `label_descriptions` of `label_names`, where the
/// config has them.
static llvm::Expected<std::vector<std::string>>
readTimmLabels(const JsonObject &config, const TimmArchitecture &architecture) {
  for (const JsonObject *object : {&config, &architecture.pretrained}) {
    StringRef key = object->has("label_names") ? "label_names" : "labels";
    if (!object->has(key) || !object->get(key)->getAsArray())
      continue;
    llvm::Expected<std::vector<std::string>> names = object->getStrings(key);
    if (!names || !object->has("label_descriptions"))
      return names;
    llvm::Expected<JsonObject> descriptions =
        object->getObject("label_descriptions");
    if (!descriptions)
      return descriptions.takeError();
    for (std::string &name : *names) {
      llvm::Expected<std::string> text = descriptions->getString(name, name);
      if (!text)
        return text.takeError();
      name = *text;
    }
    return names;
  }
  return std::vector<std::string>();
}

FamilyResult vitc::importTimm(FamilyImport &family) {
  llvm::Expected<TimmArchitecture> architecture =
      findTimmArchitecture(family.config);
  if (!architecture)
    return architecture.takeError();
  const TimmClass *found = llvm::find_if(classes, [&](const TimmClass &entry) {
    return entry.name == architecture->className;
  });
  if (found == std::end(classes)) {
    std::vector<StringRef> names;
    for (const TimmClass &entry : classes)
      names.push_back(entry.name);
    return family.config.error(
        "timm_class", "timm's class " + inQuotes(architecture->className) +
                          " is not supported; supported are " +
                          llvm::join(names, ", "));
  }
  TimmImport import{family, TimmArguments(family.config, *architecture),
                    *architecture};
  std::vector<std::string> labels =
      import.arguments.take(readTimmLabels(family.config, *architecture));
  int64_t count = import.arguments.classes();
  if (int64_t(labels.size()) != count)
    labels.assign(count, "");
  family.labels = std::move(labels);
  FamilyResult module = found->import(import);
  if (!module || !family.processorPath.empty())
    return module;
  llvm::Expected<ImageProcessor> processor =
      readImageProcessor(architecture->pretrained, family.channels);
  if (!processor)
    return processor.takeError();
  family.processor = std::move(*processor);
  return module;
}
