/// transformers' ViT: ViTForImageClassification, ViTModel, and the encoder of
/// ViT-MAE (all patches kept).
///
/// Quirks: eps is 1e-12 unless the config says otherwise; classification models
/// prefix the encoder's tensors with `vit.`, bare models do not;
/// `pooler_output` is tanh(dense(CLS after the final norm)); `hidden_states`
/// end before the final norm.
#include "Families.h"

#include "vitc/Frontend/ModelBuilder.h"

using namespace vitc;
using mlir::Value;

namespace {

struct Config {
  int64_t width, depth, heads, hidden, channels;
  std::pair<int64_t, int64_t> imageSize, patchSize;
  double eps;
  vit::Activation activation, poolerActivation;
  int64_t poolerWidth;
  bool qkvBias;
  bool classifies, masked; ///< ViTForImageClassification; ViT-MAE
  std::vector<std::string> labels;
};

/// Reads fields one after the other and keeps the first error.
class Fields {
public:
  explicit Fields(const JsonObject &config) : config(config) {}

  template <typename T>
  T take(llvm::Expected<T> value) {
    if (value)
      return std::move(*value);
    if (error)
      llvm::consumeError(value.takeError());
    else
      error = value.takeError();
    return T();
  }
  int64_t positive(llvm::StringRef key, int64_t fallback, int64_t limit) {
    int64_t value = take(config.getInteger(key, fallback));
    if (!error && (value < 1 || value > limit))
      error =
          config.error(key, key + " " + llvm::Twine(value) +
                                " is not between 1 and " + llvm::Twine(limit));
    return value;
  }
  std::pair<int64_t, int64_t> size(llvm::StringRef key, int64_t fallback) {
    if (!config.has(key))
      return {fallback, fallback};
    auto value = take(config.getPair(key));
    if (!error && (value.first < 1 || value.second < 1 || value.first > 65536 ||
                   value.second > 65536))
      error = config.error(key, key + " " + llvm::Twine(value.first) + " x " +
                                    llvm::Twine(value.second) +
                                    " is not between 1 and 65536");
    return value;
  }

  llvm::Error error = llvm::Error::success();

private:
  const JsonObject &config;
};

} // namespace

/// What the checkpoint is for: the class it was saved from, or what its tensors
/// show.
static llvm::Expected<bool> readsAsClassifier(const JsonObject &config,
                                              const Checkpoint *checkpoint) {
  if (!config.has("architectures"))
    return !checkpoint || checkpoint->find("classifier.weight");
  llvm::Expected<std::vector<std::string>> classes =
      config.getStrings("architectures");
  if (!classes)
    return classes.takeError();
  for (const std::string &name : *classes) {
    if (name == "ViTForImageClassification")
      return true;
    if (name == "ViTModel" || name == "ViTMAEModel" ||
        name == "ViTMAEForPreTraining" || name == "ViTForMaskedImageModeling")
      return false;
  }
  return config.error("architectures",
                      "architectures has none of ViTForImageClassification, "
                      "ViTModel, ViTForMaskedImageModeling, "
                      "ViTMAEModel, ViTMAEForPreTraining");
}

static llvm::Expected<Config> readConfig(const JsonObject &json,
                                         const Checkpoint *checkpoint) {
  constexpr int64_t widest = 1 << 16, deepest = 1 << 10;
  Fields fields(json);
  Config config;
  config.width = fields.positive("hidden_size", 768, widest);
  config.depth = fields.positive("num_hidden_layers", 12, deepest);
  config.heads = fields.positive("num_attention_heads", 12, widest);
  config.hidden = fields.positive("intermediate_size", 3072, 4 * widest);
  config.channels = fields.positive("num_channels", 3, 1024);
  config.imageSize = fields.size("image_size", 224);
  config.patchSize = fields.size("patch_size", 16);
  config.eps = fields.take(json.getNumber("layer_norm_eps", 1e-12));
  config.qkvBias = fields.take(json.getBool("qkv_bias", true));
  config.activation = fields.take(readActivation(json, "hidden_act", "gelu"));
  config.poolerActivation =
      fields.take(readActivation(json, "pooler_act", "tanh"));
  config.poolerWidth =
      fields.positive("pooler_output_size", config.width, widest);
  config.masked = fields.take(json.getString("model_type", "vit")) == "vit_mae";
  config.classifies =
      fields.take(readsAsClassifier(json, checkpoint)) && !config.masked;
  if (config.classifies)
    config.labels = fields.take(readLabels(json));
  if (fields.error)
    return std::move(fields.error);

  if (config.width % config.heads)
    return json.error("hidden_size",
                      "hidden_size " + llvm::Twine(config.width) +
                          " is not a multiple of num_attention_heads " +
                          llvm::Twine(config.heads));
  if (!(config.eps >= 0 && config.eps < 1))
    return json.error("layer_norm_eps",
                      "layer_norm_eps is not between 0 and 1");
  if (config.imageSize.first < config.patchSize.first ||
      config.imageSize.second < config.patchSize.second)
    return json.error("image_size",
                      "image_size " + llvm::Twine(config.imageSize.first) +
                          " x " + llvm::Twine(config.imageSize.second) +
                          " is smaller than patch_size " +
                          llvm::Twine(config.patchSize.first) + " x " +
                          llvm::Twine(config.patchSize.second));
  return config;
}

