// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// timm's `config.json`: `architecture` names a row of the table, `model_args`
/// overrides its arguments, `pretrained_cfg` gives the sizes of picture and
/// classifier and the preprocessing.
///
/// A model whose name the table lacks can be described by hand: `timm_class`
/// says which class it is, and `model_args` has all arguments.
#include "Timm.h"

#include "llvm/ADT/StringExtras.h"

using namespace vitc;
using llvm::StringRef;
using llvm::Twine;

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

static constexpr char tableText[] =
#include "TimmArchitectures.inc"
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

static JsonObject readTable() {
  return llvm::cantFail(parseJson("timm's architectures", tableText));
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

/// Values made here as an object that is read like a file's.
static JsonObject asObject(const Twine &place, llvm::json::Object values) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(values));
  return llvm::cantFail(parseJson(place.str(), std::move(text)));
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
  } else if (table.has(name)) {
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
// Arguments
//===----------------------------------------------------------------------===//

/// What does not change the arithmetic of inference.
static bool isForTraining(StringRef key) {
  return key.ends_with("drop_rate") || key.ends_with("drop_path_rate") ||
         llvm::is_contained({"weight_init", "fix_init", "head_init_scale",
                             "rope_shift_coords", "rope_jitter_coords",
                             "rope_rescale_coords", "device", "dtype",
                             "pretrained_strict", "features_only",
                             "out_indices", "scriptable", "exportable"},
                            key);
}

/// The arguments that timm derives from the pretrained configuration, as an
/// object of their own, so that `{"img_size": [224, 224], …}` reads like the
/// others. Messages about them name the configuration.
static JsonObject derivedArguments(const JsonObject &config,
                                   const TimmArchitecture &architecture) {
  const JsonObject &pretrained = architecture.pretrained;
  llvm::json::Object derived;
  if (const llvm::json::Value *input = pretrained.get("input_size"))
    if (const llvm::json::Array *extents = input->getAsArray();
        extents && extents->size() == 3) {
      derived["in_chans"] = (*extents)[0];
      const llvm::json::Value *fixed = pretrained.get("fixed_input_size");
      if (fixed && fixed->getAsBoolean().value_or(false))
        derived["img_size"] = llvm::json::Array{(*extents)[1], (*extents)[2]};
    }
  const llvm::json::Value *count = config.has("num_classes")
                                       ? config.get("num_classes")
                                       : pretrained.get("num_classes");
  if (count && count->getAsInteger().value_or(-1) >= 0)
    derived["num_classes"] = *count;
  if (const llvm::json::Value *pool = pretrained.get("global_pool");
      pool && pool->getAsString())
    derived["global_pool"] = *pool;
  return asObject(config.getFile().path + ": pretrained_cfg",
                  std::move(derived));
}

TimmArguments::TimmArguments(const JsonObject &config,
                             const TimmArchitecture &architecture) {
  if (config.has("model_args")) {
    llvm::Expected<JsonObject> object = config.getObject("model_args");
    if (object)
      modelArguments = *object;
    else
      firstError = llvm::toString(object.takeError());
  }
  derived = {architecture.arguments, derivedArguments(config, architecture)};
}

const JsonObject *TimmArguments::owner(StringRef key) {
  known.insert(key);
  if (modelArguments && modelArguments->get(key))
    return &*modelArguments;
  for (const JsonObject &object : derived)
    if (object.get(key))
      return &object;
  return nullptr;
}

template <typename T>
T TimmArguments::take(llvm::Expected<T> value) {
  if (value)
    return std::move(*value);
  std::string message = llvm::toString(value.takeError());
  if (firstError.empty())
    firstError = message;
  return T();
}

void TimmArguments::refuse(StringRef key, const Twine &message) {
  const JsonObject *object = owner(key);
  // What the class or the architecture says is right by itself: what stands in
  // the config does not go with it.
  bool isDefault =
      modelArguments && !key.empty() && (!object || object == &derived.front());
  if (isDefault)
    object = &*modelArguments;
  std::string text =
      llvm::toString(object ? object->error(isDefault ? "" : key, message)
                            : userError(message));
  if (firstError.empty()) {
    firstError = text;
    refusesDefault = isDefault;
  }
}

llvm::Error TimmArguments::takeError() {
  // A misspelt argument is the likely reason why a default does not fit.
  if ((firstError.empty() || refusesDefault) && modelArguments)
    for (const std::string &key : modelArguments->keys())
      if (!known.contains(key) && !isForTraining(key)) {
        std::vector<StringRef> names;
        for (auto &entry : known)
          names.push_back(entry.getKey());
        llvm::sort(names);
        StringRef nearest = nearestName(key, names);
        return modelArguments->error(
            key, "model_args has " + inQuotes(key) +
                     ", which this class does not take" +
                     (nearest.empty()
                          ? Twine("")
                          : "; the nearest that it takes is " + nearest));
      }
  return firstError.empty() ? llvm::Error::success() : userError(firstError);
}

bool TimmArguments::isSet(StringRef key) {
  const JsonObject *object = owner(key);
  return object && object->has(key);
}

bool TimmArguments::flag(StringRef key, bool fallback) {
  return isSet(key) ? take(owner(key)->getBool(key, fallback)) : fallback;
}

std::optional<bool> TimmArguments::optionalFlag(StringRef key) {
  if (!isSet(key))
    return std::nullopt;
  return flag(key, false);
}

int64_t TimmArguments::integer(StringRef key, int64_t fallback, int64_t least,
                               int64_t most) {
  if (!isSet(key))
    return fallback;
  int64_t value = take(owner(key)->getInteger(key));
  if (firstError.empty() && (value < least || value > most))
    refuse(key, key + " " + Twine(value) + " is not between " + Twine(least) +
                    " and " + Twine(most));
  // The caller goes on to the end, dividing by it perhaps.
  return std::clamp(value, least, most);
}

double TimmArguments::number(StringRef key, double fallback) {
  return isSet(key) ? take(owner(key)->getNumber(key)) : fallback;
}

std::string TimmArguments::text(StringRef key, StringRef fallback) {
  return isSet(key) ? take(owner(key)->getString(key)) : fallback.str();
}

std::string TimmArguments::choice(StringRef key, StringRef fallback,
                                  llvm::ArrayRef<StringRef> values) {
  std::string value = text(key, fallback);
  if (!llvm::is_contained(values, StringRef(value)))
    refuse(key,
           key + " " + inQuotes(value) + " is not supported; supported are " +
               llvm::join(llvm::map_range(
                              values, [](StringRef v) { return inQuotes(v); }),
                          ", "));
  return value;
}

Grid TimmArguments::size(StringRef key, Grid fallback) {
  constexpr int64_t largest = 65536;
  if (!isSet(key))
    return fallback;
  Grid value = take(owner(key)->getPair(key));
  if (firstError.empty() && (value.first < 1 || value.second < 1 ||
                             value.first > largest || value.second > largest))
    refuse(key, key + " " + Twine(value.first) + " x " + Twine(value.second) +
                    " is not between 1 and " + Twine(largest));
  return {std::clamp<int64_t>(value.first, 1, largest),
          std::clamp<int64_t>(value.second, 1, largest)};
}

std::vector<int64_t> TimmArguments::integers(StringRef key) {
  std::vector<int64_t> result;
  if (!owner(key)->get(key)->getAsArray())
    return {take(owner(key)->getInteger(key))};
  for (double value : take(owner(key)->getNumbers(key)))
    result.push_back(int64_t(value));
  return result;
}

std::vector<int64_t> TimmArguments::integers(StringRef key,
                                             std::vector<int64_t> fallback,
                                             int64_t least) {
  constexpr int64_t greatest = 65536;
  if (!isSet(key))
    return fallback;
  std::vector<double> values;
  if (std::optional<double> single = owner(key)->get(key)->getAsNumber())
    values = {*single};
  else
    values = take(owner(key)->getNumbers(key));
  std::vector<int64_t> result;
  for (double value : values) {
    bool fits = value >= double(least) && value <= double(greatest) &&
                value == double(int64_t(value));
    if (!fits)
      refuse(key, key + " has a number that is not a whole one between " +
                      Twine(least) + " and " + Twine(greatest));
    result.push_back(fits ? int64_t(value) : least);
  }
  return result;
}

std::vector<std::string>
TimmArguments::words(StringRef key, std::vector<std::string> fallback) {
  if (!isSet(key))
    return fallback;
  std::vector<std::string> result;
  auto append = [&](std::string &word, const llvm::json::Value &value) {
    if (std::optional<StringRef> text = value.getAsString())
      word += *text;
    else
      refuse(key, key + " must be a list of words, or of lists of them");
  };
  const llvm::json::Array *list = owner(key)->get(key)->getAsArray();
  if (!list)
    refuse(key, key + " must be a list");
  else
    for (const llvm::json::Value &value : *list) {
      std::string &word = result.emplace_back();
      if (const llvm::json::Array *parts = value.getAsArray())
        for (const llvm::json::Value &part : *parts)
          append(word, part);
      else
        append(word, value);
    }
  return result;
}

/// `"SwiGLU"`, or `{"layer": "SwiGLU"}` with arguments.
static llvm::Expected<std::string> layerName(const JsonObject &object,
                                             StringRef key) {
  if (!object.get(key)->getAsObject())
    return object.getString(key);
  llvm::Expected<JsonObject> layer = object.getObject(key);
  if (!layer)
    return layer.takeError();
  return layer->getString("layer");
}

std::string TimmArguments::layer(StringRef key, StringRef fallback) {
  return isSet(key) ? take(layerName(*owner(key), key)) : fallback.str();
}

std::optional<JsonObject> TimmArguments::layerArguments(StringRef key) {
  if (!isSet(key) || !owner(key)->get(key)->getAsObject())
    return std::nullopt;
  return llvm::cantFail(owner(key)->getObject(key));
}

bool TimmArguments::layerFlag(StringRef key, StringRef flag, bool fallback) {
  if (!isSet(key) || !owner(key)->get(key)->getAsObject())
    return fallback;
  return take(
      llvm::cantFail(owner(key)->getObject(key)).getBool(flag, fallback));
}

/// As timm looks layers up: no difference between RmsNorm, rms_norm, rmsnorm.
static std::string plainName(StringRef name) {
  std::string result;
  for (char c : name)
    if (c != '_')
      result += llvm::toLower(c);
  return result;
}

Norm TimmArguments::norm(StringRef key, const Norm &fallback) {
  if (!isSet(key))
    return fallback;
  const JsonObject &object = *owner(key);
  std::string name = take(layerName(object, key)), plain = plainName(name);
  Norm result = {1e-6};
  if (plain == "rmsnorm" || plain == "rmsnormfp32") {
    result.kind = vit::NormKind::Rms;
    result.bias = false;
  } else if (plain != "layernorm" && plain != "layernormfp32") {
    refuse(key, key + " " + inQuotes(name) +
                    " is not supported; supported are layernorm and rmsnorm");
  }
  if (firstError.empty() && object.get(key)->getAsObject()) {
    JsonObject layer = llvm::cantFail(object.getObject(key));
    result.eps = take(layer.getNumber("eps", result.eps));
    if (!(result.eps >= 0 && result.eps < 1))
      refuse(key, "eps of " + key + " is not between 0 and 1");
    for (const std::string &field : layer.keys())
      if (field != "layer" && field != "eps")
        refuse(key, key + " has " + inQuotes(field) +
                        ", expected layer and eps alone");
  }
  return result;
}

vit::Activation TimmArguments::activation(StringRef key,
                                          vit::Activation fallback) {
  static constexpr std::pair<llvm::StringLiteral, vit::Activation> names[] = {
      {"gelu", vit::Activation::Gelu},
      {"gelutanh", vit::Activation::GeluTanh},
      {"quickgelu", vit::Activation::QuickGelu},
      {"relu", vit::Activation::Relu},
      {"silu", vit::Activation::Silu},
      {"swish", vit::Activation::Silu},
      {"tanh", vit::Activation::Tanh},
      {"sigmoid", vit::Activation::Sigmoid},
      {"mish", vit::Activation::Mish},
      {"hardswish", vit::Activation::HardSwish},
      {"hardsigmoid", vit::Activation::HardSigmoid},
      {"relu6", vit::Activation::Relu6},
      {"leakyrelu", vit::Activation::LeakyRelu},
      {"elu", vit::Activation::Elu},
      {"celu", vit::Activation::Elu}, // with alpha 1
      {"identity", vit::Activation::None},
  };
  if (!isSet(key))
    return fallback;
  std::string name = take(layerName(*owner(key), key));
  for (auto &[spelling, function] : names)
    if (spelling == plainName(name))
      return function;
  refuse(key, key + " " + inQuotes(name) +
                  " is not supported; supported are gelu, gelu_tanh, "
                  "quick_gelu, relu, silu, tanh, sigmoid, mish, hard_swish, "
                  "hard_sigmoid, relu6, leaky_relu, elu, celu and identity");
  return fallback;
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
  llvm::Expected<std::vector<std::string>> labels =
      readTimmLabels(family.config, *architecture);
  if (!labels)
    return labels.takeError();
  int64_t count = import.arguments.classes();
  if (int64_t(labels->size()) != count)
    labels->assign(count, "");
  family.labels = std::move(*labels);
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
