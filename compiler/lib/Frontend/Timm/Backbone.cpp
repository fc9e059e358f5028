// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Backbone.h"
#include "Builder/ResNetD.h"
#include "Builder/ResNetV2.h"
#include "Timm.h"

using namespace vitc;
using llvm::Twine;
using mlir::Value;

static constexpr llvm::StringLiteral prefix = "patch_embed.backbone.";

/// A list of at most 8 numbers from 1 to `greatest`. The table of architectures
/// has only such lists, but `model_args` may have anything.
static std::vector<int64_t> readNumbers(TimmImport &import,
                                        const JsonObject &network,
                                        llvm::StringRef key,
                                        int64_t greatest = 4096) {
  constexpr size_t longest = 8;
  std::vector<int64_t> numbers;
  llvm::Expected<std::vector<double>> list = network.getNumbers(key);
  bool fits = bool(list) && list->size() <= longest;
  if (fits)
    for (double value : *list) {
      fits &= value >= 1 && value <= double(greatest) &&
              value == double(int64_t(value));
      numbers.push_back(fits ? int64_t(value) : 1);
    }
  if (!list)
    llvm::consumeError(list.takeError());
  if (!fits) {
    import.arguments.refuse("embed_layer",
                            "the backbone's " + key +
                                " is not a list of up to " + Twine(longest) +
                                " whole numbers from 1 to " + Twine(greatest));
    numbers.clear();
  }
  return numbers;
}

/// `layers` of the network: the depths of the stages, which double their width.
static std::vector<ResNetStage> readStages(TimmImport &import,
                                           const JsonObject &network) {
  std::vector<ResNetStage> stages;
  int64_t width = 256;
  for (int64_t depth : readNumbers(import, network, "layers",
                                   /*greatest=*/JsonReader::mostBlocks / 8)) {
    stages.push_back({depth, width});
    width *= 2;
  }
  return stages;
}

/// A ResNet in that interface. Files may have any widths and depths, about
/// which timm's configs are silent.
template <typename Network>
static TimmBackbone asBackbone(const TimmImport &import, Network network) {
  if (import.family.checkpoint)
    network.readShapes(*import.family.checkpoint);
  return {[network](ModelBuilder &model) { return network.build(model); },
          [network](Grid image) { return network.gridOf(image); }};
}

static TimmBackbone readResNetV2(TimmImport &import, const JsonObject &json) {
  ResNetV2 network;
  network.stages = readStages(import, json);
  std::string stem =
      (network.stages.empty() ? Twine(prefix) : prefix + "stem.").str();
  network.stemConv = stem + "conv";
  network.stemNorm = stem + "norm";
  network.stage = (prefix + "stages.").str();
  network.block = ".blocks.";
  if (import.family.checkpoint)
    network.readShapes(*import.family.checkpoint);
  if (int64_t uneven = network.widthWithoutGroups())
    import.arguments.refuse("embed_layer",
                            "the backbone has a layer of " + Twine(uneven) +
                                " channels, not a multiple of its " +
                                Twine(network.groups) + " groups");
  return asBackbone(import, network);
}

static TimmBackbone readResNetD(TimmImport &import, const JsonObject &json) {
  ResNetD network;
  network.stages = readStages(import, json);
  network.prefix = prefix.str();
  return asBackbone(import, network);
}

/// MobileCLIP's stem: convolutions without padding, all but the last with batch
/// norm and GELU, whose last map is the tokens.
static TimmBackbone readConvStem(TimmImport &import, const JsonObject &json,
                                 int64_t width) {
  struct Layer {
    int64_t channels;
    Grid window, stride;
  };
  std::vector<int64_t> channels = readNumbers(import, json, "channels"),
                       kernels = readNumbers(import, json, "kernel_size"),
                       strides = readNumbers(import, json, "stride");
  if (import.family.checkpoint)
    for (auto [i, outputs] : llvm::enumerate(channels))
      if (int64_t stored = storedWidth(*import.family.checkpoint,
                                       prefix + Twine(i) + ".conv"))
        outputs = stored;
  std::vector<Layer> layers;
  if (channels.empty() || channels.size() != kernels.size() ||
      channels.size() != strides.size())
    import.arguments.refuse("embed_layer",
                            "the backbone's channels, kernel_size and stride "
                            "do not have as many numbers as each other");
  else if (channels.back() != width)
    import.arguments.refuse("embed_dim", "embed_dim " + Twine(width) +
                                             " is not that of the backbone, " +
                                             Twine(channels.back()));
  else
    for (auto [outputs, side, step] :
         llvm::zip_equal(channels, kernels, strides))
      layers.push_back({outputs, {side, side}, {step, step}});
  auto build = [layers](ModelBuilder &model) {
    constexpr double batchNormEps = 1e-5;
    Map map = model.imageMap();
    for (auto [i, layer] : llvm::enumerate(layers)) {
      bool isLast = i + 1 == layers.size();
      std::string name = (prefix + Twine(i)).str();
      map = model.conv(name + ".conv", map, layer.channels, /*bias=*/isLast,
                       {layer.window, layer.stride});
      if (!isLast)
        map.value = model.activate(
            model.batchNorm(name + ".bn", map.value, batchNormEps),
            vit::Activation::Gelu);
    }
    return map;
  };
  auto gridOf = [layers](Grid grid) {
    for (const Layer &layer : layers) {
      auto positions = [](int64_t extent, int64_t window, int64_t stride) {
        return extent < window ? 0 : (extent - window) / stride + 1;
      };
      grid = {positions(grid.first, layer.window.first, layer.stride.first),
              positions(grid.second, layer.window.second, layer.stride.second)};
    }
    return grid;
  };
  return {build, gridOf, /*isProjected=*/false};
}

std::optional<TimmBackbone> vitc::readTimmBackbone(TimmImport &import,
                                                   int64_t width) {
  TimmArguments &arguments = import.arguments;
  if (arguments.layer("embed_layer", "PatchEmbed") != "HybridEmbed")
    return std::nullopt;
  std::optional<JsonObject> layer = arguments.layerArguments("embed_layer");
  if (!layer || !layer->has("backbone") ||
      !layer->get("backbone")->getAsObject()) {
    arguments.refuse("embed_layer", "embed_layer HybridEmbed has no backbone");
    return std::nullopt;
  }
  JsonObject network = llvm::cantFail(layer->getObject("backbone"));
  const llvm::json::Value *name = network.get("layer");
  llvm::StringRef kind =
      name ? name->getAsString().value_or("") : llvm::StringRef();
  if (kind == "ConvStem")
    return readConvStem(import, network, width);
  if (kind == "ResNetD")
    return readResNetD(import, network);
  if (kind == "ResNetV2")
    return readResNetV2(import, network);
  arguments.refuse("embed_layer", "the backbone " + inQuotes(kind) +
                                      " is not supported; supported are "
                                      "ResNetV2, ResNetD and ConvStem");
  return std::nullopt;
}
