// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// transformers' MobileViT: MobileViTForImageClassification, MobileViTModel
/// and the encoder of MobileViTForSemanticSegmentation.
///
/// Quirks: MobileNet blocks with batch norm (eps 1e-5); attention between the
/// pixels that have the same place in their patches, so a map is resized there
/// and back if it is no multiple of patch_size. Maps leave the model as
/// [image, channel, row, column]; `hidden_states_i` are the results of the
/// five layers. Any size of image will do: --image-size, else what the image
/// processor makes. output_stride 16 and 8 leave the strides of the last
/// layers out, and 8 spreads the weights of the last layer's 3 x 3 instead.
#include "Sequence.h"

#include <cmath>

using namespace vitc;
using mlir::Value;

namespace vitc::transformers_mobilevit {

constexpr double batchNormEps = 1e-5;

struct Config {
  int64_t channels, heads, kernel, outputStride;
  Grid imageSize, patchSize;
  std::vector<int64_t> hiddenSizes; ///< of the three transformers
  std::vector<int64_t> neckSizes;   ///< stem, five layers, expansion
  double mlpRatio, expandRatio, eps;
  vit::Activation activation;
  bool qkvBias, classifies, expands;
  std::vector<std::string> labels;
};

/// The model's layers out of convolutions.
struct Builder {
  ModelBuilder &model;
  const Config &config;

