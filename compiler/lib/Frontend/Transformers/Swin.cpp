// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// transformers' Swin and Swin v2: …ForImageClassification, …Model and the
/// encoder of …ForMaskedImageModeling.
///
/// Quirks: the norms of the embedding and of the merging have eps 1e-5
/// whatever layer_norm_eps says. `hidden_states_i` are the embedding and the
/// result of each stage, after merging; `attentions_i` those of the last block
/// of stage i, windows counted as images. A map that is no multiple of the
/// window is padded before it is rolled.
/// Version 1 makes the window as small as the map's shorter side, but not its
/// table, and fails then: such models are refused. Version 2 makes it as small
/// as the rows of the map that the config's image_size has in the stage, adds
/// its mask twice, and cannot add the position embedding that it makes room
/// for.
#include "Builder/Swin.h"
#include "Sequence.h"

using namespace vitc;
using mlir::Value;

namespace vitc::transformers_swin {

struct Stage {
  int64_t width, depth, heads, hidden, pretrainedWindow;
};

struct Config {
  bool second; ///< version 2
  std::vector<Stage> stages;
  int64_t channels, window;
  Grid imageSize, patchSize;
  double eps;
  vit::Activation activation;
  bool qkvBias, absolutePosition, classifies;
  std::vector<std::string> labels;
};

static llvm::Expected<Config> readConfig(const JsonObject &json,
                                         const Checkpoint *checkpoint) {
  ConfigReader fields(json);
  Config config;
  config.second = fields.text("model_type", std::nullopt) == "swinv2";
  int64_t width = fields.positive("embed_dim", 96, widest);
  std::vector<int64_t> depths = fields.depths("depths", {2, 2, 6, 2});
  std::vector<int64_t> heads = fields.integers("num_heads", {3, 6, 12, 24}, 1);
  std::vector<int64_t> pretrained(depths.size(), 0);
  if (config.second)
    pretrained = fields.integers("pretrained_window_sizes", pretrained, 0);
  double ratio = fields.ratio("mlp_ratio", 4);
  config.channels = fields.positive("num_channels", 3, 1024);
  config.imageSize = fields.size("image_size", {224, 224});
  config.patchSize = fields.size("patch_size", {4, 4});
  config.window = fields.positive("window_size", 7, 1024);
  config.eps = fields.eps("layer_norm_eps", 1e-5);
  config.qkvBias = fields.boolean("qkv_bias", true);
  config.absolutePosition = fields.boolean("use_absolute_embeddings", false);
  config.activation = fields.activation("hidden_act", "gelu");
  std::string name = config.second ? "Swinv2" : "Swin";
  std::string classifier = name + "ForImageClassification",
              bare = name + "Model", masked = name + "ForMaskedImageModeling",
              known = fields.take(
                  readArchitecture(json, {classifier, bare, masked}));
  config.classifies = known.empty()
                          ? !checkpoint || checkpoint->find("classifier.weight")
                          : known == classifier;
  if (config.classifies)
    config.labels = fields.take(readLabels(json));
  if (llvm::Error error = fields.finish())
    return error;

  if (depths.empty() || depths.size() > 16)
    return json.error("depths", "depths has " + llvm::Twine(depths.size()) +
                                    " stages, expected 1 to 16");
  if (heads.size() != depths.size())
    return json.error("num_heads",
                      "num_heads has " + llvm::Twine(heads.size()) +
                          " stages, depths has " + llvm::Twine(depths.size()));
  if (pretrained.size() < depths.size())
    return json.error("pretrained_window_sizes",
                      "pretrained_window_sizes has " +
                          llvm::Twine(pretrained.size()) +
                          " stages, depths has " + llvm::Twine(depths.size()));
  if (config.second && config.absolutePosition)
    return json.error("use_absolute_embeddings",
                      "use_absolute_embeddings of swinv2 is one position too "
                      "long for any image");
  for (size_t i = 0; i < depths.size(); ++i) {
    if (width > widest)
      return json.error("embed_dim", "embed_dim gives stage " + llvm::Twine(i) +
                                         " " + llvm::Twine(width) +
                                         " channels, expected at most " +
                                         llvm::Twine(widest));
    if (width % heads[i])
      return json.error("num_heads", "stage " + llvm::Twine(i) + " has " +
                                         llvm::Twine(width) +
                                         " channels, not a multiple of its " +
                                         llvm::Twine(heads[i]) + " heads");
    if (pretrained[i] == 1)
      return json.error("pretrained_window_sizes",
                        "pretrained_window_sizes has 1, in which no two pixels "
                        "are apart");
    int64_t hidden = int64_t(ratio * double(width));
    if (hidden < 1)
      return json.error("mlp_ratio", "mlp_ratio leaves stage " +
                                         llvm::Twine(i) +
                                         " without hidden channels");
    config.stages.push_back(
        {width, depths[i], heads[i], hidden, pretrained[i]});
    width *= 2;
  }
  return config;
}

/// Layers of a block: those of ViT but for the projections.
static BlockNames blockNames(const std::string &block) {
  BlockNames names = vitLayerNames(block);
  names.query = block + ".attention.self.query";
  names.key = block + ".attention.self.key";
  names.value = block + ".attention.self.value";
  return names;
}

static bool isForAnotherUse(llvm::StringRef name) {
  return name.ends_with("relative_position_index") ||
         name.ends_with("relative_coords_table") ||
         name.contains("mask_token") || name.starts_with("decoder.") ||
         name.starts_with("classifier.");
}

/// The window and the roll of a stage's odd blocks.
static llvm::Expected<std::pair<int64_t, int64_t>>
windowOf(const JsonObject &json, const Config &config, size_t stage,
         Grid grid) {
  int64_t shift = config.window / 2;
  if (config.second) {
    int64_t rows = (config.imageSize.first / config.patchSize.first) >> stage;
    if (rows < 1)
      return json.error("image_size", "image_size leaves stage " +
                                          llvm::Twine(stage) +
                                          " without a map");
    int64_t window = std::min(config.window, rows);
    return std::pair(window, rows <= window ? 0 : shift);
  }
  int64_t side = std::min(grid.first, grid.second);
  if (side < config.window)
    return json.error("window_size",
                      "window_size " + llvm::Twine(config.window) +
                          " is larger than the map of stage " +
                          llvm::Twine(stage) + ", " + llvm::Twine(grid.first) +
                          " x " + llvm::Twine(grid.second) +
                          ", for which it has no position table");
  return std::pair(config.window, side == config.window ? 0 : shift);
}

static FamilyResult grow(FamilyImport &import) {
  llvm::Expected<Config> read = readConfig(import.config, import.checkpoint);
  if (!read)
    return read.takeError();
  const Config &config = *read;

  import.labels = config.labels;
  Grid size = import.options.imageSize.value_or(config.imageSize);
  auto [height, width] = size;
  ModelBuilder model = startModel(import, config.channels, size);
  std::string encoder = encoderPrefix(import, config.second ? "swinv2" : "swin",
                                      "layernorm.weight", config.classifies);

  // Embedding: the image is padded to whole patches.
  auto [patchHeight, patchWidth] = config.patchSize;
  Map map = model.imageMap();
  Padding padding;
  padding.bottom = llvm::alignTo(height, patchHeight) - height;
  padding.right = llvm::alignTo(width, patchWidth) - width;
  std::string patches = encoder + "embeddings.patch_embeddings.projection";
  if (padding.bottom || padding.right)
    map = model.conv(patches, map, config.stages[0].width, /*bias=*/true,
                     {config.patchSize, config.patchSize, padding});
  else
    map = {model.patchEmbed(patches, config.stages[0].width, patchHeight,
                            patchWidth, /*bias=*/true),
           {height / patchHeight, width / patchWidth}};
  map.value =
      model.layerNorm(encoder + "embeddings.norm", map.value, swinNormEps);
  if (config.absolutePosition)
    map.value = model.addPosition(encoder + "embeddings.position_embeddings",
                                  map.value, /*prefix=*/0,
                                  {config.imageSize.first / patchHeight,
                                   config.imageSize.second / patchWidth},
                                  map.grid);

  // Encoder.
  llvm::SmallVector<Value> hiddenStates = {map.value}, attentions;
  for (auto [i, stage] : llvm::enumerate(config.stages)) {
    std::string layer = encoder + "encoder.layers." + std::to_string(i);
    auto window = windowOf(import.config, config, i, map.grid);
    if (!window)
      return window.takeError();
    Grid size = {window->first, window->first};
    ModelBuilder::AttentionResult last;
    for (int64_t j = 0; j < stage.depth; ++j) {
      BlockNames names = blockNames(layer + ".blocks." + std::to_string(j));
      std::string attention = names.block + ".attention.self";
      int64_t shift = j % 2 ? window->second : 0;
      SwinBlock block = {names,
                         size,
                         {shift, shift},
                         stage.heads,
                         stage.hidden,
                         config.eps,
                         config.activation,
                         /*normAfter=*/config.second,
                         SwinRoll::Padded,
                         /*maskValue=*/config.second ? -200.0 : -100.0};
      if (config.second) {
        block.scale = 1;
        block.bias = swinContinuousBias(
            model, attention + ".continuous_position_bias_mlp", size,
            {stage.pretrainedWindow, stage.pretrainedWindow}, stage.heads);
      } else {
        int64_t distances = 2 * size.first - 1;
        block.bias = model.relativeBias(
            attention + ".bias",
            model.parameter(attention + ".relative_position_bias_table",
                            {distances * distances, stage.heads}),
            size, /*prefix=*/0);
      }
      last = swinBlock(model, block, map, [&](Value windows) -> Projections {
        bool bias = config.qkvBias;
        Projections plain = {
            model.linear(names.query, windows, stage.width, bias),
            model.linear(names.key, windows, stage.width,
                         bias && !config.second),
            model.linear(names.value, windows, stage.width, bias)};
        return config.second
                   ? swinCosine(model, attention, plain, {stage.heads, 1, 1})
                   : plain;
      });
      map.value = last.sequence;
    }
    if (i + 1 < config.stages.size())
      map = swinMerge(model, layer + ".downsample", map, 2 * stage.width,
                      /*normAfter=*/config.second);
    hiddenStates.push_back(map.value);
    attentions.push_back(last.probabilities);
  }
  Value last = model.layerNorm(encoder + "layernorm", map.value, config.eps);
  Value pooled = model.pool(encoder + "pooler", last, vit::PoolKind::Mean, 0);

  // Outputs.
  if (config.classifies)
    offerLogits(model, model.head("classifier", pooled, config.labels.size(),
                                  vit::Activation::None));
  model.output("last_hidden_state", last);
  model.output("pooler_output", pooled);
  model.output("embedding", pooled);
  for (auto [i, state] : llvm::enumerate(hiddenStates))
    model.output("hidden_states_" + llvm::Twine(i), state);
  for (auto [i, maps] : llvm::enumerate(attentions))
    model.output("attentions_" + llvm::Twine(i), maps);
  return model.finish(import.options.outputs,
                      config.classifies ? "logits" : "last_hidden_state",
                      isForAnotherUse);
}

} // namespace vitc::transformers_swin

FamilyResult vitc::importTransformersSwin(FamilyImport &import) {
  return transformers_swin::grow(import);
}
