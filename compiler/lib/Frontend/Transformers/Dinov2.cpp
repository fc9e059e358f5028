// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// transformers' DINOv2, with and without registers: Dinov2Model,
/// Dinov2ForImageClassification, Dinov2WithRegistersModel,
/// Dinov2WithRegistersForImageClassification.
///
/// Quirks: eps is 1e-6 unless the config says otherwise; the width of the
/// MLP follows from mlp_ratio; SwiGLU has gate and up in one layer,
/// `weights_in`, gate first, two thirds as wide and rounded up to a multiple of
/// 8. The position embedding is resized to the image whatever its size,
/// antialiased only in the model with registers. Registers stand between CLS
/// and the patches and have no position. `pooler_output` is CLS after the final
/// norm; the classifier reads it beside the mean of the patches. Classifiers
/// prefix the encoder's tensors with `dinov2.` or `dinov2_with_registers.`.
#include "Sequence.h"

using namespace vitc;
using mlir::Value;

namespace vitc::transformers_dinov2 {

struct Config : SequenceConfig {
  explicit Config(const SequenceConfig &shared) : SequenceConfig(shared) {}

  int64_t hidden;
  bool qkvBias, swiglu;
  bool hasRegisters; ///< is dinov2_with_registers
  int64_t registers; ///< their number
  bool classifies;
};

static llvm::Expected<Config> readConfig(const JsonObject &json,
                                         const Checkpoint *checkpoint) {
  ConfigReader fields(json);
  bool hasRegisters =
      fields.text("model_type", "dinov2") == "dinov2_with_registers";
  Config config(readSequenceConfig(
      fields, {/*eps=*/1e-6, /*patch=*/hasRegisters ? 16 : 14}));
  config.hasRegisters = hasRegisters;
  config.registers =
      hasRegisters ? fields.integer("num_register_tokens", 4, 0, 1024) : 0;
  config.qkvBias = fields.boolean("qkv_bias", true);
  config.swiglu = fields.boolean("use_swiglu_ffn", false);
  double ratio = fields.ratio("mlp_ratio", 4);
  std::string architecture = fields.take(readArchitecture(
      json,
      hasRegisters
          ? llvm::ArrayRef<
                llvm::StringRef>{"Dinov2WithRegistersForImageClassification",
                                 "Dinov2WithRegistersModel"}
          : llvm::ArrayRef<llvm::StringRef>{"Dinov2ForImageClassification",
                                            "Dinov2Model"}));
  config.classifies =
      architecture.empty()
          ? !checkpoint || checkpoint->find("classifier.weight")
          : llvm::StringRef(architecture).ends_with("ForImageClassification");
  if (config.classifies)
    config.labels = fields.take(readLabels(json));
  if (llvm::Error error = fields.finish())
    return error;

  config.hidden = int64_t(double(config.width) * ratio);
  if (config.swiglu) {
    config.hidden = (int64_t(double(config.hidden) * 2 / 3) + 7) / 8 * 8;
    config.activation = vit::Activation::Silu;
  }
  if (config.hidden < 1)
    return json.error("mlp_ratio", "mlp_ratio leaves the MLP no layer");
  return config;
}

static BlockNames blockNames(llvm::StringRef encoder, int64_t index,
                             bool swiglu) {
  std::string block = (encoder + "encoder.layer." + llvm::Twine(index)).str();
  return {block,
          block + ".norm1",
          block + ".attention.attention.query",
          block + ".attention.attention.key",
          block + ".attention.attention.value",
          block + ".attention.output.dense",
          block + ".norm2",
          block + (swiglu ? ".mlp.weights_in" : ".mlp.fc1"),
          block + (swiglu ? ".mlp.weights_out" : ".mlp.fc2"),
          /*mlpGate=*/"",
          block + ".layer_scale1.lambda1",
          block + ".layer_scale2.lambda1"};
}

static bool isForAnotherUse(llvm::StringRef name) {
  return name.contains("mask_token") || name.starts_with("classifier.") ||
         name.ends_with("register_tokens"); // of no tokens
}

static FamilyResult grow(FamilyImport &import, const Config &config,
                         ImageGrid image, ModelBuilder &model) {
  std::string prefix = encoderPrefix(
      import, config.hasRegisters ? "dinov2_with_registers" : "dinov2",
      "embeddings.cls_token", config.classifies);
  std::string embeddings = prefix + "embeddings";

  // Embedding. Registers have no position: zeros stand in for it.
  Value tokens =
      model.parameter(embeddings + ".cls_token", {1, 1, config.width});
  PositionResize resize;
  resize.antialias = config.hasRegisters;
  Value position = model.resizePosition(
      embeddings + ".position_embeddings",
      model.parameter(embeddings + ".position_embeddings",
                      {1, 1 + image.tableGrid.first * image.tableGrid.second,
                       config.width}),
      /*prefix=*/1, image.tableGrid, image.grid, resize);
  if (config.registers) {
    tokens = model.concat(
        {tokens, model.parameter(embeddings + ".register_tokens",
                                 {1, config.registers, config.width})},
        1);
    Value none = model.constant(
        embeddings + ".no_position", {1, config.registers, config.width},
        std::vector<double>(config.registers * config.width));
    position = model.concat(
        {model.slice(position, 1, 0, 1), none,
         model.slice(position, 1, 1, image.grid.first * image.grid.second)},
        1);
  }
  Value x = model.patchEmbed(embeddings + ".patch_embeddings.projection",
                             config.width, config.patchSize.first,
                             config.patchSize.second, /*bias=*/true);
  x = model.concatTokens(embeddings, tokens, x);
  x = model.addPosition(embeddings + ".position_embeddings", x, position);

  // Encoder.
  Encoder encoder(x);
  BlockShape shape = {config.heads, config.hidden, config.eps,
                      config.activation};
  shape.queryBias = shape.keyBias = shape.valueBias = config.qkvBias;
  shape.packedGate = config.swiglu;
  for (int64_t i = 0; i < config.depth; ++i)
    encoder.append(model.encoderBlock(blockNames(prefix, i, config.swiglu),
                                      shape, encoder.x));
  Value last = model.layerNorm(prefix + "layernorm", encoder.x, config.eps);
  Value embedding =
      model.pool(prefix + "embedding", last, vit::PoolKind::Token, 0);

  // Outputs.
  if (config.classifies) {
    Value patches = model.pool(prefix + "patches", last, vit::PoolKind::Mean,
                               1 + config.registers);
    offerLogits(model,
                model.head("classifier", model.concat({embedding, patches}, 1),
                           config.labels.size(), vit::Activation::None));
  }
  model.output("last_hidden_state", last);
  model.output("pooler_output", embedding);
  model.output("embedding", embedding);
  encoder.offer(model);
  return model.finish(import.options.outputs,
                      config.classifies ? "logits" : "last_hidden_state",
                      isForAnotherUse);
}

} // namespace vitc::transformers_dinov2

FamilyResult vitc::importTransformersDinov2(FamilyImport &import) {
  return importSequence(
      import, transformers_dinov2::readConfig(import.config, import.checkpoint),
      Resizing::Always, transformers_dinov2::grow);
}
