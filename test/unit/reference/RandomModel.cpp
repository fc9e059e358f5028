// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RandomModel.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

using namespace mlir;
using namespace vitc;

namespace {

/// Writes the text of one model, value by value.
class Writer {
public:
  explicit Writer(uint64_t seed) : random(seed) {}
  std::string run();

private:
  int64_t pick(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  }
  bool coin() { return pick(0, 1) == 1; }

  static std::string type(ArrayRef<int64_t> shape) {
    std::string text = "tensor<";
    for (int64_t extent : shape)
      text += std::to_string(extent) + "x";
    return text + "f32>";
  }
  /// A fresh value.
  std::string line(const Twine &operation) {
    std::string name = "%v" + std::to_string(values++);
    body += ("  " + name + " = " + operation + "\n").str();
    return name;
  }
  std::string parameter(const Twine &name, ArrayRef<int64_t> shape) {
    parameters +=
        ("vit.parameter @\"" + name + "\" : " + type(shape) + "\n").str();
    return line("vit.get @\"" + name + "\" : " + type(shape));
  }
  void output(const std::string &value, ArrayRef<int64_t> shape) {
    outputs.push_back(value);
    outputTypes.push_back(type(shape));
  }

  std::string norm(const std::string &x, const Twine &name) {
    std::string gain = parameter(name + ".norm.weight", {channels}),
                bias = parameter(name + ".norm.bias", {channels});
    return line("vit.layer_norm " + x + " gain " + gain + " bias " + bias +
                " eps 1.0e-6 : " + type(sequence) + ", " + type({channels}) +
                ", " + type({channels}));
  }
  std::string linear(const std::string &x, const Twine &name) {
    std::string weight = parameter(name + ".weight", {channels, channels});
    if (!coin())
      return line("vit.linear " + x + ", " + weight + " : (" + type(sequence) +
                  ", " + type({channels, channels}) + ") -> " + type(sequence));
    std::string bias = parameter(name + ".bias", {channels});
    return line("vit.linear " + x + ", " + weight + " bias " + bias + " : (" +
                type(sequence) + ", " + type({channels, channels}) + ", " +
                type({channels}) + ") -> " + type(sequence));
  }
  std::string head(const std::string &x, const Twine &name, int64_t count,
                   StringRef activation) {
    std::string weight = parameter(name + ".weight", {count, channels}),
                bias = parameter(name + ".bias", {count});
    return line("vit.head " + x + ", " + weight + " bias " + bias + " " +
                activation + " : (" + type({images, channels}) + ", " +
                type({count, channels}) + ", " + type({count}) + ") -> " +
                type({images, count}));
  }
  std::string embed();
  std::string block(const std::string &x, int64_t index);

