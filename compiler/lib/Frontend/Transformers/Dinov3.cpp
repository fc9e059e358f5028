// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// transformers' DINOv3 ViT: DINOv3ViTModel.
///
/// Quirks: eps is 1e-5 unless the config says otherwise; positions are
/// rotations of the patches' queries and keys that follow from the grid, so
/// images may have any size; CLS and registers are not turned. Each of the
/// projections has a flag for its bias (keys have none by default), the
/// MLP has one for both layers and may be gated. Layer scale always.
/// `pooler_output` is CLS after the final norm. Blocks are `layer.N` in files
/// and `model.layer.N` in some of transformers 5.
#include "Sequence.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace vitc;
using mlir::Value;

namespace vitc::transformers_dinov3 {

struct Config : SequenceConfig {
  explicit Config(const SequenceConfig &shared) : SequenceConfig(shared) {}

  int64_t hidden, registers;
  double theta;
  bool queryBias, keyBias, valueBias, outputBias, mlpBias, gated;
};

static llvm::Expected<Config> readConfig(const JsonObject &json) {
  ConfigReader fields(json);
  Config config(readSequenceConfig(fields, {/*eps=*/1e-5, /*patch=*/16, "gelu",
                                            /*width=*/384, /*heads=*/6}));
  config.hidden = fields.positive("intermediate_size", 1536, 4 * widest);
  config.registers = fields.integer("num_register_tokens", 0, 0, 1024);
  config.theta = fields.above0("rope_theta", 100);
  config.queryBias = fields.boolean("query_bias", true);
  config.keyBias = fields.boolean("key_bias", false);
  config.valueBias = fields.boolean("value_bias", true);
  config.outputBias = fields.boolean("proj_bias", true);
  config.mlpBias = fields.boolean("mlp_bias", true);
  config.gated = fields.boolean("use_gated_mlp", false);
  fields.take(readArchitecture(json, {"DINOv3ViTModel"}));
  if (llvm::Error error = fields.finish())
    return error;
  if (config.width / config.heads % 4)
    return json.error("num_attention_heads",
                      "heads of " + llvm::Twine(config.width / config.heads) +
                          " channels (hidden_size / num_attention_heads) "
                          "cannot be turned: expected a multiple of 4");
  return config;
}

/// Cosines and sines of the angles by which channels turn: [1, tokens, channels
/// of a head].
struct Rotation {
  Value cos, sin;
};

/// A patch whose centre is (y, x), each from -1 to 1, turns the channels of a
/// quarter of a head by 2π·y / theta^(4i/D), the next quarter by the same with
/// x; the second half of the head as the first. Single precision, as in the
/// library.
static Rotation makeRotation(ModelBuilder &model, const Config &config,
                             Grid grid) {
  int64_t channels = config.width / config.heads, quarter = channels / 4,
          prefix = 1 + config.registers,
          tokens = prefix + grid.first * grid.second;
  llvm::SmallVector<int64_t> shape = {1, tokens, channels};
  std::string cosName = "rope_embeddings.cos", sinName = "rope_embeddings.sin";
  if (!model.takesTable(cosName, shape) || !model.takesTable(sinName, shape))
    return {model.zeros(cosName, shape), model.zeros(sinName, shape)};
  std::vector<double> cos(tokens * channels, 1), sin(tokens * channels, 0);
  auto centre = [](int64_t index, int64_t count) {
    return 2.0f * ((float(index) + 0.5f) / float(count)) - 1.0f;
  };
  for (int64_t y = 0; y < grid.first; ++y)
    for (int64_t x = 0; x < grid.second; ++x)
      for (int64_t d = 0; d < channels; ++d) {
        float place =
            d / quarter % 2 ? centre(x, grid.second) : centre(y, grid.first);
        float exponent = float(4.0 / double(channels) * double(d % quarter));
        float frequency = 1.0f / std::pow(float(config.theta), exponent);
        float angle = float(2 * llvm::numbers::pi) * place * frequency;
        int64_t at = (prefix + y * grid.second + x) * channels + d;
        cos[at] = float(std::cos(double(angle)));
        sin[at] = float(std::sin(double(angle)));
      }
  return {model.constant(cosName, shape, cos),
          model.constant(sinName, shape, sin)};
}

static BlockNames blockNames(llvm::StringRef layers, int64_t index,
                             bool gated) {
  std::string block = (layers + "layer." + llvm::Twine(index)).str();
  return {block,
          block + ".norm1",
          block + ".attention.q_proj",
          block + ".attention.k_proj",
          block + ".attention.v_proj",
          block + ".attention.o_proj",
          block + ".norm2",
          block + ".mlp.up_proj",
          block + ".mlp.down_proj",
          gated ? block + ".mlp.gate_proj" : "",
          block + ".layer_scale1.lambda1",
          block + ".layer_scale2.lambda1"};
}

static bool isForAnotherUse(llvm::StringRef name) {
  return name.contains("mask_token") || name.ends_with("inv_freq") ||
         name == "embeddings.register_tokens"; // of no tokens
}

static FamilyResult grow(FamilyImport &import, const Config &config,
                         ImageGrid image, ModelBuilder &model) {

  // Embedding.
  Value tokens = model.parameter("embeddings.cls_token", {1, 1, config.width});
  if (config.registers)
    tokens = model.concat(
        {tokens, model.parameter("embeddings.register_tokens",
                                 {1, config.registers, config.width})},
        1);
  Value x = model.patchEmbed("embeddings.patch_embeddings", config.width,
                             config.patchSize.first, config.patchSize.second,
                             /*bias=*/true);
  x = model.concatTokens("embeddings", tokens, x);

  // Encoder.
  Rotation rotation = makeRotation(model, config, image.grid);
  BlockShape shape = {config.heads,      config.hidden,     config.eps,
                      config.activation, config.queryBias,  config.keyBias,
                      config.valueBias,  config.outputBias, config.mlpBias};
  shape.cos = rotation.cos;
  shape.sin = rotation.sin;
  std::string layers = encoderPrefix(import, "model", "layer.0.norm1.weight",
                                     /*hasHead=*/false);
  Encoder encoder(x);
  for (int64_t i = 0; i < config.depth; ++i)
    encoder.append(model.encoderBlock(blockNames(layers, i, config.gated),
                                      shape, encoder.x));

  // Outputs.
  Value last = model.layerNorm("norm", encoder.x, config.eps);
  Value embedding = model.pool("embedding", last, vit::PoolKind::Token, 0);
  model.output("last_hidden_state", last);
  model.output("pooler_output", embedding);
  model.output("embedding", embedding);
  encoder.offer(model);
  return model.finish(import.options.outputs, "last_hidden_state",
                      isForAnotherUse);
}

} // namespace vitc::transformers_dinov3

FamilyResult vitc::importTransformersDinov3(FamilyImport &import) {
  return importSequence(import, transformers_dinov3::readConfig(import.config),
                        Resizing::Always, transformers_dinov3::grow);
}
