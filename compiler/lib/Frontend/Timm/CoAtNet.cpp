// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// timm's MaxxVit as CoAtNet: `coatnet_*`. Stages of MBConv blocks ("C") and of
/// attention over the whole map with relative positions ("T"), in any order.
///
/// Quirks: arguments of the blocks are `conv_*` and `transformer_*`. Every
/// stage halves the map: attention pools its input and its shortcut; MBConv
/// pools, or takes steps of 2 in its first or second convolution. The layer of
/// queries, keys and values has those of one head side by side. Squeeze and
/// excitation stands behind the second norm, or before it (`se_early`).
/// `rel_pos_type` "mlp" computes the bias from the logarithms of the distances,
/// with no bound on it. With `head_hidden_size` the norm moves behind the
/// pooling and a layer with tanh follows. `features` are [image, channel, row,
/// column]. MaxViT's windows ("M", "PM") and ConvNeXt blocks are not read.
#include "Timm.h"

using namespace vitc;
using llvm::Twine;
using mlir::Value;

namespace vitc::timm_coatnet {

enum class Stride { Pool, First, Depthwise };

/// A norm that may be a batch norm.
struct MapNorm {
  bool batch;
  double eps;
};

struct ConvShape {
  double expansion, squeeze;
  bool expandsOutput, activatesFirst, outputBias, squeezes, squeezesEarly;
  int64_t kernel;
  Stride stride;
  std::string pool, downPool;
  vit::Activation activation, squeezeActivation;
  MapNorm norm;
};

struct AttentionConfig {
  int64_t headWidth;
  double expansion;
  bool expandsFirst, shortcutBias, bias, layerScale;
  std::string pool;
  std::optional<TimmRelativePosition> positions; ///< but heads and grid
  vit::Activation activation;
  MapNorm norm;
};

struct Config {
  int64_t channels, classes, headHidden;
  Grid image, stem;
  bool stemBias;
  std::vector<int64_t> widths, depths;
  std::vector<std::string> blocks; ///< of each stage, the last one repeated
  std::string globalPool;
  ConvShape conv;
  AttentionConfig attention;
};

/// Grows the blocks.
struct Builder {
  ModelBuilder &model;
  const Config &config;
  const Checkpoint *checkpoint; ///< may be null

