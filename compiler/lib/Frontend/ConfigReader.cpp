// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ConfigReader.h"

#include "llvm/ADT/StringExtras.h"

using namespace vitc;

vit::Activation ConfigReader::activation(llvm::StringRef key,
                                         llvm::StringRef fallback) {
  return word<vit::Activation>(
      key, fallback,
      {
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
      });
}

llvm::Expected<std::vector<std::string>>
vitc::readLabels(const JsonObject &config) {
  if (!config.has("id2label")) {
    llvm::Expected<int64_t> count = config.getInteger("num_labels", 2);
    if (!count)
      return count.takeError();
    if (*count < 1 || *count > mostClasses)
      return config.error("num_labels", "num_labels " + llvm::Twine(*count) +
                                            " is not between 1 and " +
                                            llvm::Twine(mostClasses));
    return std::vector<std::string>(*count);
  }
  llvm::Expected<JsonObject> names = config.getObject("id2label");
  if (!names)
    return names.takeError();
  std::vector<std::string> keys = names->keys(), labels(keys.size());
  if (keys.empty())
    return config.error("id2label",
                        "id2label is empty, expected a name for each class");
  for (const std::string &key : keys) {
    uint64_t index;
    if (llvm::StringRef(key).getAsInteger(10, index) || index >= labels.size())
      return names->error(key, "id2label has key " + inQuotes(key) +
                                   ", expected the numbers 0 to " +
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
