// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// transformers' ViT: ViTForImageClassification, ViTModel, the encoder of
/// ViT-MAE (all patches kept), ViT-MSN, and ViT hybrid.
///
/// Quirks: eps is 1e-12 unless the config says otherwise (ViT-MSN: 1e-6);
/// classification models prefix the encoder's tensors with `vit.`, bare models
/// do not, and transformers 5 leaves it out of the blocks of
/// ViTMSNForImageClassification; `pooler_output` is tanh(dense(CLS after the
/// final norm)), and only ViTModel has it; `hidden_states` end before the final
/// norm.
#include "Hybrid.h"
#include "Sequence.h"

using namespace vitc;
using mlir::Value;

namespace vitc::transformers_vit {

struct Config : SequenceConfig {
  explicit Config(const SequenceConfig &shared) : SequenceConfig(shared) {}

  int64_t hidden, poolerWidth;
  vit::Activation poolerActivation;
  bool qkvBias;
  bool classifies, pools; ///< has `logits`; may have `pooler_output`
  std::optional<HybridBackbone> backbone; ///< in front of the patches
};

static llvm::Expected<Config> readConfig(const JsonObject &json,
                                         const Checkpoint *checkpoint) {
  ConfigReader fields(json);
  std::string type = fields.text("model_type", "vit");
  bool isHybrid = type == "vit-hybrid";
  SequenceDefaults defaults = {/*eps=*/type == "vit_msn" ? 1e-6 : 1e-12};
  if (isHybrid)
    defaults.patch = 1;
  Config config(readSequenceConfig(fields, defaults));
  if (isHybrid)
    config.backbone = fields.take(readHybridBackbone(json));
  config.hidden = fields.positive("intermediate_size", 3072, 4 * widest);
  config.qkvBias = fields.boolean("qkv_bias", true);
  config.poolerActivation = fields.activation("pooler_act", "tanh");
  config.poolerWidth =
      fields.positive("pooler_output_size", config.width, widest);
  std::string architecture = fields.take(readArchitecture(
      json,
      {"ViTForImageClassification", "ViTModel", "ViTForMaskedImageModeling",
       "ViTMAEModel", "ViTMAEForPreTraining", "ViTMSNForImageClassification",
       "ViTMSNModel", "ViTHybridForImageClassification", "ViTHybridModel"}));
  config.classifies =
      type != "vit_mae" &&
      (architecture.empty()
           ? !checkpoint || checkpoint->find("classifier.weight")
           : llvm::StringRef(architecture).ends_with("ForImageClassification"));
  config.pools = (type == "vit" || isHybrid) && !config.classifies;
  if (config.classifies)
    config.labels = fields.take(readLabels(json));
  if (llvm::Error error = fields.finish())
    return error;
  return config;
}

/// Tensors that checkpoints of this family carry for training or for other
/// heads.
static bool isForAnotherUse(llvm::StringRef name) {
  return name.contains("mask_token") || name.starts_with("decoder.") ||
         name.starts_with("pooler.") || name.starts_with("vit.pooler.") ||
         name.starts_with("classifier.") || name.ends_with("position_ids");
}

static FamilyResult grow(FamilyImport &import, const Config &config,
                         ImageGrid image, ModelBuilder &model) {
  std::string prefix =
      encoderPrefix(import, "vit", "embeddings.cls_token", config.classifies);

  // Embedding.
  std::string patches = prefix + "embeddings.patch_embeddings";
  Value x;
  if (config.backbone) {
    Map map =
        config.backbone->build(model, patches, config.width, config.patchSize);
    x = map.value;
    image.grid = map.grid;
    image.tableGrid = {
        config.backbone->featureGrid.first / config.patchSize.first,
        config.backbone->featureGrid.second / config.patchSize.second};
  } else {
    x = model.patchEmbed(patches + ".projection", config.width,
                         config.patchSize.first, config.patchSize.second,
                         /*bias=*/true);
  }
  x = model.concatTokens(
      prefix + "embeddings",
      model.parameter(prefix + "embeddings.cls_token", {1, 1, config.width}),
      x);
  x = model.addPosition(prefix + "embeddings.position_embeddings", x,
                        /*prefix=*/1, image.tableGrid, image.grid);

  // Encoder.
  Encoder encoder(x);
  BlockShape shape = {config.heads, config.hidden, config.eps,
                      config.activation};
  shape.queryBias = shape.keyBias = shape.valueBias = config.qkvBias;
  std::string blocks =
      encoderPrefix(import, "vit", "encoder.layer.0.layernorm_before.weight",
                    config.classifies);
  for (int64_t i = 0; i < config.depth; ++i)
    encoder.append(
        model.encoderBlock(vitBlockNames(blocks, i), shape, encoder.x));
  Value last = model.layerNorm(prefix + "layernorm", encoder.x, config.eps);
  Value embedding =
      model.pool(prefix + "embedding", last, vit::PoolKind::Token, 0);

  // Outputs.
  if (config.classifies)
    offerLogits(model, model.head("classifier", embedding, config.labels.size(),
                                  vit::Activation::None));
  model.output("last_hidden_state", last);
  if (config.pools && model.hasTensor(prefix + "pooler.dense.weight"))
    model.output("pooler_output",
                 model.head(prefix + "pooler.dense", embedding,
                            config.poolerWidth, config.poolerActivation));
  model.output("embedding", embedding);
  encoder.offer(model);
  return model.finish(import.options.outputs,
                      config.classifies ? "logits" : "last_hidden_state",
                      [&](llvm::StringRef name) {
                        return isForAnotherUse(name) ||
                               (config.backbone &&
                                name.contains(".backbone.bit."));
                      });
}

} // namespace vitc::transformers_vit

FamilyResult vitc::importTransformersViT(FamilyImport &import) {
  return importSequence(
      import, transformers_vit::readConfig(import.config, import.checkpoint),
      Resizing::OnRequest, transformers_vit::grow);
}
