// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Sequence.h"

#include <cmath>

using namespace vitc;
using mlir::Value;

SequenceConfig vitc::readSequenceConfig(ConfigReader &fields,
                                        const SequenceDefaults &defaults) {
  SequenceConfig config;
  config.width = fields.positive("hidden_size", defaults.width, widest);
  config.depth =
      fields.positive("num_hidden_layers", 12, JsonReader::mostBlocks);
  config.heads = fields.positive("num_attention_heads", defaults.heads, widest);
  config.channels = fields.positive("num_channels", 3, 1024);
  config.imageSize = fields.size("image_size", {224, 224});
  config.patchSize =
      fields.size("patch_size", {defaults.patch, defaults.patch});
  config.eps = fields.eps("layer_norm_eps", defaults.eps);
  config.activation = fields.activation("hidden_act", defaults.activation);
  if (fields.failed())
    return config;
  if (config.width % config.heads)
    fields.refuse("hidden_size",
                  "hidden_size " + llvm::Twine(config.width) +
                      " is not a multiple of num_attention_heads " +
                      llvm::Twine(config.heads));
  else if (config.imageSize.first < config.patchSize.first ||
           config.imageSize.second < config.patchSize.second)
    fields.refuse("image_size",
                  "image_size " + llvm::Twine(config.imageSize.first) + " x " +
                      llvm::Twine(config.imageSize.second) +
                      " is smaller than patch_size " +
                      llvm::Twine(config.patchSize.first) + " x " +
                      llvm::Twine(config.patchSize.second));
  return config;
}

/// The side of a square of that many patches; 0 if they are no square.
static int64_t sideOfSquare(int64_t patches) {
  int64_t side = std::llround(std::sqrt(double(patches)));
  return side * side == patches ? side : 0;
}

llvm::Expected<ImageGrid> vitc::placeImage(const FamilyImport &import,
                                           const SequenceConfig &config,
                                           Resizing resizing) {
  Grid size = import.options.imageSize.value_or(config.imageSize);
  if (resizing == Resizing::Always) {
    llvm::Expected<Grid> any =
        sizeOfImage(import, config.channels, config.imageSize);
    if (!any)
      return any.takeError();
    size = *any;
  }
  llvm::Expected<Grid> grid = gridOfPatches(import, size, config.patchSize);
  if (!grid)
    return grid.takeError();
  ImageGrid image = {size,
                     *grid,
                     {config.imageSize.first / config.patchSize.first,
                      config.imageSize.second / config.patchSize.second}};
  bool resizes = resizing == Resizing::Always || image.grid != image.tableGrid;
  int64_t patches = image.grid.first * image.grid.second,
          positions = image.tableGrid.first * image.tableGrid.second;
  if (resizes && (patches != positions || size.first != size.second))
    if (int64_t side = sideOfSquare(positions))
      image.tableGrid = {side, side};
  return image;
}

std::string vitc::encoderPrefix(const FamilyImport &import,
                                llvm::StringRef prefix, llvm::StringRef tensor,
                                bool hasHead) {
  std::string prefixed = (prefix + ".").str();
  bool has = import.checkpoint
                 ? import.checkpoint->find(prefixed + tensor.str()) != nullptr
                 : hasHead;
  return has ? prefixed : "";
}

BlockNames vitc::vitBlockNames(llvm::StringRef encoder, int64_t index) {
  return vitLayerNames((encoder + "encoder.layer." + llvm::Twine(index)).str());
}

BlockNames vitc::vitLayerNames(const std::string &block) {
  return {block,
          block + ".layernorm_before",
          block + ".attention.attention.query",
          block + ".attention.attention.key",
          block + ".attention.attention.value",
          block + ".attention.output.dense",
          block + ".layernorm_after",
          block + ".intermediate.dense",
          block + ".output.dense"};
}

BlockNames vitc::clipBlockNames(llvm::StringRef tower, int64_t index) {
  std::string block = (tower + "encoder.layers." + llvm::Twine(index)).str();
  return {block,
          block + ".layer_norm1",
          block + ".self_attn.q_proj",
          block + ".self_attn.k_proj",
          block + ".self_attn.v_proj",
          block + ".self_attn.out_proj",
          block + ".layer_norm2",
          block + ".mlp.fc1",
          block + ".mlp.fc2"};
}

llvm::Expected<JsonObject> vitc::readVisionConfig(const JsonObject &config) {
  // Configs of old have the tower's fields twice; transformers believes these.
  if (config.has("vision_config_dict"))
    return config.getObject("vision_config_dict");
  if (config.has("vision_config"))
    return config.getObject("vision_config");
  return config;
}

bool vitc::isForTexts(llvm::StringRef name) {
  return name.starts_with("text_model.") ||
         name.starts_with("text_projection.") || name == "logit_scale" ||
         name == "logit_bias" || name.ends_with("position_ids");
}

void Encoder::append(const ModelBuilder::AttentionResult &block) {
  x = block.sequence;
  hiddenStates.push_back(x);
  attentions.push_back(block.probabilities);
}

void Encoder::offer(ModelBuilder &model) const {
  model.output("hidden_states", model.stack("hidden_states", hiddenStates));
  model.output("attentions", model.stack("attentions", attentions));
}

void vitc::offerLogits(ModelBuilder &model, Value logits) {
  model.output("logits", logits);
  model.output("probabilities", model.softmax("probabilities", logits));
}
