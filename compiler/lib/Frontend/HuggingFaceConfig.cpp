/// Fields that the configs of all transformers models share.
#include "Families.h"

#include "llvm/ADT/StringExtras.h"

using namespace vitc;

llvm::Expected<vit::Activation> vitc::readActivation(const JsonObject &config,
                                                     llvm::StringRef key,
                                                     llvm::StringRef fallback) {
  static constexpr std::pair<llvm::StringLiteral, vit::Activation> known[] = {
      {"gelu", vit::Activation::Gelu},
      {"gelu_new", vit::Activation::GeluTanh},
      {"gelu_pytorch_tanh", vit::Activation::GeluTanh},
      {"quick_gelu", vit::Activation::QuickGelu},
      {"relu", vit::Activation::Relu},
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