  std::mt19937_64 random;
  std::string parameters, body;
  std::vector<std::string> outputs, outputTypes, maps;
  std::vector<int64_t> sequence;
  int64_t images = 1, channels = 0, heads = 1, values = 0;
  bool wantsMaps = false;
  std::string imageType, activation;
};

std::string Writer::embed() {
  int64_t rows = pick(1, 3), columns = pick(1, 3), patch = pick(1, 3),
          patches = rows * columns;
  std::vector<int64_t> image = {images, 3, rows * patch + pick(0, patch - 1),
                                columns * patch};
  imageType = type(image);
  std::string weight = parameter("embed.weight", {channels, 3, patch, patch}),
              bias = parameter("embed.bias", {channels});
  std::string x =
      line("vit.patch_embed %image, " + weight + " bias " + bias + " : (" +
           imageType + ", " + type({channels, 3, patch, patch}) + ", " +
           type({channels}) + ") -> " + type({images, patches, channels}));
  int64_t learned = pick(0, 2);
  sequence = {images, patches + learned, channels};
  if (learned) {
    std::string tokens = parameter("class_token", {1, learned, channels});
    x = line("vit.concat_tokens " + tokens + ", " + x + " : (" +
             type({1, learned, channels}) + ", " +
             type({images, patches, channels}) + ") -> " + type(sequence));
  }
  int64_t fromRows = coin() ? pick(1, 4) : rows, fromColumns = columns;
  std::vector<int64_t> table = {1, fromRows * fromColumns + learned, channels},
                       resized = {1, patches + learned, channels};
  std::string position = parameter("position", table);
  if (fromRows != rows)
    position =
        line("vit.resize_position " + position + " from [" + Twine(fromRows) +
             ", " + Twine(fromColumns) + "] to [" + Twine(rows) + ", " +
             Twine(columns) + "] prefix " + Twine(learned) + " : " +
             type(table) + " -> " + type(resized));
  return line("vit.add_position " + x + ", " + position + " : " +
              type(sequence) + ", " + type(resized));
}

std::string Writer::block(const std::string &x, int64_t index) {
  std::string prefix = "layer." + std::to_string(index);
  std::string t = type(sequence), normed = norm(x, prefix + ".before");
  std::string q = linear(normed, prefix + ".attention.query"),
              k = linear(normed, prefix + ".attention.key"),
              v = linear(normed, prefix + ".attention.value");
  std::string scale = std::to_string(1 / std::sqrt(double(channels / heads)));
  std::vector<int64_t> map = {images, heads, sequence[1], sequence[1]};
  std::string call = "vit.attention " + q + ", " + k + ", " + v + " heads " +
                     std::to_string(heads) + " scale " + scale + " : (" + t +
                     ", " + t + ", " + t + ") -> ";
  std::string attended;
  if (wantsMaps) {
    body += "  %a" + std::to_string(index) + ", %m" + std::to_string(index) +
            " = " + call + "(" + t + ", " + type(map) + ")\n";
    attended = "%a" + std::to_string(index);
    maps.push_back("%m" + std::to_string(index));
  } else
    attended = line(call + t);
  std::string sum =
      line("vit.add " + linear(attended, prefix + ".attention.output") + ", " +
           x + " : " + t);

  int64_t hidden = 2 * channels;
  std::string up = parameter(prefix + ".up.weight", {hidden, channels}),
              upBias = parameter(prefix + ".up.bias", {hidden});
  std::string down = parameter(prefix + ".down.weight", {channels, hidden});
  std::string mlp =
      line("vit.mlp " + norm(sum, prefix + ".after") + " up " + up + ", " +
           upBias + " down " + down + " " + activation + " : (" + t + ", " +
           type({hidden, channels}) + ", " + type({hidden}) + ", " +
           type({channels, hidden}) + ") -> " + t);
  return line("vit.add " + sum + ", " + mlp + " : " + t);
}

std::string Writer::run() {
  static constexpr const char *activations[] = {
      "gelu", "gelu_tanh", "quick_gelu", "relu", "silu", "tanh"};
  images = pick(1, 2);
  heads = pick(1, 3);
  channels = heads * pick(2, 5);
  activation = activations[pick(0, 5)];
  wantsMaps = coin();
  bool wantsStates = coin();

  std::string x = embed();
  std::vector<std::string> states = {x};
  for (int64_t index = 0, layers = pick(1, 3); index < layers; ++index)
    states.push_back(x = block(x, index));
  if (coin())
    x = norm(x, "final");

  std::string pooled =
      line("vit.pool " + x + " " + (coin() ? "token" : "mean") +
           " 0 : " + type(sequence) + " -> " + type({images, channels}));
  if (coin())
    pooled = head(pooled, "pooler", channels, "tanh");
  std::string logits = head(pooled, "classifier", 5, "none");
  output(logits, {images, 5});
  if (coin())
    output(line("vit.softmax " + logits + " : " + type({images, 5})),
           {images, 5});
  if (coin())
    output(x, sequence);

  auto stacked = [&](ArrayRef<std::string> parts, std::vector<int64_t> shape) {
    std::vector<std::string> types(parts.size(), type(shape));
    shape.insert(shape.begin() + 1, parts.size());
    output(line("vit.stack " + llvm::join(parts, ", ") + " : (" +
                llvm::join(types, ", ") + ") -> " + type(shape)),
           shape);
  };
  if (wantsStates)
    stacked(states, sequence);
  if (wantsMaps)
    stacked(maps, {images, heads, sequence[1], sequence[1]});

  std::string types = llvm::join(outputTypes, ", ");
  return parameters + "func.func @forward(%image: " + imageType + ") -> (" +
         types + ") {\n" + body + "  return " + llvm::join(outputs, ", ") +
         " : " + types + "\n}\n";
}

} // namespace

std::string vitc::randomModelText(uint64_t seed) { return Writer(seed).run(); }

OwningOpRef<ModuleOp> vitc::parse(StringRef text, MLIRContext &context) {
  auto module = parseSourceString<ModuleOp>(text, &context);
  EXPECT_TRUE(module) << text.str();
  return module;
}

std::unique_ptr<Checkpoint> vitc::randomWeights(ModuleOp module,
                                                uint64_t seed) {
  std::vector<TensorInfo> wanted;
  for (auto parameter : module.getOps<vit::ParameterOp>())
    if (!parameter.isDerived())
      wanted.push_back({parameter.getSymName().str(), StoredType::F32,
                        parameter.getTensorType().getShape().vec(), "random"});
  return makeRandomCheckpoint(std::move(wanted), seed);
}

Tensor vitc::randomImage(ModuleOp module, uint64_t seed) {
  auto function = module.lookupSymbol<func::FuncOp>(vit::forwardName);
  Tensor image(
      cast<RankedTensorType>(function.getArgument(0).getType()).getShape());
  std::mt19937_64 random(seed);
  for (double &value : image.data)
    value = std::uniform_real_distribution<double>(-1, 1)(random);
  return image;
}
