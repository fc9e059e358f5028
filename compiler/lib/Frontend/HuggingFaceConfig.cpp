// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Fields that the configs of all transformers models share.
#include "Families.h"

#include "llvm/ADT/StringExtras.h"

using namespace vitc;

llvm::Expected<vit::Activation> vitc::readActivation(const JsonObject &config,
                                                     llvm::StringRef key,
                                                     llvm::StringRef fallback) {
  static constexpr std::pair<llvm::StringLiteral, vit::Activation> known[] = {
      {"elu", vit::Activation::Elu},
      {"gelu", vit::Activation::Gelu},
      {"gelu_accurate", vit::Activation::GeluTanh},
      {"gelu_fast", vit::Activation::GeluTanh},
      {"gelu_new", vit::Activation::GeluTanh},
      {"gelu_python", vit::Activation::Gelu},
      {"gelu_python_tanh", vit::Activation::GeluTanh},
      {"gelu_pytorch_tanh", vit::Activation::GeluTanh},
      {"hardswish", vit::Activation::HardSwish},
      {"leaky_relu", vit::Activation::LeakyRelu},
      {"linear", vit::Activation::None},
      {"mish", vit::Activation::Mish},
      {"quick_gelu", vit::Activation::QuickGelu},
      {"relu", vit::Activation::Relu},
      {"relu6", vit::Activation::Relu6},
      {"sigmoid", vit::Activation::Sigmoid},
      {"silu", vit::Activation::Silu},
      {"swish", vit::Activation::Silu},
      {"tanh", vit::Activation::Tanh},
  };
  llvm::Expected<std::string> name = config.getString(key, fallback);
  if (!name)
    return name.takeError();
  for (auto &[spelling, activation] : known)
    if (spelling == *name)
      return activation;
  std::vector<llvm::StringRef> spellings;
  for (auto &entry : known)
    spellings.push_back(entry.first);
  return config.error(key, key + " \"" + *name +
                               "\" is not a known activation; known are " +
                               llvm::join(spellings, ", "));
}

llvm::Expected<std::vector<std::string>>
vitc::readLabels(const JsonObject &config) {
  if (!config.has("id2label")) {
    llvm::Expected<int64_t> count = config.getInteger("num_labels", 2);
    if (!count)
      return count.takeError();
    if (*count < 1 || *count > 10'000'000)
      return config.error("num_labels", "num_labels " + llvm::Twine(*count) +
                                            " is not between 1 and 10000000");
    return std::vector<std::string>(*count);
  }
  llvm::Expected<JsonObject> names = config.getObject("id2label");
  if (!names)
    return names.takeError();
  std::vector<std::string> keys = names->keys(), labels(keys.size());
  for (const std::string &key : keys) {
    uint64_t index;
    if (llvm::StringRef(key).getAsInteger(10, index) || index >= labels.size())
      return names->error(key, "id2label has key \"" + key +
                                   "\", expected the numbers 0 to " +
                                   llvm::Twine(labels.size() - 1));
    llvm::Expected<std::string> label = names->getString(key);
    if (!label)
      return label.takeError();
    labels[index] = *label;
  }
  return labels;
}

llvm::Expected<std::string>
vitc::readArchitecture(const JsonObject &config,
                       llvm::ArrayRef<llvm::StringRef> known) {
  if (!config.has("architectures"))
    return std::string();
  llvm::Expected<std::vector<std::string>> classes =
      config.getStrings("architectures");
  if (!classes)
    return classes.takeError();
  for (const std::string &name : *classes)
    if (llvm::is_contained(known, llvm::StringRef(name)))
      return name;
  return config.error("architectures",
                      "architectures has none of " + llvm::join(known, ", "));
}

llvm::Expected<std::pair<int64_t, int64_t>>
vitc::sizeOfPicture(const FamilyImport &import, int64_t channels,
                    std::pair<int64_t, int64_t> configSize) {
  if (import.options.imageSize)
    return *import.options.imageSize;
  if (import.processorPath.empty())
    return configSize;
  llvm::Expected<ImageProcessor> processor =
      readImageProcessor(import.processorPath, channels);
  if (!processor)
    return processor.takeError();
  if (processor->centerCrop)
    return std::pair(processor->cropHeight, processor->cropWidth);
  if (processor->resize == ImageProcessor::Resize::Exact)
    return std::pair(processor->resizeHeight, processor->resizeWidth);
  return configSize;
}

//===----------------------------------------------------------------------===//
// Fields
//===----------------------------------------------------------------------===//

void Fields::fail(llvm::Error failure) {
  if (error)
    llvm::consumeError(std::move(failure));
  else
    error = std::move(failure);
}

int64_t Fields::between(llvm::StringRef key, int64_t fallback, int64_t least,
                        int64_t limit) {
  int64_t value = take(config.getInteger(key, fallback));
  if (!error && (value < least || value > limit))
    error = config.error(key, key + " " + llvm::Twine(value) +
                                  " is not between " + llvm::Twine(least) +
                                  " and " + llvm::Twine(limit));
  // The caller goes on to the end, dividing by it perhaps.
  return std::clamp(value, least, limit);
}

std::pair<int64_t, int64_t> Fields::size(llvm::StringRef key,
                                         int64_t fallback) {
  if (!config.has(key))
    return {fallback, fallback};
  constexpr int64_t greatest = 65536;
  auto value = take(config.getPair(key));
  if (!error && (value.first < 1 || value.second < 1 ||
                 value.first > greatest || value.second > greatest))
    error =
        config.error(key, key + " " + llvm::Twine(value.first) + " x " +
                              llvm::Twine(value.second) +
                              " is not between 1 and " + llvm::Twine(greatest));
  return {std::clamp<int64_t>(value.first, 1, greatest),
          std::clamp<int64_t>(value.second, 1, greatest)};
}

std::vector<int64_t> Fields::integers(llvm::StringRef key,
                                      std::vector<int64_t> fallback,
                                      int64_t least) {
  constexpr int64_t greatest = 65536;
  if (!config.has(key))
    return fallback;
  std::vector<int64_t> values;
  for (double value : take(config.getNumbers(key))) {
    bool fits = value >= double(least) && value <= double(greatest) &&
                value == double(int64_t(value));
    if (!fits && !error)
      error = config.error(key, key +
                                    " has a number that is not a whole one "
                                    "between " +
                                    llvm::Twine(least) + " and " +
                                    llvm::Twine(greatest));
    values.push_back(fits ? int64_t(value) : least);
  }
  return values;
}

double Fields::eps(llvm::StringRef key, double fallback) {
  double value = number(key, fallback);
  if (!error && !(value >= 0 && value < 1))
    error = config.error(key, key + " is not between 0 and 1");
  return value;
}
