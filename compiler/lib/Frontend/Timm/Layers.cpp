// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Layers that timm's ViTs share. Names of parameters are timm's.
#include "Timm.h"

#include <cmath>

using namespace vitc;
using llvm::Twine;
using mlir::Value;

//===----------------------------------------------------------------------===//
// Embedding
//===----------------------------------------------------------------------===//

Grid TimmPatches::gridOf(Grid pixels) const {
  auto [height, width] = backbone ? backbone->gridOf(pixels) : pixels;
  if (pad)
    return {llvm::divideCeil(height, patchSize.first),
            llvm::divideCeil(width, patchSize.second)};
  return {height / patchSize.first, width / patchSize.second};
}

/// Bicubic and antialiased. FlexiViT's loader and that of Google's arrays are
/// older, and simpler.
static PositionResize readResize(const TimmImport &import) {
  const Checkpoint *checkpoint = import.family.checkpoint;
  const TensorInfo *table =
      checkpoint ? checkpoint->find("pos_embed") : nullptr;
  if (llvm::StringRef(import.architecture.name).contains("flexi") ||
      (table && llvm::StringRef(table->place).ends_with(".npz")))
    return {vit::Interpolation::Bilinear};
  return {vit::Interpolation::Bicubic, /*antialias=*/true};
}

TimmPatches vitc::readTimmPatches(TimmImport &import) {
  TimmArguments &arguments = import.arguments;
  TimmPatches patches;
  patches.imageSize = arguments.size("img_size", {224, 224});
  patches.patchSize = arguments.size("patch_size", {16, 16});
  patches.channels = arguments.integer("in_chans", 3, 1, 1024);
  patches.width = arguments.integer("embed_dim", 768, 1, 1 << 16);
  patches.pad = arguments.boolean("dynamic_img_pad", false);
  arguments.boolean("dynamic_img_size",
                    false); // any size is fine at compile time

  FamilyImport &family = import.family;
  patches.image = family.options.imageSize.value_or(patches.imageSize);
  auto [height, width] = patches.image;
  auto [rows, columns] = patches.patchSize;
  patches.backbone = readTimmBackbone(import, patches.width);
  patches.resize = readResize(import);
  patches.grid = patches.gridOf(patches.image);
  Grid table = patches.tableGrid();
  if (table.first < 1 || table.second < 1)
    arguments.refuse("img_size", "img_size is smaller than patch_size " +
                                     Twine(rows) + " x " + Twine(columns));
  else if (patches.grid.first < 1 || patches.grid.second < 1)
    arguments.refuse("", "--image-size " + Twine(height) + "x" + Twine(width) +
                             " is smaller than one patch of " + Twine(rows) +
                             " x " + Twine(columns));
  return patches;
}

void vitc::checkTimmWidth(TimmArguments &arguments, int64_t width,
                          int64_t heads, int64_t hidden) {
  constexpr int64_t widest = 1 << 20;
  if (width % heads)
    arguments.refuse("embed_dim", "embed_dim " + Twine(width) +
                                      " is not a multiple of num_heads " +
                                      Twine(heads));
  if (hidden < 1 || hidden > widest)
    arguments.refuse("mlp_ratio", "mlp_ratio gives the MLP " + Twine(hidden) +
                                      " channels, expected 1 to " +
                                      Twine(widest));
}

Value vitc::timmPatchEmbed(ModelBuilder &model, const TimmPatches &patches,
                           bool bias) {
  auto [rows, columns] = patches.patchSize;
  Map map =
      patches.backbone ? patches.backbone->build(model) : model.imageMap();
  if (patches.backbone && !patches.backbone->isProjected)
    return map.value;
  auto [height, width] = map.grid;
  Padding padding;
  if (patches.pad)
    padding = {0, 0, patches.grid.first * rows - height,
               patches.grid.second * columns - width};
  if (!patches.backbone && !padding.bottom && !padding.right)
    return model.patchEmbed("patch_embed.proj", patches.width, rows, columns,
                            bias);
  return model
      .conv("patch_embed.proj", map, patches.width, bias,
            {patches.patchSize, patches.patchSize, padding})
      .value;
}