  Value norm(const std::string &name, Value x, const MapNorm &norm) {
    return norm.batch ? model.batchNorm(name, x, norm.eps)
                      : model.layerNorm(name, x, norm.eps);
  }
  /// A convolution of single pixels, with steps of `stride`.
  Map pointwise(const std::string &name, Map map, int64_t outputs, bool bias,
                int64_t stride = 1);
  Map pool(const std::string &name, Map map, llvm::StringRef kind);
  /// Pooling and, where the width changes, `expand`.
  Map downsample(const std::string &name, Map map, int64_t width,
                 llvm::StringRef kind, bool bias);
  Value squeeze(const std::string &name, Value x, int64_t width);
  Map convBlock(const std::string &name, Map map, int64_t width,
                int64_t stride);
  Value attention(const std::string &name, Map map, int64_t width);
  Map attentionBlock(const std::string &name, Map map, int64_t width,
                     int64_t stride);
};

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

static int64_t widthOf(Map map) {
  return ModelBuilder::shapeOf(map.value).back();
}

/// The nearest multiple of 8, but not less than nine tenths.
static int64_t roundChannels(double channels) {
  int64_t rounded = std::max<int64_t>(8, int64_t(channels + 4) / 8 * 8);
  return double(rounded) < 0.9 * channels ? rounded + 8 : rounded;
}

Map Builder::pointwise(const std::string &name, Map map, int64_t outputs,
                       bool bias, int64_t stride) {
  Value weight = model.convWeight(name, outputs, widthOf(map), {1, 1});
  Value biasValue = bias ? model.parameter(name + ".bias", {outputs}) : Value();
  if (stride != 1)
    return model.conv(name, map, weight, biasValue, {{1, 1}, {stride, stride}});
  return {model.linear(name, map.value,
                       model.reshape(weight, {outputs, widthOf(map)}),
                       biasValue),
          map.grid};
}

Map Builder::pool(const std::string &name, Map map, llvm::StringRef kind) {
  bool isSmall = kind.ends_with("2");
  Sliding sliding = {
      isSmall ? Grid(2, 2) : Grid(3, 3), {2, 2}, Padding::all(isSmall ? 0 : 1)};
  return model.spatialPool(name, map,
                           kind.starts_with("max") ? vit::SpatialPoolKind::Max
                                                   : vit::SpatialPoolKind::Mean,
                           sliding, /*padZero=*/false);
}

Map Builder::downsample(const std::string &name, Map map, int64_t width,
                        llvm::StringRef kind, bool bias) {
  map = pool(name + ".pool", map, kind);
  return widthOf(map) == width ? map
                               : pointwise(name + ".expand", map, width, bias);
}

Value Builder::squeeze(const std::string &name, Value x, int64_t width) {
  const ConvShape &conv = config.conv;
  int64_t channels = ModelBuilder::shapeOf(x)[2];
  auto layer = [&](const std::string &layerName, Value input, int64_t inputs,
                   int64_t outputs) {
    return model.linear(
        layerName, input,
        model.reshape(model.convWeight(layerName, outputs, inputs, {1, 1}),
                      {outputs, inputs}),
        model.parameter(layerName + ".bias", {outputs}));
  };
  Value gate = model.pool(name + ".pool", x, vit::PoolKind::Mean, 0);
  gate = model.activate(layer(name + ".fc1", gate, channels, width),
                        conv.squeezeActivation);
  gate = layer(name + ".fc2", gate, width, channels);
  return model.gate(name, x, gate, vit::Activation::Sigmoid);
}

Map Builder::convBlock(const std::string &name, Map map, int64_t width,
                       int64_t stride) {
  const ConvShape &conv = config.conv;
  int64_t inner = roundChannels(
      double(conv.expandsOutput ? width : widthOf(map)) * conv.expansion);
  int64_t squeezed =
      int64_t(conv.squeeze * double(conv.expandsOutput ? width : inner));
  auto strideOf = [&](Stride place) {
    return conv.stride == place ? stride : 1;
  };
  auto normActivate = [&](const std::string &layer, Map x) -> Map {
    return {model.activate(norm(layer, x.value, conv.norm), conv.activation),
            x.grid};
  };

  Map shortcut = map;
  if (stride == 2)
    shortcut =
        downsample(name + ".shortcut", map, width, conv.pool, conv.outputBias);
  map.value = norm(name + ".pre_norm", map.value, conv.norm);
  if (conv.activatesFirst)
    map.value = model.activate(map.value, conv.activation);
  if (strideOf(Stride::Pool) == 2)
    map = pool(name + ".down.pool", map, conv.downPool);
  map = normActivate(name + ".norm1",
                     pointwise(name + ".conv1_1x1", map, inner, /*bias=*/false,
                               strideOf(Stride::First)));
  int64_t step = strideOf(Stride::Depthwise);
  map = model.depthwiseConv(name + ".conv2_kxk", map, /*bias=*/false,
                            {{conv.kernel, conv.kernel},
                             {step, step},
                             Padding::all((step - 1 + conv.kernel - 1) / 2)});
  if (conv.squeezes && conv.squeezesEarly)
    map.value = squeeze(name + ".se_early", map.value, squeezed);
  map = normActivate(name + ".norm2", map);
  if (conv.squeezes && !conv.squeezesEarly)
    map.value = squeeze(name + ".se", map.value, squeezed);
  map = pointwise(name + ".conv3_1x1", map, width, conv.outputBias);
  map.value = model.add(name + ".residual", map.value, shortcut.value);
  return map;
}

Value Builder::attention(const std::string &name, Map map, int64_t width) {
  const AttentionConfig &shape = config.attention;
  int64_t inputs = widthOf(map), inner = shape.expandsFirst ? width : inputs,
          heads = inner / shape.headWidth;
  std::string qkv = name + ".qkv";
  // [head, query or key or value, channel] to [query …, head, channel].
  auto sorted = [&](Value rows, int64_t columns) {
    return model.reshape(
        model.transpose(
            model.reshape(rows, {heads, 3, shape.headWidth, columns}),
            {1, 0, 2, 3}),
        {3 * inner, columns});
  };
  Value weight =
      sorted(model.reshape(model.convWeight(qkv, 3 * inner, inputs, {1, 1}),
                           {3 * inner, inputs}),
             inputs);
  Value bias = shape.bias
                   ? model.reshape(
                         sorted(model.parameter(qkv + ".bias", {3 * inner}), 1),
                         {3 * inner})
                   : Value();
  auto part = [&](int64_t index, const char *suffix) {
    return model.linear(
        qkv + suffix, map.value, model.slice(weight, 0, index * inner, inner),
        bias ? model.slice(bias, 0, index * inner, inner) : Value());
  };
  AttentionShape attention = {heads};
  if (shape.positions) {
    TimmRelativePosition position = *shape.positions;
    position.heads = heads;
    position.grid = map.grid;
    attention.bias =
        timmRelativeBias(model, checkpoint, name + ".rel_pos", position);
  }
  Value attended =
      model
          .attention(name,
                     {part(0, ".query"), part(1, ".key"), part(2, ".value")},
                     attention)
          .sequence;
  return pointwise(name + ".proj", {attended, map.grid}, width, shape.bias)
      .value;
}

Map Builder::attentionBlock(const std::string &name, Map map, int64_t width,
                            int64_t stride) {
  const AttentionConfig &shape = config.attention;
  Map shortcut = map, x = map;
  std::string firstNorm = name + ".norm1";
  if (stride == 2) {
    shortcut = downsample(name + ".shortcut", map, width, shape.pool,
                          shape.shortcutBias);
    x.value = norm(firstNorm + ".norm", x.value, shape.norm);
    x = pool(firstNorm + ".down.pool", x, shape.pool);
  } else {
    x.value = norm(firstNorm, x.value, shape.norm);
  }
  auto scaled = [&](const std::string &layer, Value branch) {
    return timmLayerScale(model, layer, branch, shape.layerScale);
  };
  x.value = model.add(
      name + ".attn.residual",
      scaled(name + ".ls1.gamma", attention(name + ".attn", x, width)),
      shortcut.value);
  Map branch = {norm(name + ".norm2", x.value, shape.norm), x.grid};
  branch = pointwise(name + ".mlp.fc1", branch,
                     int64_t(double(width) * shape.expansion), /*bias=*/true);
  branch.value = model.activate(branch.value, shape.activation);
  branch = pointwise(name + ".mlp.fc2", branch, width, /*bias=*/true);
  x.value = model.add(name + ".mlp.residual",
                      scaled(name + ".ls2.gamma", branch.value), x.value);
  return x;
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

static MapNorm readNorm(TimmArguments &arguments, const std::string &prefix,
                        llvm::StringRef fallback, double eps) {
  std::string layer = arguments.choice(
      prefix + "norm_layer", fallback,
      {"batchnorm2d", "batchnorm", "layernorm2d", "layernorm"});
  return {llvm::StringRef(layer).starts_with("batch"),
          arguments.eps(prefix + "norm_eps", eps)};
}

static constexpr llvm::StringRef poolTypes[] = {"max", "max2", "avg", "avg2"};

static ConvShape readConv(TimmArguments &arguments) {
  ConvShape conv;
  arguments.choice("conv_block_type", "mbconv", {"mbconv"});
  arguments.choice("conv_padding", "", {""});
  arguments.integer("conv_group_size", 1, 1, 1);
  for (const char *key : {"conv_norm_layer_cl", "conv_init_values"})
    arguments.has(key); // of ConvNeXt blocks
  conv.expansion = arguments.ratio("conv_expand_ratio", 4);
  conv.expandsOutput = arguments.boolean("conv_expand_output", true);
  conv.kernel = arguments.integer("conv_kernel_size", 3, 1, 63);
  conv.activatesFirst = arguments.boolean("conv_pre_norm_act", false);
  conv.outputBias = arguments.boolean("conv_output_bias", true);
  std::string stride =
      arguments.choice("conv_stride_mode", "dw", {"pool", "1x1", "dw"});
  conv.stride = stride == "pool"  ? Stride::Pool
                : stride == "1x1" ? Stride::First
                                  : Stride::Depthwise;
  conv.pool = arguments.choice("conv_pool_type", "avg2", poolTypes);
  conv.downPool =
      arguments.choice("conv_downsample_pool_type", "avg2", poolTypes);
  conv.squeezesEarly = arguments.boolean("conv_attn_early", false);
  conv.squeezes = arguments.choice("conv_attn_layer", "se", {"se", ""}) == "se";
  conv.squeezeActivation =
      arguments.activation("conv_attn_act_layer", vit::Activation::Silu);
  conv.squeeze = arguments.above0("conv_attn_ratio", 0.25, 4);
  conv.activation =
      arguments.activation("conv_act_layer", vit::Activation::Gelu);
  conv.norm = readNorm(arguments, "conv_", "batchnorm2d", 1e-5);
  return conv;
}

static AttentionConfig readAttention(TimmArguments &arguments) {
  AttentionConfig shape;
  // Those of MaxViT's windows say nothing here.
  for (const char *key :
       {"transformer_head_first", "transformer_partition_ratio",
        "transformer_window_size", "transformer_grid_size",
        "transformer_no_block_attn", "transformer_use_nchw_attn",
        "transformer_norm_layer_cl", "transformer_attn_drop",
        "transformer_proj_drop"})
    arguments.has(key);
  shape.headWidth = arguments.integer("transformer_dim_head", 32, 1, 1 << 16);
  shape.expansion = arguments.ratio("transformer_expand_ratio", 4);
  shape.expandsFirst = arguments.boolean("transformer_expand_first", true);
  shape.shortcutBias = arguments.boolean("transformer_shortcut_bias", true);
  shape.bias = arguments.boolean("transformer_attn_bias", true);
  shape.pool = arguments.choice("transformer_pool_type", "avg2", poolTypes);
  int64_t hidden =
      arguments.integer("transformer_rel_pos_dim", 512, 1, 1 << 16);
  if (std::string type = arguments.choice("transformer_rel_pos_type", "bias",
                                          {"bias", "mlp", ""});
      !type.empty()) {
    shape.positions.emplace();
    shape.positions->kind = type == "mlp" ? TimmRelativePosition::Kind::Mlp
                                          : TimmRelativePosition::Kind::Table;
    shape.positions->hidden = hidden;
  }
  shape.layerScale = arguments.number("transformer_init_values", 0) != 0;
  shape.activation =
      arguments.activation("transformer_act_layer", vit::Activation::Gelu);
  shape.norm = readNorm(arguments, "transformer_", "layernorm2d", 1e-6);
  return shape;
}

static llvm::Expected<Config> readConfig(TimmImport &import) {
  TimmArguments &arguments = import.arguments;
  Config config;
  config.channels = arguments.integer("in_chans", 3, 1, 1024);
  config.classes = arguments.classes();
  config.image = import.family.options.imageSize.value_or(
      arguments.size("img_size", {224, 224}));
  config.widths = arguments.integers("embed_dim", {96, 192, 384, 768}, 1);
  config.depths = arguments.depths("depths", {2, 3, 5, 2});
  config.blocks = arguments.words("block_type", {"C", "C", "T", "T"});
  config.stem = arguments.size("stem_width", {64, 64});
  config.stemBias = arguments.boolean("stem_bias", false);
  config.headHidden = arguments.integer("head_hidden_size", 0, 0, 1 << 16);
  config.globalPool = arguments.choice("global_pool", "avg", {"avg", "max"});
  config.conv = readConv(arguments);
  config.attention = readAttention(arguments);

  constexpr size_t mostStages = 16; // each halves the map
  if (config.widths.empty() || config.widths.size() > mostStages)
    arguments.refuse("embed_dim", "embed_dim has " +
                                      Twine(config.widths.size()) +
                                      " stages, expected 1 to 16");
  for (auto [key, count] : {std::pair("depths", config.depths.size()),
                            std::pair("block_type", config.blocks.size())})
    if (count != config.widths.size())
      arguments.refuse(key, Twine(key) + " has " + Twine(count) +
                                " stages, embed_dim has " +
                                Twine(config.widths.size()));
  if (llvm::Error error = arguments.finish())
    return error;

  int64_t inputs = config.stem.second;
  for (auto [i, width] : llvm::enumerate(config.widths)) {
    llvm::StringRef types = config.blocks[i];
    if (types.empty() || types.find_first_not_of("CT") != llvm::StringRef::npos)
      arguments.refuse("block_type", "block_type " + inQuotes(types) +
                                         " of stage " + Twine(i) +
                                         " is not supported, expected C and T");
    for (int64_t inner : {inputs, width})
      if (types.contains('T') && inner % config.attention.headWidth &&
          !(inner == inputs &&
            (types[0] == 'C' || config.attention.expandsFirst)))
        arguments.refuse("transformer_dim_head",
                         "transformer_dim_head " +
                             Twine(config.attention.headWidth) +
                             " does not divide the " + Twine(inner) +
                             " channels of stage " + Twine(i));
    inputs = width;
  }
  if (llvm::Error error = arguments.finish())
    return error;
  return config;
}

static bool isForAnotherUse(llvm::StringRef name) {
  return isForAnotherTimmUse(name) || name.ends_with("rel_coords_log");
}

static FamilyResult grow(TimmImport &import) {
  llvm::Expected<Config> read = readConfig(import);
  if (!read)
    return read.takeError();
  const Config &config = *read;
  FamilyImport &family = import.family;
  ModelBuilder model = startModel(family, config.channels, config.image);
  Builder build = {model, config, family.checkpoint};

  // Stem.
  auto stemConv = [&](const char *name, Map map, int64_t outputs,
                      int64_t stride) {
    return model.conv(name, map, outputs, config.stemBias,
                      {{3, 3}, {stride, stride}, Padding::all(1)});
  };
  Map map = stemConv("stem.conv1", model.imageMap(), config.stem.first, 2);
  map.value =
      model.activate(build.norm("stem.norm1", map.value, config.conv.norm),
                     config.conv.activation);
  map = stemConv("stem.conv2", map, config.stem.second, 1);

  // Stages.
  for (auto [i, width] : llvm::enumerate(config.widths))
    for (int64_t j = 0; j < config.depths[i]; ++j) {
      std::string name = ("stages." + Twine(i) + ".blocks." + Twine(j)).str();
      llvm::StringRef types = config.blocks[i];
      bool attends =
          types[std::min<size_t>(size_t(j), types.size() - 1)] == 'T';
      int64_t stride = j ? 1 : 2;
      map = attends ? build.attentionBlock(name, map, width, stride)
                    : build.convBlock(name, map, width, stride);
    }

  // Head.
  const MapNorm &finalNorm = config.attention.norm;
  if (!config.headHidden)
    map.value = build.norm("norm", map.value, finalNorm);
  Value pooled = model.pool(
      "head.global_pool", map.value,
      config.globalPool == "max" ? vit::PoolKind::Max : vit::PoolKind::Mean, 0);
  if (config.headHidden)
    pooled = model.head("head.pre_logits.fc",
                        build.norm("head.norm", pooled, finalNorm),
                        config.headHidden, vit::Activation::Tanh);
  if (config.classes) {
    Value logits =
        model.head("head.fc", pooled, config.classes, vit::Activation::None);
    model.output("logits", logits);
    model.output("probabilities", model.softmax("probabilities", logits));
  }
  model.output("embedding", pooled);
  model.output("features", model.asImage(map));
  return model.finish(family.options.outputs, mainTimmOutput(config.classes),
                      isForAnotherUse);
}

} // namespace vitc::timm_coatnet

FamilyResult vitc::importTimmCoAtNet(TimmImport &import) {
  return timm_coatnet::grow(import);
}