/// Layers of block `index`, as transformers names them.
static BlockNames blockNames(llvm::StringRef encoder, int64_t index) {
  std::string block = (encoder + "encoder.layer." + llvm::Twine(index)).str();
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

/// Tensors that checkpoints of this family carry for training or for other
/// heads.
static bool isForAnotherUse(llvm::StringRef name) {
  return name.contains("mask_token") || name.starts_with("decoder.") ||
         name.starts_with("pooler.") || name.starts_with("vit.pooler.") ||
         name.starts_with("classifier.") || name.ends_with("position_ids");
}

llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
vitc::importHuggingFaceViT(FamilyImport &import) {
  llvm::Expected<Config> read = readConfig(import.config, import.checkpoint);
  if (!read)
    return read.takeError();
  const Config &config = *read;

  auto [height, width] = import.options.imageSize.value_or(config.imageSize);
  auto gridOf = [&](int64_t h, int64_t w) {
    return std::pair(h / config.patchSize.first, w / config.patchSize.second);
  };
  auto tableGrid = gridOf(config.imageSize.first, config.imageSize.second),
       grid = gridOf(height, width);
  if (grid.first < 1 || grid.second < 1)
    return userError("--image-size " + llvm::Twine(height) + "x" +
                     llvm::Twine(width) + " is smaller than one patch of " +
                     llvm::Twine(config.patchSize.first) + " x " +
                     llvm::Twine(config.patchSize.second));
  import.channels = config.channels;
  import.height = height;
  import.width = width;
  import.labels = config.labels;

  ModelBuilder model(import.context, import.checkpoint,
                     {import.options.batch, config.channels, height, width});
  bool prefixed =
      import.checkpoint
          ? import.checkpoint->find("vit.embeddings.cls_token") != nullptr
          : config.classifies;
  std::string encoder = prefixed ? "vit." : "";

  // Embedding.
  Value x = model.patchEmbed(encoder + "embeddings.patch_embeddings.projection",
                             config.width, config.patchSize.first,
                             config.patchSize.second, /*bias=*/true);
  x = model.concatTokens(
      encoder + "embeddings",
      model.parameter(encoder + "embeddings.cls_token", {1, 1, config.width}),
      x);
  x = model.addPosition(encoder + "embeddings.position_embeddings", x,
                        /*prefix=*/1, tableGrid, grid);

  // Encoder.
  llvm::SmallVector<Value> hiddenStates = {x}, attentions;
  BlockShape shape = {config.heads, config.hidden, config.eps,
                      config.activation, config.qkvBias};
  for (int64_t i = 0; i < config.depth; ++i) {
    ModelBuilder::BlockResult block =
        model.encoderBlock(blockNames(encoder, i), shape, x);
    x = block.sequence;
    hiddenStates.push_back(x);
    attentions.push_back(block.probabilities);
  }
  Value last = model.layerNorm(encoder + "layernorm", x, config.eps);
  Value embedding =
      model.pool(encoder + "embedding", last, vit::PoolKind::Token, 0);

  // Outputs.
  if (config.classifies) {
    Value logits = model.head("classifier", embedding, config.labels.size(),
                              vit::Activation::None);
    model.output("logits", logits);
    model.output("probabilities", model.softmax("probabilities", logits));
  }
  model.output("last_hidden_state", last);
  if (!config.classifies && !config.masked &&
      model.hasTensor(encoder + "pooler.dense.weight"))
    model.output("pooler_output",
                 model.head(encoder + "pooler.dense", embedding,
                            config.poolerWidth, config.poolerActivation));
  model.output("embedding", embedding);
  model.output("hidden_states", model.stack("hidden_states", hiddenStates));
  model.output("attentions", model.stack("attentions", attentions));
  return model.finish(import.options.outputs,
                      config.classifies ? "logits" : "last_hidden_state",
                      isForAnotherUse);
}