  /// A convolution with the norm and the activation behind it.
  struct Layer {
    int64_t outputs, kernel = 1, stride = 1;
    bool norm = true, activation = true;
  };
  Value finish(const std::string &name, Value x, bool norm, bool activation) {
    if (norm)
      x = model.batchNorm(name + ".normalization", x, batchNormEps);
    return activation ? model.activate(x, config.activation) : x;
  }
  Map layer(const std::string &name, Map map, const Layer &layer);
  Map depthwise(const std::string &name, Map map, int64_t stride,
                int64_t dilation);
  Map invertedResidual(const std::string &name, Map map, int64_t outputs,
                       int64_t stride, int64_t dilation = 1);
  Map transformer(const std::string &name, Map map, int64_t width,
                  int64_t depth);
};

Map Builder::layer(const std::string &name, Map map, const Layer &layer) {
  std::string conv = name + ".convolution";
  llvm::ArrayRef<int64_t> shape = ModelBuilder::shapeOf(map.value);
  bool isImage = shape.size() == 4;
  int64_t inputs = isImage ? shape[1] : shape[2];
  if (layer.kernel == 1 && layer.stride == 1 && !isImage) {
    Value weight =
        model.reshape(model.convWeight(conv, layer.outputs, inputs, {1, 1}),
                      {layer.outputs, inputs});
    map.value = model.linear(conv, map.value, weight, /*bias=*/Value());
  } else {
    map = model.conv(conv, map, layer.outputs, /*bias=*/false,
                     {{layer.kernel, layer.kernel},
                      {layer.stride, layer.stride},
                      Padding::all((layer.kernel - 1) / 2)});
  }
  map.value = finish(name, map.value, layer.norm, layer.activation);
  return map;
}

Map Builder::depthwise(const std::string &name, Map map, int64_t stride,
                       int64_t dilation) {
  std::string conv = name + ".convolution";
  Sliding sliding = {{3, 3}, {stride, stride}, Padding::all(1)};
  if (dilation == 1) {
    map = model.depthwiseConv(conv, map, /*bias=*/false, sliding);
  } else {
    // Every dilation-th pixel makes a map of its own.
    Grid step = {dilation, dilation},
         part = {llvm::divideCeil(map.grid.first, dilation),
                 llvm::divideCeil(map.grid.second, dilation)};
    Value parts = model.windowPartition(name + ".parts", map, step, {0, 0},
                                        vit::WindowOrder::Grid);
    parts =
        model.depthwiseConv(conv, {parts, part}, /*bias=*/false, sliding).value;
    map = model.windowMerge(name + ".whole", parts, map.grid, step, {0, 0},
                            vit::WindowOrder::Grid);
  }
  map.value = finish(name, map.value, /*norm=*/true, /*activation=*/true);
  return map;
}

/// The nearest multiple of 8, but not less than nine tenths.
static int64_t roundChannels(double channels) {
  int64_t rounded = std::max<int64_t>(8, int64_t(channels + 4) / 8 * 8);
  return double(rounded) < 0.9 * channels ? rounded + 8 : rounded;
}

Map Builder::invertedResidual(const std::string &name, Map map, int64_t outputs,
                              int64_t stride, int64_t dilation) {
  int64_t inputs = ModelBuilder::shapeOf(map.value)[2];
  // Python rounds halves to even numbers, and so does nearbyint.
  int64_t expanded =
      roundChannels(std::nearbyint(double(inputs) * config.expandRatio));
  Map x = layer(name + ".expand_1x1", map, {expanded});
  x = depthwise(name + ".conv_3x3", x, stride, dilation);
  x = layer(name + ".reduce_1x1", x,
            {outputs, /*kernel=*/1, /*stride=*/1, /*norm=*/true,
             /*activation=*/false});
  if (stride == 1 && inputs == outputs)
    x.value = model.add(name + ".residual", x.value, map.value);
  return x;
}

Map Builder::transformer(const std::string &name, Map map, int64_t width,
                         int64_t depth) {
  int64_t channels = ModelBuilder::shapeOf(map.value)[2];
  Map x = layer(name + ".conv_kxk", map, {channels, config.kernel});
  x = layer(name + ".conv_1x1", x,
            {width, /*kernel=*/1, /*stride=*/1, /*norm=*/false,
             /*activation=*/false});

  // Unfolding: one sequence for every place in a patch.
  auto [patchHeight, patchWidth] = config.patchSize;
  Grid whole = {int64_t(llvm::alignTo(map.grid.first, patchHeight)),
                int64_t(llvm::alignTo(map.grid.second, patchWidth))};
  x = model.resizeMap(name + ".resize", x, whole);
  Value sequences = model.windowPartition(name + ".unfold", x, config.patchSize,
                                          {0, 0}, vit::WindowOrder::Grid);
  BlockShape shape = {config.heads, int64_t(double(width) * config.mlpRatio),
                      config.eps, config.activation};
  shape.queryBias = shape.keyBias = shape.valueBias = config.qkvBias;
  for (int64_t i = 0; i < depth; ++i)
    sequences = model
                    .encoderBlock(vitLayerNames(name + ".transformer.layer." +
                                                std::to_string(i)),
                                  shape, sequences)
                    .sequence;
  sequences = model.layerNorm(name + ".layernorm", sequences, config.eps);
  x = model.windowMerge(name + ".fold", sequences, whole, config.patchSize,
                        {0, 0}, vit::WindowOrder::Grid);
  x = model.resizeMap(name + ".resize_back", x, map.grid);

  x = layer(name + ".conv_projection", x, {channels});
  x.value = model.concat({map.value, x.value}, 2);
  return layer(name + ".fusion", x, {channels, config.kernel});
}

static llvm::Expected<Config> readConfig(const JsonObject &json,
                                         const Checkpoint *checkpoint) {
  ConfigReader fields(json);
  Config config;
  config.channels = fields.positive("num_channels", 3, 1024);
  config.imageSize = fields.size("image_size", {256, 256});
  config.patchSize = fields.size("patch_size", {2, 2});
  config.hiddenSizes = fields.integers("hidden_sizes", {144, 192, 240}, 1);
  config.neckSizes =
      fields.integers("neck_hidden_sizes", {16, 32, 64, 96, 128, 160, 640}, 1);
  config.heads = fields.positive("num_attention_heads", 4, widest);
  config.mlpRatio = fields.ratio("mlp_ratio", 2);
  config.expandRatio = fields.ratio("expand_ratio", 4);
  config.kernel = fields.positive("conv_kernel_size", 3, 63);
  config.outputStride = fields.positive("output_stride", 32, 32);
  config.eps = fields.eps("layer_norm_eps", 1e-5);
  config.qkvBias = fields.boolean("qkv_bias", true);
  config.activation = fields.activation("hidden_act", "silu");
  std::string architecture = fields.take(readArchitecture(
      json, {"MobileViTForImageClassification", "MobileViTModel",
             "MobileViTForSemanticSegmentation"}));
  config.classifies = architecture.empty()
                          ? !checkpoint || checkpoint->find("classifier.weight")
                          : architecture == "MobileViTForImageClassification";
  config.expands = architecture != "MobileViTForSemanticSegmentation";
  if (config.classifies)
    config.labels = fields.take(readLabels(json));
  if (llvm::Error error = fields.finish())
    return error;

  if (config.hiddenSizes.size() != 3)
    return json.error("hidden_sizes",
                      "hidden_sizes has " +
                          llvm::Twine(config.hiddenSizes.size()) +
                          " numbers, expected 3");
  if (config.neckSizes.size() != 7)
    return json.error("neck_hidden_sizes",
                      "neck_hidden_sizes has " +
                          llvm::Twine(config.neckSizes.size()) +
                          " numbers, expected 7");
  for (int64_t size : config.hiddenSizes)
    if (size % config.heads)
      return json.error("hidden_sizes",
                        "hidden_sizes has " + llvm::Twine(size) +
                            ", not a multiple of num_attention_heads " +
                            llvm::Twine(config.heads));
  if (config.kernel % 2 == 0)
    return json.error("conv_kernel_size",
                      "conv_kernel_size " + llvm::Twine(config.kernel) +
                          " is even, which shrinks the map");
  return config;
}

static bool isForAnotherUse(llvm::StringRef name) {
  return name.ends_with("num_batches_tracked") ||
         name.starts_with("classifier.") ||
         name.starts_with("segmentation_head.");
}

static FamilyResult grow(FamilyImport &import) {
  llvm::Expected<Config> read = readConfig(import.config, import.checkpoint);
  if (!read)
    return read.takeError();
  const Config &config = *read;
  llvm::Expected<Grid> size =
      sizeOfImage(import, config.channels, config.imageSize);
  if (!size)
    return size.takeError();
  import.labels = config.labels;
  ModelBuilder model = startModel(import, config.channels, *size);
  std::string prefix =
      encoderPrefix(import, "mobilevit", "conv_stem.convolution.weight",
                    config.classifies || !config.expands);
  Builder build = {model, config};

  Map map = build.layer(prefix + "conv_stem", model.imageMap(),
                        {config.neckSizes[0], /*kernel=*/3, /*stride=*/2});
  llvm::SmallVector<Map> states;
  auto layerName = [&] {
    return prefix + "encoder.layer." + std::to_string(states.size());
  };

  // Two layers of MobileNet blocks alone …
  for (auto [depth, stride] : {std::pair(1, 1), std::pair(3, 2)}) {
    int64_t outputs = config.neckSizes[states.size() + 1];
    for (int64_t i = 0; i < depth; ++i)
      map = build.invertedResidual(layerName() + ".layer." + std::to_string(i),
                                   map, outputs, i ? 1 : stride);
    states.push_back(map);
  }
  // … and three with a transformer behind one.
  int64_t reduction = 4, dilation = 1;
  constexpr int64_t depths[] = {2, 4, 3};
  for (auto [i, depth] : llvm::enumerate(depths)) {
    bool strided = i == 0 || reduction < config.outputStride ||
                   (config.outputStride != 8 && config.outputStride != 16);
    int64_t inner = dilation; // of the block in front
    if (strided)
      reduction *= 2;
    else
      dilation *= 2;
    map = build.invertedResidual(layerName() + ".downsampling_layer", map,
                                 config.neckSizes[states.size() + 1],
                                 strided ? 2 : 1, inner);
    map = build.transformer(layerName(), map, config.hiddenSizes[i], depth);
    states.push_back(map);
  }
  if (config.expands)
    map = build.layer(prefix + "conv_1x1_exp", map, {config.neckSizes[6]});
  Value pooled =
      model.pool(prefix + "pooler", map.value, vit::PoolKind::Mean, 0);

  // Outputs.
  if (config.classifies)
    offerLogits(model, model.head("classifier", pooled, config.labels.size(),
                                  vit::Activation::None));
  model.output("last_hidden_state", model.asImage(map));
  if (config.expands)
    model.output("pooler_output", pooled);
  model.output("embedding", pooled);
  for (auto [i, state] : llvm::enumerate(states))
    model.output("hidden_states_" + llvm::Twine(i), model.asImage(state));
  return model.finish(import.options.outputs,
                      config.classifies ? "logits" : "last_hidden_state",
                      isForAnotherUse);
}

} // namespace vitc::transformers_mobilevit

FamilyResult vitc::importTransformersMobileViT(FamilyImport &import) {
  return transformers_mobilevit::grow(import);
}
