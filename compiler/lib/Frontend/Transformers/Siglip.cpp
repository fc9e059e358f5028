// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// transformers' SigLIP, its image tower: SiglipVisionModel,
/// SiglipForImageClassification, SiglipModel.
///
/// Quirks: eps is 1e-6 and the activation gelu_pytorch_tanh unless the config
/// says otherwise; there is no CLS. `pooler_output` comes from attention with
/// one learned query, the probe, over the normed sequence, and an MLP
/// with a residual; a config with `vision_use_head` false has none.
/// `image_embeds` (SiglipModel) is `pooler_output` at length 1. The classifier
/// reads the mean of the sequence; the pooling head that its checkpoints carry
/// is not used. Tensors are prefixed with `vision_model.`, except those of
/// SiglipVisionModel in transformers 5.
#include "Sequence.h"

using namespace vitc;
using mlir::Value;

namespace vitc::transformers_siglip {

struct Config : SequenceConfig {
  explicit Config(const SequenceConfig &shared) : SequenceConfig(shared) {}

  int64_t hidden;
  bool hasHead;
  /// SiglipVisionModel, SiglipModel, SiglipForImageClassification
  enum class Kind { Tower, Whole, Classifier } kind;
};

/// The class that the config names, or what the checkpoint has.
static Config::Kind kindOf(llvm::StringRef architecture, bool isWhole,
                           const Checkpoint *checkpoint) {
  bool classifies =
      architecture.empty()
          ? isWhole && checkpoint && checkpoint->find("classifier.weight")
          : architecture == "SiglipForImageClassification";
  if (classifies)
    return Config::Kind::Classifier;
  bool whole = architecture.empty() ? isWhole : architecture == "SiglipModel";
  return whole ? Config::Kind::Whole : Config::Kind::Tower;
}

static llvm::Expected<Config> readConfig(const JsonObject &json,
                                         const Checkpoint *checkpoint) {
  llvm::Expected<JsonObject> vision = readVisionConfig(json);
  if (!vision)
    return vision.takeError();
  ConfigReader outer(json), fields(*vision);
  Config config(
      readSequenceConfig(fields, {/*eps=*/1e-6, /*patch=*/16,
                                  /*activation=*/"gelu_pytorch_tanh"}));
  config.hidden = fields.positive("intermediate_size", 3072, 4 * widest);
  config.hasHead = fields.boolean("vision_use_head", true);
  config.kind = kindOf(
      outer.take(readArchitecture(json, {"SiglipModel", "SiglipVisionModel",
                                         "SiglipForImageClassification"})),
      outer.text("model_type", "siglip") == "siglip", checkpoint);
  if (config.kind == Config::Kind::Classifier)
    config.labels = outer.take(readLabels(json));
  outer.fail(fields.finish());
  if (llvm::Error error = outer.finish())
    return error;
  if (config.kind == Config::Kind::Whole && !config.hasHead)
    return vision->error("vision_use_head",
                         "vision_use_head is false, but SiglipModel takes its "
                         "image_embeds from that head");
  return config;
}

/// Multi-head attention pooling: the probe asks the sequence.
static Value attentionPool(ModelBuilder &model, const std::string &name,
                           const Config &config, Value sequence) {
  int64_t width = config.width;
  std::string attention = name + ".attention";
  Value weight =
      model.parameter(attention + ".in_proj_weight", {3 * width, width});
  Value bias = model.parameter(attention + ".in_proj_bias", {3 * width});
  auto project = [&](int64_t index, llvm::StringRef part, Value x) {
    return model.linear(attention + part, x,
                        model.slice(weight, 0, index * width, width),
                        model.slice(bias, 0, index * width, width));
  };
  Value probe = model.parameter(name + ".probe", {1, 1, width});
  Value attended =
      model
          .attention(attention,
                     {project(0, ".query", probe), project(1, ".key", sequence),
                      project(2, ".value", sequence)},
                     {config.heads})
          .sequence;
  Value x = model.linear(attention + ".out_proj", attended, width,
                         /*bias=*/true);
  Value normed = model.layerNorm(name + ".layernorm", x, config.eps);
  x = model.add(name + ".residual",
                model.mlp(name + ".mlp", name + ".mlp.fc1", name + ".mlp.fc2",
                          normed, config.hidden, config.activation),
                x);
  return model.pool(name, x, vit::PoolKind::Token, 0);
}

static FamilyResult grow(FamilyImport &import, const Config &config,
                         ImageGrid image, ModelBuilder &model) {
  bool isTower = config.kind == Config::Kind::Tower;
  std::string tower =
      encoderPrefix(import, "vision_model", "embeddings.patch_embedding.weight",
                    /*hasHead=*/!isTower);

  // Embedding.
  Value x = model.patchEmbed(tower + "embeddings.patch_embedding", config.width,
                             config.patchSize.first, config.patchSize.second,
                             /*bias=*/true);
  std::string position = tower + "embeddings.position_embedding";
  int64_t positions = image.tableGrid.first * image.tableGrid.second;
  Value table = model.reshape(
      model.parameter(position + ".weight", {positions, config.width}),
      {1, positions, config.width});
  x = model.addPosition(position, x,
                        model.resizePosition(position, table, /*prefix=*/0,
                                             image.tableGrid, image.grid));

  // Encoder.
  Encoder encoder(x);
  BlockShape shape = {config.heads, config.hidden, config.eps,
                      config.activation};
  for (int64_t i = 0; i < config.depth; ++i)
    encoder.append(
        model.encoderBlock(clipBlockNames(tower, i), shape, encoder.x));
  Value last = model.layerNorm(tower + "post_layernorm", encoder.x, config.eps);

  // Outputs.
  llvm::StringRef main = "last_hidden_state";
  model.output("last_hidden_state", last);
  if (config.kind == Config::Kind::Classifier) {
    Value mean = model.pool(tower + "embedding", last, vit::PoolKind::Mean, 0);
    offerLogits(model, model.head("classifier", mean, config.labels.size(),
                                  vit::Activation::None));
    model.output("embedding", mean);
    main = "logits";
  } else if (config.hasHead) {
    Value pooled = attentionPool(model, tower + "head", config, last);
    model.output("pooler_output", pooled);
    model.output("embedding", pooled);
    if (config.kind == Config::Kind::Whole) {
      model.output("image_embeds",
                   model.unitHeads("image_embeds", pooled, /*heads=*/1,
                                   /*eps=*/0, /*gain=*/{}));
      main = "image_embeds";
    }
  }
  encoder.offer(model);
  auto isForAnotherUse = [&](llvm::StringRef name) {
    return isForTexts(name) || (config.kind == Config::Kind::Classifier &&
                                name.starts_with(tower + "head."));
  };
  return model.finish(import.options.outputs, main, isForAnotherUse);
}

} // namespace vitc::transformers_siglip

FamilyResult vitc::importTransformersSiglip(FamilyImport &import) {
  return importSequence(
      import, transformers_siglip::readConfig(import.config, import.checkpoint),
      Resizing::OnRequest, transformers_siglip::grow);
}
