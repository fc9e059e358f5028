// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// transformers' CLIP, its image tower: CLIPVisionModel,
/// CLIPVisionModelWithProjection, CLIPForImageClassification, CLIPModel.
///
/// Quirks: eps is 1e-5 and the activation quick_gelu unless the config says
/// otherwise; patches have no bias; a norm, `pre_layrnorm` (so spelled), stands
/// before the first block, and `hidden_states` begin behind it.
/// `last_hidden_state` is not normed; `pooler_output` is the norm of its CLS;
/// `image_embeds` is its projection, in CLIPModel at length 1. The classifier
/// reads the mean of the patches, not normed. Tensors are prefixed with
/// `vision_model.`, except those of CLIPVisionModel in transformers 5.
#include "Sequence.h"

#include "llvm/ADT/StringSwitch.h"

using namespace vitc;
using mlir::Value;

namespace vitc::transformers_clip {

struct Config : SequenceConfig {
  explicit Config(const SequenceConfig &shared) : SequenceConfig(shared) {}

  int64_t hidden, projection;
  /// CLIPVisionModel, …WithProjection, CLIPModel, CLIPForImageClassification
  enum class Kind { Tower, Projection, Whole, Classifier } kind;
};

/// The class that the config names, or what the checkpoint has.
static Config::Kind kindOf(llvm::StringRef architecture, bool isWhole,
                           const Checkpoint *checkpoint) {
  auto has = [&](llvm::StringRef tensor) {
    return checkpoint && checkpoint->find(tensor);
  };
  if (architecture.empty()) {
    if (isWhole)
      return has("classifier.weight") ? Config::Kind::Classifier
                                      : Config::Kind::Whole;
    return has("visual_projection.weight") ? Config::Kind::Projection
                                           : Config::Kind::Tower;
  }
  return llvm::StringSwitch<Config::Kind>(architecture)
      .Case("CLIPModel", Config::Kind::Whole)
      .Case("CLIPForImageClassification", Config::Kind::Classifier)
      .Case("CLIPVisionModelWithProjection", Config::Kind::Projection)
      .Default(Config::Kind::Tower);
}

static llvm::Expected<Config> readConfig(const JsonObject &json,
                                         const Checkpoint *checkpoint) {
  llvm::Expected<JsonObject> vision = readVisionConfig(json);
  if (!vision)
    return vision.takeError();
  ConfigReader outer(json), fields(*vision);
  Config config(readSequenceConfig(
      fields, {/*eps=*/1e-5, /*patch=*/32, /*activation=*/"quick_gelu"}));
  config.hidden = fields.positive("intermediate_size", 3072, 4 * widest);
  config.kind =
      kindOf(outer.take(readArchitecture(json, {"CLIPModel", "CLIPVisionModel",
                                                "CLIPVisionModelWithProjection",
                                                "CLIPForImageClassification"})),
             outer.text("model_type", "clip") == "clip", checkpoint);
  ConfigReader &projecting =
      config.kind == Config::Kind::Whole ? outer : fields;
  config.projection = projecting.positive("projection_dim", 512, widest);
  if (config.kind == Config::Kind::Classifier)
    config.labels = outer.take(readLabels(json));
  outer.fail(fields.finish());
  if (llvm::Error error = outer.finish())
    return error;
  return config;
}

static bool isForAnotherUse(llvm::StringRef name) {
  return isForTexts(name) || name.starts_with("visual_projection.");
}

static FamilyResult grow(FamilyImport &import, const Config &config,
                         ImageGrid image, ModelBuilder &model) {
  std::string tower =
      encoderPrefix(import, "vision_model", "embeddings.class_embedding",
                    /*hasHead=*/config.kind != Config::Kind::Tower);

  // Embedding.
  Value x = model.patchEmbed(tower + "embeddings.patch_embedding", config.width,
                             config.patchSize.first, config.patchSize.second,
                             /*bias=*/false);
  Value token =
      model.parameter(tower + "embeddings.class_embedding", {config.width});
  x = model.concatTokens(tower + "embeddings",
                         model.reshape(token, {1, 1, config.width}), x);
  std::string position = tower + "embeddings.position_embedding";
  int64_t positions = 1 + image.tableGrid.first * image.tableGrid.second;
  Value table = model.reshape(
      model.parameter(position + ".weight", {positions, config.width}),
      {1, positions, config.width});
  x = model.addPosition(position, x,
                        model.resizePosition(position, table, /*prefix=*/1,
                                             image.tableGrid, image.grid));
  x = model.layerNorm(tower + "pre_layrnorm", x, config.eps);

  // Encoder.
  Encoder encoder(x);
  BlockShape shape = {config.heads, config.hidden, config.eps,
                      config.activation};
  for (int64_t i = 0; i < config.depth; ++i)
    encoder.append(
        model.encoderBlock(clipBlockNames(tower, i), shape, encoder.x));
  Value last = encoder.x;
  Value embedding = model.layerNorm(
      tower + "post_layernorm",
      model.pool(tower + "embedding", last, vit::PoolKind::Token, 0),
      config.eps);

  // Outputs.
  llvm::StringRef main = "last_hidden_state";
  if (config.kind == Config::Kind::Classifier) {
    Value patches = model.pool(tower + "patches", last, vit::PoolKind::Mean, 1);
    offerLogits(model, model.head("classifier", patches, config.labels.size(),
                                  vit::Activation::None));
    main = "logits";
  } else if (config.kind != Config::Kind::Tower) {
    Value embeds = model.head("visual_projection", embedding, config.projection,
                              vit::Activation::None, /*bias=*/false);
    if (config.kind == Config::Kind::Whole)
      embeds = model.unitHeads("image_embeds", embeds, /*heads=*/1, /*eps=*/0,
                               /*gain=*/{});
    model.output("image_embeds", embeds);
    main = "image_embeds";
  }
  model.output("last_hidden_state", last);
  model.output("pooler_output", embedding);
  model.output("embedding", embedding);
  encoder.offer(model);
  return model.finish(import.options.outputs, main, isForAnotherUse);
}

} // namespace vitc::transformers_clip

FamilyResult vitc::importTransformersClip(FamilyImport &import) {
  return importSequence(
      import, transformers_clip::readConfig(import.config, import.checkpoint),
      Resizing::OnRequest, transformers_clip::grow);
}
