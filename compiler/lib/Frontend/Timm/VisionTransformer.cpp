// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// timm's VisionTransformer and VisionTransformerDistilled: `vit_*`, `deit*`,
/// `flexivit_*`, `aimv2_*` and others; the table says which.
///
/// Quirks: eps is 1e-6, or what the architecture's norm says; the final norm
/// moves behind the pooling (`fc_norm`) where tokens are averaged; the patches
/// have no bias where a norm follows them (`pre_norm`); `no_embed_class` adds
/// the positions before the tokens in front; a layer scale is there where
/// `init_values` is neither None nor 0; `features` are all tokens after `norm`.
/// A distilled model has a second token and head, and averages both.
#include "Timm.h"

using namespace vitc;
using mlir::Value;

namespace vitc::timm_vit {

enum class BlockKind {
  Plain,
  ResPost,
  ParallelScaling,
  DiffParallelScaling,
  ParallelThings
};

struct Config {
  TimmPatches patches;
  int64_t depth, heads, registers, classes;
  bool distilled;
  BlockKind block;
  TimmMlp mlp;
  TimmAttention attention;
  Norm norm;
  std::optional<Norm> embedNorm;
  bool classToken, noEmbedClass, learnsPositions, preNorm, finalNorm, fcNorm,
      layerScale, poolsPrefix;
  std::string pool;
  vit::Activation activation;
  double mlpRatio;
};

static BlockKind readBlock(TimmArguments &arguments) {
  std::string name = arguments.layer("block_fn", "Block");
  if (name == "ResPostBlock")
    return BlockKind::ResPost;
  if (name == "ParallelScalingBlock")
    return BlockKind::ParallelScaling;
  if (name == "DiffParallelScalingBlock")
    return BlockKind::DiffParallelScaling;
  if (name == "ParallelThingsBlock")
    return BlockKind::ParallelThings;
  if (name != "Block")
    arguments.refuse("block_fn", "block_fn " + inQuotes(name) +
                                     " is not supported; supported are Block, "
                                     "ResPostBlock, ParallelScalingBlock, "
                                     "DiffParallelScalingBlock and "
                                     "ParallelThingsBlock");
  return BlockKind::Plain;
}

static TimmMlp readMlp(TimmArguments &arguments, const Config &config) {
  TimmMlp mlp;
  std::string name = arguments.layer("mlp_layer", "Mlp");
  if (name == "GluMlp" || name == "SwiGLUPacked") {
    mlp.kind = TimmMlp::Kind::Packed;
    mlp.gateLast =
        name == "GluMlp" && arguments.layerFlag("mlp_layer", "gate_last", true);
  } else if (name == "SwiGLU") {
    mlp.kind = TimmMlp::Kind::Split;
  } else if (name != "Mlp") {
    arguments.refuse("mlp_layer", "mlp_layer " + inQuotes(name) +
                                      " is not supported; supported are Mlp, "
                                      "GluMlp, SwiGLUPacked and SwiGLU");
  }
  mlp.hidden = int64_t(double(config.patches.width) * config.mlpRatio);
  mlp.activation = config.activation;
  mlp.bias = arguments.boolean("proj_bias", true);
  if (arguments.boolean("scale_mlp_norm", false))
    mlp.norm = config.norm;
  return mlp;
}

static TimmAttention readAttention(TimmArguments &arguments,
                                   const Config &config) {
  TimmAttention attention;
  std::string name = arguments.layer("attn_layer", "Attention");
  if (name == "DiffAttention" || name == "diff" ||
      config.block == BlockKind::DiffParallelScaling)
    attention.differential = 0;
  else if (name != "Attention" && name != "attn" && !name.empty())
    arguments.refuse("attn_layer", "attn_layer " + inQuotes(name) +
                                       " is not supported, expected Attention "
                                       "or DiffAttention");
  attention.heads = config.heads;
  attention.qkvBias = arguments.boolean("qkv_bias", true);
  attention.projectionBias = arguments.boolean("proj_bias", true);
  if (arguments.boolean("qk_norm", false))
    attention.headNorm = config.norm;
  if (arguments.boolean("scale_attn_norm", false))
    attention.outputNorm = config.norm;
  return attention;
}

static llvm::Expected<Config> readConfig(TimmImport &import) {
  TimmArguments &arguments = import.arguments;
  Config config;
  config.patches = readTimmPatches(import);
  config.distilled =
      import.architecture.className == "VisionTransformerDistilled";
  config.depth = arguments.positive("depth", 12, JsonReader::mostBlocks);
  config.heads = arguments.integer("num_heads", 12, 1, 1 << 16);
  config.mlpRatio = arguments.ratio("mlp_ratio", 4);
  config.classes = arguments.classes();
  config.registers = arguments.integer("reg_tokens", 0, 0, 1 << 16);
  config.classToken = arguments.boolean("class_token", true);
  config.noEmbedClass = arguments.boolean("no_embed_class", false);
  config.learnsPositions =
      arguments.choice("pos_embed", "learn", {"learn", "none", ""}) == "learn";
  config.preNorm = arguments.boolean("pre_norm", false);
  config.finalNorm = arguments.boolean("final_norm", true);
  config.pool =
      arguments.choice("global_pool", "token",
                       {"token", "avg", "max", "avgmax", "map", "prr", ""});
  bool pools =
      config.pool == "avg" || config.pool == "max" || config.pool == "avgmax";
  config.fcNorm = arguments.optionalBoolean("fc_norm").value_or(pools);
  config.poolsPrefix = arguments.boolean("pool_include_prefix", false);
  config.norm = arguments.norm("norm_layer");
  if (arguments.has("embed_norm_layer"))
    config.embedNorm = arguments.norm("embed_norm_layer");
  config.activation = arguments.activation("act_layer", vit::Activation::Gelu);
  config.block = readBlock(arguments);
  config.attention = readAttention(arguments, config);
  config.mlp = readMlp(arguments, config);
  // ParallelScalingBlock looks for None, the others for truth.
  config.layerScale = arguments.has("init_values") &&
                      (config.block == BlockKind::ParallelScaling ||
                       config.block == BlockKind::DiffParallelScaling ||
                       arguments.number("init_values", 0) != 0);
  if (std::string layer = arguments.layer("embed_layer", "PatchEmbed");
      layer != "PatchEmbed" && layer != "HybridEmbed")
    arguments.refuse("embed_layer", "embed_layer " + inQuotes(layer) +
                                        " is not supported, expected "
                                        "PatchEmbed or HybridEmbed");

  checkTimmWidth(arguments, config.patches.width, config.heads,
                 config.mlp.hidden);
  if (config.attention.differential &&
      config.patches.width % (2 * config.heads))
    arguments.refuse("embed_dim", "embed_dim " +
                                      llvm::Twine(config.patches.width) +
                                      " is not a multiple of twice num_heads " +
                                      llvm::Twine(config.heads) +
                                      ", as differential attention needs it");
  if (config.mlp.kind == TimmMlp::Kind::Packed && config.mlp.hidden % 2)
    arguments.refuse("mlp_ratio", "mlp_ratio gives GluMlp " +
                                      llvm::Twine(config.mlp.hidden) +
                                      " channels, expected an even number");
  if (config.pool == "token" && !config.classToken)
    arguments.refuse("global_pool",
                     "global_pool \"token\" needs a class_token");
  if (config.distilled && (config.pool != "token" || config.registers))
    arguments.refuse("global_pool",
                     "a distilled model takes global_pool \"token\" and no "
                     "reg_tokens alone");
  if (llvm::Error error = arguments.finish())
    return error;
  return config;
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// x + ls1(attn(norm1(x))), then x + ls2(mlp(norm2(x))). DeiT's own checkpoints
/// call the layer scales gamma_1 and gamma_2.
static Value plainBlock(ModelBuilder &model, const std::string &name,
                        const Config &config, Value x) {
  bool isDeit = !model.hasTensor(name + ".ls1.gamma") &&
                model.hasTensor(name + ".gamma_1");
  auto scaled = [&](int index, Value branch) {
    std::string number = std::to_string(index);
    return timmLayerScale(
        model, name + (isDeit ? ".gamma_" + number : ".ls" + number + ".gamma"),
        branch, config.layerScale);
  };
  Value branch = timmAttention(model, name + ".attn",
                               model.norm(name + ".norm1", x, config.norm),
                               config.attention);
  x = model.add(name + ".attn.residual", scaled(1, branch), x);
  branch = timmMlp(model, name + ".mlp",
                   model.norm(name + ".norm2", x, config.norm), config.mlp);
  return model.add(name + ".mlp.residual", scaled(2, branch), x);
}

/// x + norm1(attn(x)), then x + norm2(mlp(x)).
static Value resPostBlock(ModelBuilder &model, const std::string &name,
                          const Config &config, Value x) {
  Value branch = timmAttention(model, name + ".attn", x, config.attention);
  x = model.add(name + ".attn.residual",
                model.norm(name + ".norm1", branch, config.norm), x);
  branch = timmMlp(model, name + ".mlp", x, config.mlp);
  return model.add(name + ".mlp.residual",
                   model.norm(name + ".norm2", branch, config.norm), x);
}

/// Attention and MLP side by side, with one layer for all that they read
/// (ViT-22B): `in_proj` has the MLP's rows first. With differential
/// attention there is also one layer for what both give, `out_proj`, which has
/// the attention's columns first.
static Value parallelScalingBlock(ModelBuilder &model, const std::string &name,
                                  const Config &config, Value x) {
  int64_t width = config.patches.width, hidden = config.mlp.hidden;
  bool qkvBias = config.attention.qkvBias;
  auto residual = [&](Value attended, Value mlp) {
    Value branch = model.add(name + ".parallel", mlp, attended);
    return model.add(
        name + ".residual",
        timmLayerScale(model, name + ".ls.gamma", branch, config.layerScale),
        x);
  };
  Value normed = model.norm(name + ".in_norm", x, config.norm);
  Value weight =
      model.parameter(name + ".in_proj.weight", {hidden + 3 * width, width});
  Value bias =
      qkvBias ? model.parameter(name + ".in_proj.bias", {hidden + 3 * width})
              : Value();
  auto part = [&](const char *suffix, int64_t first, int64_t count) {
    return model.linear(name + suffix, normed,
                        model.slice(weight, 0, first, count),
                        bias ? model.slice(bias, 0, first, count) : Value());
  };
  Value mlp = model.linear(
      name + ".in_proj.mlp", normed, model.slice(weight, 0, 0, hidden),
      bias ? model.slice(bias, 0, 0, hidden)
           : model.parameter(name + ".mlp_bias", {hidden}));
  Projections parts = {part(".in_proj.query", hidden, width),
                       part(".in_proj.key", hidden + width, width),
                       part(".in_proj.value", hidden + 2 * width, width)};
  mlp = model.activate(mlp, config.activation);
  if (config.attention.differential) {
    Value output =
        model.parameter(name + ".out_proj.weight", {width, width + hidden});
    Value attended = model.linear(
        name + ".out_proj.attn",
        timmDifferentialAttention(model, name, parts, config.attention),
        model.slice(output, 1, 0, width),
        config.attention.projectionBias
            ? model.parameter(name + ".out_proj.bias", {width})
            : Value());
    return residual(attended,
                    model.linear(name + ".out_proj.mlp", mlp,
                                 model.slice(output, 1, width, hidden),
                                 /*bias=*/Value()));
  }
  if (config.attention.headNorm) {
    parts.query = model.headNorm(name + ".q_norm", parts.query, config.heads,
                                 config.norm);
    parts.key =
        model.headNorm(name + ".k_norm", parts.key, config.heads, config.norm);
  }
  Value attended = model.linear(
      name + ".attn_out_proj",
      model.attention(name + ".attn", parts, {config.heads}).sequence, width,
      config.attention.projectionBias);
  return residual(attended, model.linear(name + ".mlp_out_proj", mlp, width,
                                         config.mlp.bias));
}

/// Two attentions side by side, then two MLPs.
static Value parallelThingsBlock(ModelBuilder &model, const std::string &name,
                                 const Config &config, Value x) {
  constexpr int parallel = 2;
  for (const char *kind : {".attns.", ".ffns."}) {
    Value sum = x;
    for (int i = 0; i < parallel; ++i) {
      std::string branch = name + kind + std::to_string(i);
      Value normed = model.norm(branch + ".norm", x, config.norm);
      Value value =
          kind == llvm::StringRef(".attns.")
              ? timmAttention(model, branch + ".attn", normed, config.attention)
              : timmMlp(model, branch + ".mlp", normed, config.mlp);
      sum = model.add(
          branch + ".residual",
          timmLayerScale(model, branch + ".ls.gamma", value, config.layerScale),
          sum);
    }
    x = sum;
  }
  return x;
}

static Value block(ModelBuilder &model, const std::string &name,
                   const Config &config, Value x) {
  switch (config.block) {
  case BlockKind::Plain:
    return plainBlock(model, name, config, x);
  case BlockKind::ResPost:
    return resPostBlock(model, name, config, x);
  case BlockKind::ParallelScaling:
  case BlockKind::DiffParallelScaling:
    return parallelScalingBlock(model, name, config, x);
  case BlockKind::ParallelThings:
    return parallelThingsBlock(model, name, config, x);
  }
  llvm_unreachable("no such block");
}

//===----------------------------------------------------------------------===//
// Heads
//===----------------------------------------------------------------------===//

/// (head(CLS) + head_dist(distillation token)) / 2: the halves go into the
/// weights.
static void distilledHead(ModelBuilder &model, int64_t classes,
                          Value features) {
  auto [batch, tokens, width] = std::tuple(ModelBuilder::shapeOf(features)[0],
                                           ModelBuilder::shapeOf(features)[1],
                                           ModelBuilder::shapeOf(features)[2]);
  Value both = model.slice(features, 1, 0, 2);
  auto half = [&](const std::string &name, int64_t token) {
    Value pooled =
        model.pool(name + ".token", features, vit::PoolKind::Token, token);
    return model.linear(
        name, pooled,
        model.scale(model.parameter(name + ".weight", {classes, width}), 0.5),
        model.scale(model.parameter(name + ".bias", {classes}), 0.5));
  };
  if (classes) {
    Value logits = model.add("logits", half("head", 0), half("head_dist", 1));
    model.output("logits", logits);
    model.output("probabilities", model.softmax("probabilities", logits));
  }
  model.output("embedding",
               model.pool("embedding", both, vit::PoolKind::Mean, 0));
  model.output("features", features);
}

static FamilyResult grow(TimmImport &import) {
  llvm::Expected<Config> read = readConfig(import);
  if (!read)
    return read.takeError();
  Config &config = *read;
  FamilyImport &family = import.family;
  ModelBuilder model =
      startModel(family, config.patches.channels, config.patches.image);

  // Embedding.
  Value x = timmPatchEmbed(model, config.patches, !config.preNorm);
  if (config.embedNorm)
    x = model.norm("patch_embed.norm", x, *config.embedNorm);
  TimmPrefix prefix;
  if (config.classToken)
    prefix.tokens.push_back({"cls_token", 1});
  if (config.distilled)
    prefix.tokens.push_back({"dist_token", 1});
  if (config.registers)
    prefix.tokens.push_back({"reg_token", config.registers});
  prefix.hasTable = config.learnsPositions;
  prefix.tableHasPrefix = !config.noEmbedClass;
  x = timmPositions(model, family.checkpoint, config.patches, prefix, x);
  if (config.preNorm)
    x = model.norm("norm_pre", x, config.norm);

  // Encoder.
  llvm::SmallVector<Value> blocks;
  for (int64_t i = 0; i < config.depth; ++i) {
    if (config.attention.differential)
      config.attention.differential = i;
    blocks.push_back(
        x = block(model, "blocks." + std::to_string(i), config, x));
  }
  if (config.finalNorm && !config.fcNorm)
    x = model.norm("norm", x, config.norm);

  // Outputs.
  if (config.distilled) {
    distilledHead(model, config.classes, x);
  } else {
    TimmHead head;
    head.pool = config.pool;
    head.prefix = prefix.count();
    head.poolsPrefix = config.poolsPrefix;
    head.hasClassToken = config.classToken;
    if (config.finalNorm && config.fcNorm)
      head.fcNorm = config.norm;
    head.classes = config.classes;
    head.hasPreLogits =
        family.checkpoint && family.checkpoint->find("pre_logits.fc.weight");
    head.heads = config.heads;
    head.mapHidden = int64_t(double(config.patches.width) * config.mlpRatio);
    head.mapActivation = config.activation;
    head.mapNorm = config.norm;
    timmHead(model, head, x);
  }
  offerTimmBlocks(model, blocks);
  return model.finish(family.options.outputs, mainTimmOutput(config.classes),
                      isForAnotherTimmUse);
}

} // namespace vitc::timm_vit

FamilyResult vitc::importTimmVisionTransformer(TimmImport &import) {
  return timm_vit::grow(import);
}
