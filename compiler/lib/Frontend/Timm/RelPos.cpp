// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// timm's VisionTransformerRelPos: `vit_relpos_*` and `vit_srelpos_*`.
///
/// Quirks: there is no table of positions; the bias of the attention is that of
/// relative positions, out of a table (as Swin's) or of an MLP over their
/// logarithms (as Swin v2's), of each block or one for all; a class token has
/// rows of its own in the table and no bias from the MLP; layer scale is
/// on unless `init_values` is None or 0.
#include "Timm.h"

using namespace vitc;
using mlir::Value;

FamilyResult vitc::importTimmRelPos(TimmImport &import) {
  TimmArguments &arguments = import.arguments;
  FamilyImport &family = import.family;
  TimmPatches patches = readTimmPatches(import);
  int64_t depth = arguments.positive("depth", 12, JsonReader::mostBlocks);
  double ratio = arguments.ratio("mlp_ratio", 4);
  Norm norm = arguments.norm("norm_layer");
  TimmAttention attention;
  attention.heads = arguments.integer("num_heads", 12, 1, 1 << 16);
  attention.qkvBias = arguments.boolean("qkv_bias", true);
  if (arguments.boolean("qk_norm", false))
    attention.headNorm = norm;
  TimmMlp mlp;
  mlp.hidden = int64_t(double(patches.width) * ratio);
  mlp.activation = arguments.activation("act_layer", vit::Activation::Gelu);
  bool isPost = false;
  if (std::string block = arguments.layer("block_fn", "RelPosBlock");
      block == "ResPostRelPosBlock")
    isPost = true;
  else if (block != "RelPosBlock")
    arguments.refuse("block_fn", "block_fn " + inQuotes(block) +
                                     " is not supported; supported are "
                                     "RelPosBlock and ResPostRelPosBlock");
  if (std::string layer = arguments.layer("embed_layer", "PatchEmbed");
      layer != "PatchEmbed")
    arguments.refuse("embed_layer", "embed_layer " + inQuotes(layer) +
                                        " is not supported, expected "
                                        "PatchEmbed");
  bool layerScale = arguments.has("init_values")
                        ? arguments.number("init_values", 0) != 0
                        : !arguments.isNone("init_values");
  bool classToken = arguments.boolean("class_token", false);
  bool fcNorm = arguments.boolean("fc_norm", false);
  bool shares = arguments.boolean("shared_rel_pos", false);

  TimmRelativePosition position;
  std::string type = arguments.text("rel_pos_type", "mlp");
  position.kind = TimmRelativePosition::Kind::Table;
  if (llvm::StringRef(type).starts_with("mlp"))
    position.kind = llvm::StringRef(type).contains("swin")
                        ? TimmRelativePosition::Kind::SwinMlp
                        : TimmRelativePosition::Kind::Mlp;
  position.hidden = arguments.integer("rel_pos_dim", 0, 0, 1 << 16);
  if (!position.hidden)
    position.hidden = 128;
  position.heads = attention.heads;
  position.prefix = classToken;
  position.grid = patches.grid;

  TimmHead head;
  head.pool = arguments.choice("global_pool", "avg", {"avg", "token", ""});
  head.prefix = classToken;
  head.classes = arguments.classes();
  if (fcNorm)
    head.fcNorm = norm;
  if (head.pool == "token" && !classToken)
    arguments.refuse("global_pool",
                     "global_pool \"token\" needs a class_token");
  checkTimmWidth(arguments, patches.width, attention.heads, mlp.hidden);
  if (position.kind == TimmRelativePosition::Kind::Table &&
      patches.grid != patches.tableGrid())
    arguments.refuse("", "--image-size changes the grid of patches, which a "
                         "table of relative positions does not allow");
  if (llvm::Error error = arguments.finish())
    return error;

  ModelBuilder model = startModel(family, patches.channels, patches.image);
  Value x = timmPatchEmbed(model, patches, /*bias=*/true);
  if (classToken)
    x = timmPositions(model, family.checkpoint, patches,
                      {{{"cls_token", 1}}, /*hasTable=*/false, false}, x);
  if (shares)
    attention.bias =
        timmRelativeBias(model, family.checkpoint, "shared_rel_pos", position);

  llvm::SmallVector<Value> blocks;
  for (int64_t i = 0; i < depth; ++i) {
    std::string name = "blocks." + std::to_string(i);
    if (!shares)
      attention.bias = timmRelativeBias(model, family.checkpoint,
                                        name + ".attn.rel_pos", position);
    auto normed = [&](const char *suffix, Value value) {
      return model.norm(name + suffix, value, norm);
    };
    auto scaled = [&](const char *suffix, Value value) {
      return timmLayerScale(model, name + suffix, value, layerScale);
    };
    Value branch = timmAttention(model, name + ".attn",
                                 isPost ? x : normed(".norm1", x), attention);
    x = model.add(
        name + ".attn.residual",
        isPost ? normed(".norm1", branch) : scaled(".ls1.gamma", branch), x);
    branch =
        timmMlp(model, name + ".mlp", isPost ? x : normed(".norm2", x), mlp);
    x = model.add(
        name + ".mlp.residual",
        isPost ? normed(".norm2", branch) : scaled(".ls2.gamma", branch), x);
    blocks.push_back(x);
  }
  if (!fcNorm)
    x = model.norm("norm", x, norm);
  timmHead(model, head, x);
  offerTimmBlocks(model, blocks);
  return model.finish(family.options.outputs, mainTimmOutput(head.classes),
                      isForAnotherTimmUse);
}
