// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Arguments.h"

#include "llvm/ADT/StringExtras.h"

using namespace vitc;
using llvm::StringRef;
using llvm::Twine;

JsonObject vitc::asObject(const Twine &place, llvm::json::Object values) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(values));
  return llvm::cantFail(parseJson(place.str(), std::move(text)));
}

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
                             const TimmArchitecture &architecture)
    : JsonReader(config) {
  if (config.has("model_args")) {
    llvm::Expected<JsonObject> given = config.getObject("model_args");
    if (given)
      modelArguments = *given;
    else
      fail(given.takeError());
  }
  derived = {architecture.arguments, derivedArguments(config, architecture)};
}

const JsonObject *TimmArguments::owner(StringRef key) {
  known.insert(key);
  if (modelArguments && modelArguments->get(key))
    return &*modelArguments;
  for (const JsonObject &arguments : derived)
    if (arguments.get(key))
      return &arguments;
  return nullptr;
}

llvm::Error TimmArguments::errorAt(StringRef key, const Twine &message) {
  if (key.empty()) // about an option of vitc
    return userError(message);
  // What the class or the architecture says is right by itself: what is in the
  // config does not go with it.
  const JsonObject *from = owner(key);
  bool isDefault = !from || from == &derived.front();
  if (!isDefault)
    return from->error(key, message);
  if (!modelArguments)
    return getObject().error("architecture", message);
  refusesDefault = true;
  return modelArguments->error("", message);
}

llvm::Error TimmArguments::finish() {
  llvm::Error first = JsonReader::finish();
  bool mayBeMisspelt = !first || refusesDefault;
  // A misspelt argument is the likely reason why a default does not fit.
  if (!mayBeMisspelt || !modelArguments)
    return first;
  for (const std::string &key : modelArguments->keys())
    if (!known.contains(key) && !isForTraining(key)) {
      std::vector<StringRef> names;
      for (auto &entry : known)
        names.push_back(entry.getKey());
      llvm::sort(names);
      StringRef nearest = nearestName(key, names);
      llvm::consumeError(std::move(first));
      return modelArguments->error(
          key, "model_args has " + inQuotes(key) +
                   ", which this class does not take" +
                   (nearest.empty()
                        ? ""
                        : "; the nearest that it takes is " + nearest.str()));
    }
  return first;
}

std::optional<bool> TimmArguments::optionalBoolean(StringRef key) {
  if (!has(key))
    return std::nullopt;
  return boolean(key, false);
}

std::vector<std::string>
TimmArguments::words(StringRef key, std::vector<std::string> fallback) {
  if (!has(key))
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
  return has(key) ? take(layerName(*owner(key), key)) : fallback.str();
}

std::optional<JsonObject> TimmArguments::layerArguments(StringRef key) {
  if (!has(key) || !owner(key)->get(key)->getAsObject())
    return std::nullopt;
  return llvm::cantFail(owner(key)->getObject(key));
}

bool TimmArguments::layerFlag(StringRef key, StringRef flag, bool fallback) {
  if (!has(key) || !owner(key)->get(key)->getAsObject())
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
  if (!has(key))
    return fallback;
  const JsonObject &from = *owner(key);
  std::string name = take(layerName(from, key)), plain = plainName(name);
  Norm result = {1e-6};
  if (plain == "rmsnorm" || plain == "rmsnormfp32") {
    result.kind = vit::NormKind::Rms;
    result.bias = false;
  } else if (plain != "layernorm" && plain != "layernormfp32") {
    refuse(key, key + " " + inQuotes(name) +
                    " is not supported; supported are layernorm and rmsnorm");
  }
  if (!failed() && from.get(key)->getAsObject()) {
    JsonReader layer(llvm::cantFail(from.getObject(key)));
    layer.refuseUnknown({"layer", "eps"});
    result.eps = layer.eps("eps", result.eps);
    fail(layer.finish());
  }
  return result;
}

vit::Activation TimmArguments::activation(StringRef key,
                                          vit::Activation fallback) {
  static constexpr Word<vit::Activation> names[] = {
      {"gelu", vit::Activation::Gelu},
      {"gelu_tanh", vit::Activation::GeluTanh},
      {"quick_gelu", vit::Activation::QuickGelu},
      {"relu", vit::Activation::Relu},
      {"silu", vit::Activation::Silu},
      {"swish", vit::Activation::Silu},
      {"tanh", vit::Activation::Tanh},
      {"sigmoid", vit::Activation::Sigmoid},
      {"mish", vit::Activation::Mish},
      {"hard_swish", vit::Activation::HardSwish},
      {"hard_sigmoid", vit::Activation::HardSigmoid},
      {"relu6", vit::Activation::Relu6},
      {"leaky_relu", vit::Activation::LeakyRelu},
      {"elu", vit::Activation::Elu},
      {"celu", vit::Activation::Elu}, // with alpha 1
      {"identity", vit::Activation::None},
  };
  if (!has(key))
    return fallback;
  std::string name = take(layerName(*owner(key), key));
  for (const Word<vit::Activation> &entry : names)
    if (plainName(entry.first) == plainName(name))
      return entry.second;
  return meaning<vit::Activation>(key, name, names); // which it has not
}
