// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// timm's Eva: `eva_*`, `eva02_*`, `vit_*_rope_*`, the DINOv3 and Perception
/// Encoder models and others; the table says which.
///
/// Quirks: patches turn queries and keys by angles of their place (rotary
/// position embedding), the tokens in front do not; the angles come from the
/// grid, scaled to that of `ref_feat_shape` if there is one ("cat", "dinov3"),
/// or from frequencies that every head of every block has learned ("mixed");
/// attn_type "eva" has no bias for the key; SwiGLU is one layer, or two where a
/// norm or an alignment wants it; a norm may stand in the MLP and before
/// the attention's output; layer scales are gamma_1 and gamma_2; the final norm
/// moves behind the pooling for global_pool "avg" unless told otherwise; map
/// pooling sees the tokens in front, too.
#include "Timm.h"

#include <cmath>

using namespace vitc;
using mlir::Value;

namespace vitc::timm_eva {

struct Rope {
  std::string type; ///< cat, dinov3, mixed, or empty for none
  double temperature, offset;
  bool columnsFirst; ///< grid_indexing "xy"
  std::optional<Grid> reference;
  vit::RotaryPairing pairing;
};

struct Config {
  TimmPatches patches;
  int64_t depth, registers, classes;
  bool classToken, noEmbedClass, hasTable, preNorm, postNorm, fcNorm, postBlock,
      attentionScale, mlpScale;
  Norm norm;
  TimmAttention attention;
  std::vector<int64_t> keyHeads; ///< of every block
  TimmMlp mlp;
  Rope rope;
  std::string pool;
  int64_t poolHeads;
  double poolRatio;
};

/// cos and sin of [planes, tokens, channels of a head].
class Angles {
public:
  /// Whether the model takes such tables; else it has an error.
  static bool fit(ModelBuilder &model, const std::string &name, int64_t planes,
                  int64_t prefix, Grid grid, int64_t channels) {
    llvm::SmallVector<int64_t> shape = {
        planes, prefix + grid.first * grid.second, channels};
    return model.takesTable(name + ".cos", shape) &&
           model.takesTable(name + ".sin", shape);
  }
  Angles(int64_t planes, int64_t prefix, Grid grid, int64_t channels)
      : planes(planes), prefix(prefix),
        tokens(prefix + grid.first * grid.second), channels(channels),
        cos(planes * tokens * channels, 1.0),
        sin(planes * tokens * channels, 0.0) {}

