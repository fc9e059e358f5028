// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The arguments of the constructors of timm's models.
#ifndef VITC_LIB_FRONTEND_TIMM_ARGUMENTS_H
#define VITC_LIB_FRONTEND_TIMM_ARGUMENTS_H

#include "ConfigReader.h"

#include "vitc/Frontend/Builder/ModelBuilder.h"

#include "llvm/ADT/StringSet.h"

namespace vitc {

/// A name of timm's registry.
struct TimmArchitecture {
  std::string name, className;
  /// Those that differ from the class's defaults.
  JsonObject arguments;
  /// What the weights were trained with (`input_size`, `num_classes`, `mean`
  /// …): the config's own, or else the registry's.
  JsonObject pretrained;
};

/// The arguments of a model's constructor: `model_args` of config.json before
/// those of the architecture before those that `pretrained_cfg` implies. A null
/// is None and hides what comes later. Getters note which arguments are known.
class TimmArguments : public JsonReader {
public:
  TimmArguments(const JsonObject &config, const TimmArchitecture &architecture);

  /// Given as None.
  bool isNone(llvm::StringRef key) {
    return owner(key) && !owner(key)->has(key);
  }
  std::optional<bool> optionalBoolean(llvm::StringRef key);
  /// A list of whole numbers, or a single one.
  std::vector<int64_t> integers(llvm::StringRef key,
                                std::vector<int64_t> fallback, int64_t least,
                                int64_t most = greatest) {
    return JsonReader::integers(key, std::move(fallback), least, most,
                                /*orOne=*/true);
  }
  /// The same of blocks.
  std::vector<int64_t> depths(llvm::StringRef key,
                              std::vector<int64_t> fallback) {
    return JsonReader::depths(key, std::move(fallback), /*orOne=*/true);
  }
  /// A list of words, each of which may itself be cut into a list.
  std::vector<std::string> words(llvm::StringRef key,
                                 std::vector<std::string> fallback);
  /// A layer without arguments of its own (`block_fn`, `mlp_layer` …).
  std::string layer(llvm::StringRef key, llvm::StringRef fallback);
  /// What such a layer has been given, if anything.
  std::optional<JsonObject> layerArguments(llvm::StringRef key);
  /// An argument that such a layer has been given.
  bool layerFlag(llvm::StringRef key, llvm::StringRef flag, bool fallback);
  /// LayerNorm or RmsNorm; timm's eps is 1e-6.
  Norm norm(llvm::StringRef key, const Norm &fallback = {1e-6});
  vit::Activation activation(llvm::StringRef key, vit::Activation fallback);
  int64_t classes() { return integer("num_classes", 1000, 0, mostClasses); }

  /// `model_args` that nobody asked for are an error, too.
  [[nodiscard]] llvm::Error finish() override;

protected:
  const JsonObject *owner(llvm::StringRef key) override;
  llvm::Error errorAt(llvm::StringRef key, const llvm::Twine &message) override;

private:
  std::optional<JsonObject> modelArguments;
  std::vector<JsonObject> derived; ///< of the architecture, of its weights
  llvm::StringSet<> known;
  bool refusesDefault = false; ///< the error is about what no config says
};

/// Values made by vitc as an object that is read like a file's.
JsonObject asObject(const llvm::Twine &place, llvm::json::Object values);

} // namespace vitc

#endif // VITC_LIB_FRONTEND_TIMM_ARGUMENTS_H
