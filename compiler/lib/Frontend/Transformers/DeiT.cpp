// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// transformers' DeiT: DeiTForImageClassification,
/// DeiTForImageClassificationWithTeacher, DeiTModel, and the encoder of
/// DeiTForMaskedImageModeling.
///
/// Quirks: eps is 1e-12 unless the config says otherwise; a distillation token
/// stands behind CLS, with a position of its own, in every class; classes with
/// heads prefix the encoder's tensors with `deit.`. With a teacher, `logits` is
/// the mean of `cls_logits` and `distillation_logits`, the heads of the two
/// tokens; without, CLS alone is classified.
#include "Sequence.h"

using namespace vitc;
using mlir::Value;

namespace vitc::transformers_deit {

struct Config : SequenceConfig {
  explicit Config(const SequenceConfig &shared) : SequenceConfig(shared) {}

  int64_t hidden, poolerWidth;
  vit::Activation poolerActivation;
  bool qkvBias;
  enum class Head { None, Classifier, Teacher } head;
};

/// The class that the config names, or whose head the checkpoint has.
static Config::Head headOf(llvm::StringRef architecture,
                           const Checkpoint *checkpoint) {
  auto has = [&](llvm::StringRef head) {
    return checkpoint && checkpoint->find(head);
  };
  if (architecture == "DeiTForImageClassificationWithTeacher" ||
      (architecture.empty() && has("distillation_classifier.weight")))
    return Config::Head::Teacher;
  if (architecture == "DeiTForImageClassification" ||
      (architecture.empty() && (!checkpoint || has("classifier.weight"))))
    return Config::Head::Classifier;
  return Config::Head::None;
}

static llvm::Expected<Config> readConfig(const JsonObject &json,
                                         const Checkpoint *checkpoint) {
  ConfigReader fields(json);
  Config config(readSequenceConfig(fields, {/*eps=*/1e-12}));
  config.hidden = fields.positive("intermediate_size", 3072, 4 * widest);
  config.qkvBias = fields.boolean("qkv_bias", true);
  config.poolerActivation = fields.activation("pooler_act", "tanh");
  config.poolerWidth =
      fields.positive("pooler_output_size", config.width, widest);
  config.head = headOf(fields.take(readArchitecture(
                           json, {"DeiTForImageClassification",
                                  "DeiTForImageClassificationWithTeacher",
                                  "DeiTModel", "DeiTForMaskedImageModeling"})),
                       checkpoint);
  if (config.head != Config::Head::None)
    config.labels = fields.take(readLabels(json));
  if (llvm::Error error = fields.finish())
    return error;
  return config;
}

static bool isForAnotherUse(llvm::StringRef name) {
  return name.contains("mask_token") || name.starts_with("decoder.") ||
         name.starts_with("pooler.") || name.starts_with("deit.pooler.") ||
         name.contains("classifier.");
}

/// The mean of both heads' logits as one layer: tokens and weights side by
/// side.
static Value meanOfHeads(ModelBuilder &model, Value ofClass, Value ofTeacher,
                         int64_t classes) {
  int64_t width = ModelBuilder::shapeOf(ofClass)[1];
  auto half = [&](llvm::StringRef name, llvm::ArrayRef<int64_t> shape) {
    return model.scale(model.parameter(name, shape), 0.5);
  };
  Value weight =
      model.concat({half("cls_classifier.weight", {classes, width}),
                    half("distillation_classifier.weight", {classes, width})},
                   1);
  Value bias = model.add("logits.bias", half("cls_classifier.bias", {classes}),
                         half("distillation_classifier.bias", {classes}));
  return model.linear("logits", model.concat({ofClass, ofTeacher}, 1), weight,
                      bias);
}

static FamilyResult grow(FamilyImport &import, const Config &config,
                         ImageGrid image, ModelBuilder &model) {
  bool hasHead = config.head != Config::Head::None;
  std::string prefix =
      encoderPrefix(import, "deit", "embeddings.cls_token", hasHead);

  // Embedding.
  Value x = model.patchEmbed(prefix + "embeddings.patch_embeddings.projection",
                             config.width, config.patchSize.first,
                             config.patchSize.second, /*bias=*/true);
  Value tokens = model.concat(
      {model.parameter(prefix + "embeddings.cls_token", {1, 1, config.width}),
       model.parameter(prefix + "embeddings.distillation_token",
                       {1, 1, config.width})},
      1);
  x = model.concatTokens(prefix + "embeddings", tokens, x);
  x = model.addPosition(prefix + "embeddings.position_embeddings", x,
                        /*prefix=*/2, image.tableGrid, image.grid);

  // Encoder.
  Encoder encoder(x);
  BlockShape shape = {config.heads, config.hidden, config.eps,
                      config.activation};
  shape.queryBias = shape.keyBias = shape.valueBias = config.qkvBias;
  for (int64_t i = 0; i < config.depth; ++i)
    encoder.append(
        model.encoderBlock(vitBlockNames(prefix, i), shape, encoder.x));
  Value last = model.layerNorm(prefix + "layernorm", encoder.x, config.eps);
  Value embedding =
      model.pool(prefix + "embedding", last, vit::PoolKind::Token, 0);

  // Outputs.
  int64_t classes = config.labels.size();
  if (config.head == Config::Head::Classifier) {
    offerLogits(model, model.head("classifier", embedding, classes,
                                  vit::Activation::None));
  } else if (config.head == Config::Head::Teacher) {
    Value distilled =
        model.pool(prefix + "distilled", last, vit::PoolKind::Token, 1);
    Value ofClass = model.head("cls_classifier", embedding, classes,
                               vit::Activation::None),
          ofTeacher = model.head("distillation_classifier", distilled, classes,
                                 vit::Activation::None);
    offerLogits(model, meanOfHeads(model, embedding, distilled, classes));
    model.output("cls_logits", ofClass);
    model.output("distillation_logits", ofTeacher);
  }
  model.output("last_hidden_state", last);
  if (!hasHead && model.hasTensor(prefix + "pooler.dense.weight"))
    model.output("pooler_output",
                 model.head(prefix + "pooler.dense", embedding,
                            config.poolerWidth, config.poolerActivation));
  model.output("embedding", embedding);
  encoder.offer(model);
  return model.finish(import.options.outputs,
                      hasHead ? "logits" : "last_hidden_state",
                      isForAnotherUse);
}

} // namespace vitc::transformers_deit

FamilyResult vitc::importTransformersDeiT(FamilyImport &import) {
  return importSequence(
      import, transformers_deit::readConfig(import.config, import.checkpoint),
      Resizing::OnRequest, transformers_deit::grow);
}