  void set(int64_t plane, int64_t pixel, int64_t channel, double angle) {
    size_t at = (plane * tokens + prefix + pixel) * channels + channel;
    cos[at] = std::cos(angle);
    sin[at] = std::sin(angle);
  }
  TimmRotation rotation(ModelBuilder &model, const std::string &name,
                        vit::RotaryPairing pairing) const {
    llvm::SmallVector<int64_t> shape = {planes, tokens, channels};
    return {model.constant(name + ".cos", shape, cos),
            model.constant(name + ".sin", shape, sin), pairing};
  }

private:
  int64_t planes, prefix, tokens, channels;
  std::vector<double> cos, sin;
};

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static Rope readRope(TimmArguments &arguments) {
  Rope rope;
  rope.type = arguments.choice("rope_type", "cat", {"cat", "dinov3", "mixed"});
  if (!arguments.boolean("use_rot_pos_emb", false))
    rope.type.clear();
  rope.temperature = arguments.above0("rope_temperature", 10000);
  rope.offset = arguments.number("rope_grid_offset", 0);
  rope.columnsFirst =
      arguments.choice("rope_grid_indexing", "ij", {"ij", "xy"}) == "xy";
  if (arguments.has("ref_feat_shape"))
    rope.reference = arguments.size("ref_feat_shape", {1, 1});
  rope.pairing = arguments.boolean("rope_rotate_half", false)
                     ? vit::RotaryPairing::Halves
                     : vit::RotaryPairing::Interleaved;
  return rope;
}

static void readAttention(TimmArguments &arguments, Config &config) {
  TimmAttention &attention = config.attention;
  attention.heads = arguments.integer("num_heads", 12, 1, 1 << 16);
  attention.qkvBias = arguments.boolean("qkv_bias", true);
  bool isEva = arguments.choice("attn_type", "eva", {"eva", "rope"}) == "eva";
  bool isFused = arguments.boolean("qkv_fused", true);
  using Projection = TimmAttention::Projection;
  attention.projection =
      isFused ? (isEva ? Projection::PackedWithoutKeyBias : Projection::Packed)
              : (isEva ? Projection::SplitWithoutKeyBias : Projection::Split);
  if (arguments.boolean("qk_norm", false))
    attention.headNorm = config.norm;
  if (arguments.boolean("scale_attn_inner", false))
    attention.outputNorm = config.norm;

  config.keyHeads.assign(config.depth, attention.heads);
  if (arguments.has("num_kv_heads")) {
    std::vector<int64_t> given = arguments.integers("num_kv_heads", {}, 1);
    if (given.size() == 1)
      given.assign(config.depth, given[0]);
    bool fits = int64_t(given.size()) == config.depth;
    for (int64_t heads : given)
      fits &= heads > 0 && attention.heads % heads == 0 &&
              (heads == attention.heads || (!isEva && !isFused));
    if (fits)
      config.keyHeads = given;
    else
      arguments.refuse("num_kv_heads",
                       "num_kv_heads must be one divisor of num_heads for each "
                       "block, and fewer than num_heads take attn_type "
                       "\"rope\" and qkv_fused false");
  }
}

static TimmMlp readMlp(TimmArguments &arguments, const Config &config) {
  TimmMlp mlp;
  mlp.hidden =
      int64_t(double(config.patches.width) * arguments.ratio("mlp_ratio", 4));
  bool hasNorm = arguments.boolean("scale_mlp", false);
  int64_t align = arguments.integer("swiglu_align_to", 0, 0, 1 << 16);
  if (hasNorm)
    mlp.norm = config.norm;
  if (!arguments.boolean("swiglu_mlp", false))
    return mlp;
  mlp.activation = vit::Activation::Silu;
  if (hasNorm || (align && !config.postBlock)) {
    mlp.kind = TimmMlp::Kind::Split;
    if (align)
      mlp.hidden = llvm::divideCeil(mlp.hidden, align) * align;
  } else {
    mlp.kind = TimmMlp::Kind::Packed;
    mlp.hidden *= 2;
  }
  return mlp;
}

static llvm::Expected<Config> readConfig(TimmImport &import) {
  TimmArguments &arguments = import.arguments;
  Config config;
  config.patches = readTimmPatches(import);
  config.depth = arguments.positive("depth", 12, JsonReader::mostBlocks);
  config.classes = arguments.classes();
  config.registers = arguments.integer("num_reg_tokens", 0, 0, 1 << 16);
  config.classToken = arguments.boolean("class_token", true);
  config.noEmbedClass = arguments.boolean("no_embed_class", false);
  config.hasTable = arguments.boolean("use_abs_pos_emb", true);
  config.norm = arguments.norm("norm_layer");
  config.postBlock = arguments.boolean("use_post_norm", false);
  config.preNorm = arguments.boolean("use_pre_transformer_norm", false);
  config.pool = arguments.choice("global_pool", "avg",
                                 {"token", "avg", "max", "avgmax", "map", ""});
  config.fcNorm =
      arguments.optionalBoolean("use_fc_norm").value_or(config.pool == "avg");
  config.postNorm = arguments.optionalBoolean("use_post_transformer_norm")
                        .value_or(!config.fcNorm);
  bool layerScale = arguments.has("init_values") && !config.postBlock;
  config.attentionScale = layerScale;
  config.mlpScale =
      layerScale && !arguments.boolean("attn_only_layer_scale", false);
  arguments.number("init_values", 0);
  readAttention(arguments, config);
  config.mlp = readMlp(arguments, config);
  config.rope = readRope(arguments);
  config.poolHeads = arguments.integer("attn_pool_num_heads",
                                       config.attention.heads, 1, 1 << 16);
  config.poolRatio =
      arguments.ratio("attn_pool_mlp_ratio", arguments.ratio("mlp_ratio", 4));
  checkTimmWidth(arguments, config.patches.width, config.attention.heads,
                 config.mlp.hidden);
  if (!config.rope.type.empty() &&
      config.patches.width / config.attention.heads % 4)
    arguments.refuse("num_heads", "a rotary position embedding takes heads of "
                                  "a multiple of 4 channels, not " +
                                      llvm::Twine(config.patches.width /
                                                  config.attention.heads));
  if (config.pool == "token" && config.registers + config.classToken == 0)
    arguments.refuse("global_pool",
                     "global_pool \"token\" needs a class_token");
  if (llvm::Error error = arguments.finish())
    return error;
  return config;
}

//===----------------------------------------------------------------------===//
// Rotary position embedding
//===----------------------------------------------------------------------===//

/// Angles of the grid: the first half of the frequencies is for one coordinate,
/// the second for the other. timm computes them in f32.
static std::vector<TimmRotation>
gridRotation(ModelBuilder &model, const Config &config, int64_t prefix) {
  const Rope &rope = config.rope;
  auto [rows, columns] = config.patches.grid;
  int64_t channels = config.patches.width / config.attention.heads,
          bands = channels / 4;
  bool isDino = rope.type == "dinov3";
  std::vector<float> frequency;
  for (int64_t i = 0; i < bands; ++i) {
    float power =
        float(std::pow(rope.temperature, double(float(i) / float(bands))));
    frequency.push_back(isDino ? power : 1.0f / power);
  }
  auto place = [&](int64_t index, int64_t extent, int64_t reference) {
    if (isDino)
      return 2 * ((float(index) + 0.5f + float(rope.offset)) / float(extent)) -
             1;
    float at = float(index) + float(rope.offset);
    return rope.reference ? at / float(extent) * float(reference) : at;
  };
  Grid reference = rope.reference.value_or(Grid{1, 1});

  if (!Angles::fit(model, "rope", 1, prefix, config.patches.grid, channels))
    return {};
  Angles angles(1, prefix, config.patches.grid, channels);
  for (int64_t y = 0; y < rows; ++y)
    for (int64_t x = 0; x < columns; ++x) {
      float coordinates[] = {place(y, rows, reference.first),
                             place(x, columns, reference.second)};
      if (rope.columnsFirst && !isDino)
        std::swap(coordinates[0], coordinates[1]);
      for (int64_t i = 0; i < 2 * bands; ++i) {
        float at = coordinates[i / bands], band = frequency[i % bands];
        double angle =
            isDino ? 2 * M_PI * double(at) / double(band) : double(at * band);
        for (int64_t copy = 0; copy < 2; ++copy)
          angles.set(0, y * columns + x,
                     isDino ? i + copy * 2 * bands : 2 * i + copy, angle);
      }
    }
  return {angles.rotation(model, "rope", rope.pairing)};
}

/// The learned frequencies [coordinate, block, head, half of its channels], or
/// those that timm starts with.
static llvm::Expected<std::vector<double>>
readFrequencies(const Config &config, const Checkpoint *checkpoint) {
  int64_t heads = config.attention.heads,
          half = config.patches.width / heads / 2;
  std::vector<double> values(2 * config.depth * heads * half);
  if (checkpoint) {
    llvm::Expected<const TensorInfo *> tensor =
        checkpoint->get("rope.freqs", {2, config.depth, heads, half});
    if (!tensor)
      return tensor.takeError();
    checkpoint->read(**tensor, 0, llvm::MutableArrayRef<double>(values));
    return values;
  }
  for (int64_t i = 0; i < int64_t(values.size()); ++i) {
    int64_t channel = i % half, coordinate = i / int64_t(values.size() / 2);
    if (channel / (half / 2) == coordinate)
      values[i] = std::pow(config.rope.temperature,
                           -2.0 * double(channel % (half / 2)) / double(half));
  }
  return values;
}

/// Every block's and head's own angles.
static std::vector<TimmRotation> mixedRotations(ModelBuilder &model,
                                                const Config &config,
                                                const Checkpoint *checkpoint,
                                                int64_t prefix) {
  llvm::Expected<std::vector<double>> frequencies =
      readFrequencies(config, checkpoint);
  if (!frequencies) {
    model.fail(frequencies.takeError());
    return {};
  }
  auto [rows, columns] = config.patches.grid;
  int64_t heads = config.attention.heads,
          channels = config.patches.width / heads, half = channels / 2;
  std::vector<TimmRotation> rotations;
  for (int64_t block = 0; block < config.depth; ++block) {
    std::string name = "rope." + std::to_string(block);
    if (!Angles::fit(model, name, heads, prefix, config.patches.grid, channels))
      return {};
    Angles angles(heads, prefix, config.patches.grid, channels);
    for (int64_t head = 0; head < heads; ++head)
      for (int64_t i = 0; i < half; ++i) {
        auto frequency = [&](int64_t coordinate) {
          return (*frequencies)
              [((coordinate * config.depth + block) * heads + head) * half + i];
        };
        for (int64_t pixel = 0; pixel < rows * columns; ++pixel) {
          double y = double(pixel / columns), x = double(pixel % columns);
          if (config.rope.columnsFirst)
            std::swap(y, x);
          double angle = y * frequency(0) + x * frequency(1);
          angles.set(head, pixel, 2 * i, angle);
          angles.set(head, pixel, 2 * i + 1, angle);
        }
      }
    rotations.push_back(angles.rotation(model, name, config.rope.pairing));
  }
  return rotations;
}

//===----------------------------------------------------------------------===//
// The model
//===----------------------------------------------------------------------===//

static Value block(ModelBuilder &model, const std::string &name,
                   const Config &config, const TimmAttention &attention,
                   Value x) {
  auto normed = [&](const char *suffix, Value value) {
    return model.norm(name + suffix, value, config.norm);
  };
  bool isPost = config.postBlock;
  Value branch = timmAttention(model, name + ".attn",
                               isPost ? x : normed(".norm1", x), attention);
  if (isPost)
    branch = normed(".norm1", branch);
  x = model.add(
      name + ".attn.residual",
      timmLayerScale(model, name + ".gamma_1", branch, config.attentionScale),
      x);
  branch = timmMlp(model, name + ".mlp", isPost ? x : normed(".norm2", x),
                   config.mlp);
  if (isPost)
    branch = normed(".norm2", branch);
  return model.add(
      name + ".mlp.residual",
      timmLayerScale(model, name + ".gamma_2", branch, config.mlpScale), x);
}

static FamilyResult grow(TimmImport &import) {
  llvm::Expected<Config> read = readConfig(import);
  if (!read)
    return read.takeError();
  const Config &config = *read;
  const TimmPatches &patches = config.patches;
  FamilyImport &family = import.family;
  ModelBuilder model = startModel(family, patches.channels, patches.image);

  // Embedding.
  Value x = timmPatchEmbed(model, patches, !config.preNorm);
  TimmPrefix prefix;
  if (config.classToken)
    prefix.tokens.push_back({"cls_token", 1});
  if (config.registers)
    prefix.tokens.push_back({"reg_token", config.registers});
  prefix.hasTable = config.hasTable;
  prefix.tableHasPrefix = !config.noEmbedClass;
  x = timmPositions(model, family.checkpoint, patches, prefix, x);
  if (config.preNorm)
    x = model.norm("norm_pre", x, config.norm);

  // Encoder.
  std::vector<TimmRotation> rotations;
  if (config.rope.type == "mixed")
    rotations =
        mixedRotations(model, config, family.checkpoint, prefix.count());
  else if (!config.rope.type.empty())
    rotations = gridRotation(model, config, prefix.count());
  llvm::SmallVector<Value> blocks;
  for (int64_t i = 0; i < config.depth; ++i) {
    TimmAttention attention = config.attention;
    attention.keyHeads = config.keyHeads[i];
    if (!rotations.empty())
      attention.rotation = &rotations[rotations.size() == 1 ? 0 : i];
    x = block(model, "blocks." + std::to_string(i), config, attention, x);
    blocks.push_back(x);
  }
  if (config.postNorm)
    x = model.norm("norm", x, config.norm);

  // Outputs.
  TimmHead head;
  head.pool = config.pool;
  head.prefix = prefix.count();
  head.poolsPrefix = config.pool == "map";
  if (config.fcNorm)
    head.fcNorm = config.norm;
  head.classes = config.classes;
  head.heads = config.poolHeads;
  head.mapHidden = int64_t(double(patches.width) * config.poolRatio);
  head.mapNorm = config.norm;
  timmHead(model, head, x);
  offerTimmBlocks(model, blocks);
  return model.finish(family.options.outputs, mainTimmOutput(config.classes),
                      [](llvm::StringRef name) {
                        return name == "rope.freqs" ||
                               isForAnotherTimmUse(name);
                      });
}

} // namespace vitc::timm_eva

FamilyResult vitc::importTimmEva(TimmImport &import) {
  return timm_eva::grow(import);
}
