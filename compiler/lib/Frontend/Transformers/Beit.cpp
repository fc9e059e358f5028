// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// transformers' BEiT and data2vec-vision: …ForImageClassification, …Model, and
/// the encoder of BeitForMaskedImageModeling.
///
/// Quirks: eps is 1e-12 unless the config says otherwise; keys have no bias;
/// layer scale (`lambda_1`, `lambda_2`) is absent where layer_scale_init_value
/// is 0. Positions are a bias of attention, one table for each block or one for
/// all (or both: their sum), an embedding, or both, or nothing. Tables and
/// embedding are resized to the image whatever its size, the tables
/// bilinearly. With mean pooling there is no norm behind the last block;
/// `pooler_output` is then the norm of the mean of the patches, else it is CLS
/// after the final norm. Classifiers prefix the encoder's tensors with `beit.`
/// or `data2vec_vision.`.
#include "Sequence.h"

using namespace vitc;
using mlir::Value;

namespace vitc::transformers_beit {

struct Config : SequenceConfig {
  explicit Config(const SequenceConfig &shared) : SequenceConfig(shared) {}

  int64_t hidden;
  bool absolutePositions, relativeBias, sharedRelativeBias;
  bool layerScale, meanPooling;
  bool classifies, pools; ///< has `logits`; has `pooler_output`
  std::string prefix;
};

static llvm::Expected<Config> readConfig(const JsonObject &json,
                                         const Checkpoint *checkpoint) {
  ConfigReader fields(json);
  Config config(readSequenceConfig(fields, {/*eps=*/1e-12}));
  config.hidden = fields.positive("intermediate_size", 3072, 4 * widest);
  config.absolutePositions =
      fields.boolean("use_absolute_position_embeddings", false);
  config.relativeBias = fields.boolean("use_relative_position_bias", false);
  config.sharedRelativeBias =
      fields.boolean("use_shared_relative_position_bias", false);
  config.layerScale = fields.number("layer_scale_init_value", 0.1) > 0;
  config.meanPooling = fields.boolean("use_mean_pooling", true);
  bool isBeit = fields.text("model_type", "beit") == "beit";
  config.prefix = isBeit ? "beit" : "data2vec_vision";
  std::string architecture = fields.take(readArchitecture(
      json, isBeit
                ? llvm::ArrayRef<llvm::StringRef>{"BeitForImageClassification",
                                                  "BeitModel",
                                                  "BeitForMaskedImageModeling"}
                : llvm::ArrayRef<llvm::StringRef>{
                      "Data2VecVisionForImageClassification",
                      "Data2VecVisionModel"}));
  config.classifies =
      architecture.empty()
          ? !checkpoint || checkpoint->find("classifier.weight")
          : llvm::StringRef(architecture).ends_with("ForImageClassification");
  std::string poolerNorm = "pooler.layernorm.weight";
  bool mayPool =
      isBeit && (architecture.empty() || architecture == "BeitModel") &&
      (!config.meanPooling || !checkpoint || checkpoint->find(poolerNorm));
  config.pools = config.classifies || mayPool;
  if (config.classifies)
    config.labels = fields.take(readLabels(json));
  if (llvm::Error error = fields.finish())
    return error;
  return config;
}

/// `relative_position_index` is what vit.relative_bias computes; the head of
/// masked image modeling, `layernorm` and `lm_head`, predicts visual words.
static bool isForAnotherUse(llvm::StringRef name) {
  return name.contains("mask_token") || name.starts_with("classifier.") ||
         name.contains("pooler.layernorm.") || name.starts_with("lm_head.") ||
         name.starts_with("layernorm.") ||
         name.ends_with("relative_position_index");
}

/// The bias of attention on the image's grid. Its table is resized as the
/// library does it: rows and columns of the old table change places (which
/// shows only where the model's own images are not square).
static Value relativeBias(ModelBuilder &model, const std::string &name,
                          int64_t heads, Grid from, Grid to) {
  auto distances = [](Grid grid) {
    return Grid(2 * grid.first - 1, 2 * grid.second - 1);
  };
  auto [rows, columns] = distances(from);
  Grid resized = distances(to);
  constexpr int64_t special = 3; // to CLS, from CLS, CLS to itself
  int64_t pairs = rows * columns;
  Value table = model.parameter(name + ".relative_position_bias_table",
                                {pairs + special, heads});
  if (Grid(columns, rows) != resized) {
    Value pixels =
        model.reshape(model.slice(table, 0, 0, pairs), {1, pairs, heads});
    pixels = model.resizePosition(name, pixels, /*prefix=*/0, {columns, rows},
                                  resized, {vit::Interpolation::Bilinear});
    table = model.concat(
        {model.reshape(pixels, {resized.first * resized.second, heads}),
         model.slice(table, 0, pairs, special)},
        0);
  }
  return model.relativeBias(name, table, to, /*prefix=*/1);
}

static FamilyResult grow(FamilyImport &import, const Config &config,
                         ImageGrid image, ModelBuilder &model) {
  std::string prefix = encoderPrefix(import, config.prefix,
                                     "embeddings.cls_token", config.classifies);

  // Embedding.
  Value x = model.patchEmbed(prefix + "embeddings.patch_embeddings.projection",
                             config.width, config.patchSize.first,
                             config.patchSize.second, /*bias=*/true);
  x = model.concatTokens(
      prefix + "embeddings",
      model.parameter(prefix + "embeddings.cls_token", {1, 1, config.width}),
      x);
  if (config.absolutePositions)
    x = model.addPosition(prefix + "embeddings.position_embeddings", x,
                          /*prefix=*/1, image.tableGrid, image.grid);

  // Encoder.
  Grid ownGrid = {config.imageSize.first / config.patchSize.first,
                  config.imageSize.second / config.patchSize.second};
  Value sharedBias;
  if (config.sharedRelativeBias)
    sharedBias = relativeBias(model, prefix + "encoder.relative_position_bias",
                              config.heads, ownGrid, image.grid);
  Encoder encoder(x);
  BlockShape shape = {config.heads, config.hidden, config.eps,
                      config.activation};
  shape.keyBias = false;
  for (int64_t i = 0; i < config.depth; ++i) {
    BlockNames names = vitBlockNames(prefix, i);
    if (config.layerScale) {
      names.attentionScale = names.block + ".lambda_1";
      names.mlpScale = names.block + ".lambda_2";
    }
    shape.attentionBias = sharedBias;
    if (config.relativeBias) {
      std::string name =
          names.block + ".attention.attention.relative_position_bias";
      Value own = relativeBias(model, name, config.heads, ownGrid, image.grid);
      shape.attentionBias =
          sharedBias ? model.add(name + ".sum", own, sharedBias) : own;
    }
    encoder.append(model.encoderBlock(names, shape, encoder.x));
  }

  // Outputs.
  Value last = encoder.x, pooled;
  if (config.meanPooling) {
    pooled = model.pool(prefix + "pooler", last, vit::PoolKind::Mean, 1);
    if (config.pools)
      pooled = model.layerNorm(prefix + "pooler.layernorm", pooled, config.eps);
  } else {
    last = model.layerNorm(prefix + "layernorm", last, config.eps);
    pooled = model.pool(prefix + "pooler", last, vit::PoolKind::Token, 0);
  }
  if (config.classifies)
    offerLogits(model, model.head("classifier", pooled, config.labels.size(),
                                  vit::Activation::None));
  model.output("last_hidden_state", last);
  if (config.pools)
    model.output("pooler_output", pooled);
  model.output("embedding", pooled);
  encoder.offer(model);
  return model.finish(import.options.outputs,
                      config.classifies ? "logits" : "last_hidden_state",
                      isForAnotherUse);
}

} // namespace vitc::transformers_beit

FamilyResult vitc::importTransformersBeit(FamilyImport &import) {
  return importSequence(
      import, transformers_beit::readConfig(import.config, import.checkpoint),
      Resizing::Always, transformers_beit::grow);
}
