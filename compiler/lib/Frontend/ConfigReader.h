// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Fields of configs in transformers' words.
#ifndef VITC_LIB_FRONTEND_CONFIGREADER_H
#define VITC_LIB_FRONTEND_CONFIGREADER_H

#include "vitc/Dialect/ViT/IR/ViT.h"
#include "vitc/Support/JsonReader.h"

namespace vitc {

/// A strict reader of a config in transformers' words.
class ConfigReader : public JsonReader {
public:
  using JsonReader::JsonReader;
  /// An activation as transformers names it.
  vit::Activation activation(llvm::StringRef key, llvm::StringRef fallback);
};

/// Of a classifier. Every class has a name in memory, even if it is empty; the
/// largest public set of labels has 22 thousand.
constexpr int64_t mostClasses = 1'000'000;

/// `id2label`, or as many empty names as `num_labels` says; 2 where the config
/// has neither, as transformers assumes.
llvm::Expected<std::vector<std::string>> readLabels(const JsonObject &config);

/// The class that the model was saved from: the first of `architectures` that
/// is among `known`. Empty if the config does not say.
llvm::Expected<std::string>
readArchitecture(const JsonObject &config,
                 llvm::ArrayRef<llvm::StringRef> known);

} // namespace vitc

#endif // VITC_LIB_FRONTEND_CONFIGREADER_H