int64_t TimmPrefix::count() const {
  int64_t sum = 0;
  for (auto &[name, number] : tokens)
    sum += number;
  return sum;
}

/// The grid of the checkpoint's table, which timm takes to be square if it has
/// another length than the config says.
static Grid storedGrid(const Checkpoint *checkpoint, int64_t rows, Grid grid) {
  const TensorInfo *stored =
      checkpoint ? checkpoint->find("pos_embed") : nullptr;
  if (!stored || stored->shape.size() != 3)
    return grid;
  int64_t pixels = stored->shape[1] - rows;
  auto side =
      int64_t(std::lround(std::sqrt(double(std::max<int64_t>(pixels, 0)))));
  if (pixels == grid.first * grid.second || pixels < 1 || side * side != pixels)
    return grid;
  return {side, side};
}

Value vitc::timmPositions(ModelBuilder &model, const Checkpoint *checkpoint,
                          const TimmPatches &patches, const TimmPrefix &prefix,
                          Value x) {
  auto addTable = [&] {
    if (!prefix.hasTable)
      return;
    int64_t rows = prefix.tableHasPrefix ? prefix.count() : 0;
    x = model.addPosition("pos_embed", x, rows,
                          storedGrid(checkpoint, rows, patches.tableGrid()),
                          patches.grid, patches.resize);
  };
  auto addTokens = [&] {
    llvm::SmallVector<Value> tokens;
    for (auto &[name, number] : prefix.tokens)
      tokens.push_back(model.parameter(name, {1, number, patches.width}));
    if (!tokens.empty())
      x = model.concatTokens(
          "prefix", tokens.size() == 1 ? tokens[0] : model.concat(tokens, 1),
          x);
  };
  if (prefix.tableHasPrefix) {
    addTokens();
    addTable();
  } else {
    addTable();
    addTokens();
  }
  return x;
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

Value vitc::timmMlp(ModelBuilder &model, const std::string &name, Value x,
                    const TimmMlp &shape) {
  int64_t width = ModelBuilder::shapeOf(x).back();
  Value hidden;
  switch (shape.kind) {
  case TimmMlp::Kind::Plain:
    hidden =
        model.activate(model.linear(name + ".fc1", x, shape.hidden, shape.bias),
                       shape.activation);
    break;
  case TimmMlp::Kind::Packed: {
    int64_t half = shape.hidden / 2;
    Value weight = model.parameter(name + ".fc1.weight", {shape.hidden, width});
    Value bias = shape.bias
                     ? model.parameter(name + ".fc1.bias", {shape.hidden})
                     : Value();
    auto part = [&](int64_t index, const char *suffix) {
      return model.linear(
          name + suffix, x, model.slice(weight, 0, index * half, half),
          bias ? model.slice(bias, 0, index * half, half) : Value());
    };
    Value gate = part(shape.gateLast ? 1 : 0, ".fc1.gate");
    hidden = model.gate(name + ".gate", part(shape.gateLast ? 0 : 1, ".fc1"),
                        gate, shape.activation);
    break;
  }
  case TimmMlp::Kind::Split:
    hidden =
        model.gate(name + ".gate",
                   model.linear(name + ".fc1_x", x, shape.hidden, shape.bias),
                   model.linear(name + ".fc1_g", x, shape.hidden, shape.bias),
                   shape.activation);
    break;
  }
  if (shape.norm)
    hidden = model.norm(name + ".norm", hidden, *shape.norm);
  return model.linear(name + ".fc2", hidden, width, shape.bias);
}

/// Rows of fewer heads for all heads: each head's rows as often as it has
/// queries.
static Value repeatKeyHeads(ModelBuilder &model, Value rows, int64_t keyHeads,
                            int64_t heads) {
  if (!rows || keyHeads == heads)
    return rows;
  llvm::SmallVector<int64_t> shape(ModelBuilder::shapeOf(rows));
  int64_t elements = 1;
  for (int64_t extent : shape)
    elements *= extent;
  llvm::SmallVector<Value> copies(
      heads / keyHeads,
      model.reshape(rows, {keyHeads, 1, elements / keyHeads}));
  shape[0] = shape[0] / keyHeads * heads;
  return model.reshape(model.concat(copies, 1), shape);
}

static Projections project(ModelBuilder &model, const std::string &name,
                           Value x, const TimmAttention &shape) {
  using Projection = TimmAttention::Projection;
  int64_t width = ModelBuilder::shapeOf(x).back();
  Projection kind = shape.projection;
  if (kind == Projection::Packed)
    return model.packedProjections(
        name + ".qkv", x, width,
        shape.qkvBias ? model.parameter(name + ".qkv.bias", {3 * width})
                      : Value());
  if (kind == Projection::PackedWithoutKeyBias) {
    Value weight = model.parameter(name + ".qkv.weight", {3 * width, width});
    auto part = [&](int64_t index, const char *suffix, const char *bias) {
      return model.linear(
          name + suffix, x, model.slice(weight, 0, index * width, width),
          bias && shape.qkvBias ? model.parameter(name + bias, {width})
                                : Value());
    };
    return {part(0, ".qkv.query", ".q_bias"), part(1, ".qkv.key", nullptr),
            part(2, ".qkv.value", ".v_bias")};
  }
  int64_t keyHeads = shape.keyHeads ? shape.keyHeads : shape.heads;
  int64_t keyWidth = width / shape.heads * keyHeads;
  auto part = [&](const char *suffix, bool hasBias) {
    std::string layer = name + suffix;
    return model.linear(
        layer, x,
        repeatKeyHeads(model,
                       model.parameter(layer + ".weight", {keyWidth, width}),
                       keyHeads, shape.heads),
        hasBias ? repeatKeyHeads(model,
                                 model.parameter(layer + ".bias", {keyWidth}),
                                 keyHeads, shape.heads)
                : Value());
  };
  return {model.linear(name + ".q_proj", x, width, shape.qkvBias),
          part(".k_proj", shape.qkvBias && kind == Projection::Split),
          part(".v_proj", shape.qkvBias)};
}

Value vitc::timmAttention(ModelBuilder &model, const std::string &name, Value x,
                          const TimmAttention &shape) {
  int64_t width = ModelBuilder::shapeOf(x).back();
  Projections parts = project(model, name, x, shape);
  if (shape.headNorm && !shape.differential) {
    parts.query = model.headNorm(name + ".q_norm", parts.query, shape.heads,
                                 *shape.headNorm);
    parts.key = model.headNorm(name + ".k_norm", parts.key, shape.heads,
                               *shape.headNorm);
  }
  if (const TimmRotation *rotation = shape.rotation) {
    parts.query = model.rotate(name + ".rope.query", parts.query, rotation->cos,
                               rotation->sin, shape.heads, rotation->pairing);
    parts.key = model.rotate(name + ".rope.key", parts.key, rotation->cos,
                             rotation->sin, shape.heads, rotation->pairing);
  }
  AttentionShape attention = {shape.heads};
  attention.bias = shape.bias;
  Value result = shape.differential
                     ? timmDifferentialAttention(model, name, parts, shape)
                     : model.attention(name, parts, attention).sequence;
  if (shape.outputNorm)
    result = model.norm(name + ".norm", result, *shape.outputNorm);
  return model.linear(name + ".proj", result, width, shape.projectionBias);
}

Value vitc::timmLayerScale(ModelBuilder &model, const std::string &name,
                           Value x, bool has) {
  return has ? model.layerScale(name, x) : x;
}

//===----------------------------------------------------------------------===//
// Heads
//===----------------------------------------------------------------------===//

/// One learned query attends to all tokens (AttentionPoolLatent).
static Value attentionPool(ModelBuilder &model, const TimmHead &head, Value x) {
  int64_t width = ModelBuilder::shapeOf(x).back();
  std::string name = "attn_pool";
  Value weight = model.parameter(name + ".kv.weight", {2 * width, width}),
        bias = model.parameter(name + ".kv.bias", {2 * width});
  auto part = [&](int64_t index, const char *suffix) {
    return model.linear(name + suffix, x,
                        model.slice(weight, 0, index * width, width),
                        model.slice(bias, 0, index * width, width));
  };
  Value latent = model.parameter(name + ".latent", {1, 1, width});
  Projections parts = {model.linear(name + ".q", latent, width, true),
                       part(0, ".kv.key"), part(1, ".kv.value")};
  Value pooled =
      model.linear(name + ".proj",
                   model.attention(name, parts, {head.heads}).sequence, width,
                   /*bias=*/true);
  TimmMlp mlp;
  mlp.hidden = head.mapHidden;
  mlp.activation = head.mapActivation;
  pooled =
      model.add(name + ".mlp.residual",
                timmMlp(model, name + ".mlp",
                        model.norm(name + ".norm", pooled, head.mapNorm), mlp),
                pooled);
  return model.pool(name + ".token", pooled, vit::PoolKind::Token, 0);
}

static Value pool(ModelBuilder &model, const TimmHead &head, Value x) {
  int64_t first = head.poolsPrefix ? 0 : head.prefix;
  if (head.pool.empty())
    return x;
  if (head.pool == "map") {
    if (first)
      x = model.slice(x, 1, first, ModelBuilder::shapeOf(x)[1] - first);
    return attentionPool(model, head, x);
  }
  if (head.pool == "prr") {
    // Attention without any parameters refines the tokens first.
    x = model.attention("attn_pool", {x, x, x}, {head.heads}).sequence;
    return model.pool(
        "pool", x,
        head.hasClassToken ? vit::PoolKind::Token : vit::PoolKind::Mean, 0);
  }
  if (head.pool == "token")
    return model.pool("pool", x, vit::PoolKind::Token, 0);
  vit::PoolKind kind = head.pool == "avg"   ? vit::PoolKind::Mean
                       : head.pool == "max" ? vit::PoolKind::Max
                                            : vit::PoolKind::MeanMax;
  return model.pool("pool", x, kind, first);
}

void vitc::timmHead(ModelBuilder &model, const TimmHead &head, Value features) {
  Value x = pool(model, head, features);
  if (head.fcNorm)
    x = model.norm("fc_norm", x, *head.fcNorm);
  // Google's first models have a layer more; timm 0.4 named it so.
  if (head.hasPreLogits && ModelBuilder::shapeOf(x).size() == 2) {
    x = model.head("pre_logits.fc", x, ModelBuilder::shapeOf(x).back(),
                   vit::Activation::Tanh);
    model.output("pre_logits", x);
  }
  Value logits = x;
  if (head.classes && ModelBuilder::shapeOf(x).size() == 2)
    logits = model.head("head", x, head.classes, vit::Activation::None);
  else if (head.classes)
    logits = model.linear("head", x, head.classes, /*bias=*/true);
  // Without a classifier timm's forward() gives the embedding.
  model.output("logits", logits);
  if (head.classes) {
    model.output("probabilities", model.softmax("probabilities", logits));
  }
  model.output("embedding", x);
  model.output("features", features);
}

void vitc::offerTimmBlocks(ModelBuilder &model, llvm::ArrayRef<Value> blocks) {
  for (size_t i = 0; i < blocks.size(); ++i)
    model.output("block_" + std::to_string(i), blocks[i]);
}

bool vitc::isForAnotherTimmUse(llvm::StringRef name) {
  return name == "mask_token" || name.ends_with("relative_position_index") ||
         name.ends_with(".k_bias") || name.starts_with("pre_logits.") ||
         name.starts_with("head.") || name.starts_with("head_dist.") ||
         name.starts_with("attn_pool.") ||
         name.ends_with("num_batches_tracked");
}
