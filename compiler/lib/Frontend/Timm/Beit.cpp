// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// timm's Beit: `beit_*` and `beitv2_*`.
///
/// Quirks: query and value have biases, the key has none; the layer scales are
/// gamma_1 and gamma_2; the bias of the attention comes from a table of
/// relative positions, of each block or one for all, whose last three rows are
/// for the class token; with global_pool "avg" the final norm stands behind the
/// pooling, which leaves the class token out.
#include "Timm.h"

using namespace vitc;
using mlir::Value;

FamilyResult vitc::importTimmBeit(TimmImport &import) {
  TimmArguments &arguments = import.arguments;
  FamilyImport &family = import.family;
  TimmPatches patches = readTimmPatches(import);
  int64_t depth = arguments.positive("depth", 12, JsonReader::mostBlocks);
  double ratio = arguments.ratio("mlp_ratio", 4);
  Norm norm = arguments.norm("norm_layer");
  bool layerScale = arguments.number("init_values", 0) != 0;
  bool hasTable = arguments.boolean("use_abs_pos_emb", true);
  bool hasBias = arguments.boolean("use_rel_pos_bias", false);
  bool sharesBias = arguments.boolean("use_shared_rel_pos_bias", false);
  TimmAttention attention;
  attention.heads = arguments.integer("num_heads", 12, 1, 1 << 16);
  attention.projection = TimmAttention::Projection::PackedWithoutKeyBias;
  attention.qkvBias = arguments.boolean("qkv_bias", true);
  TimmMlp mlp;
  mlp.hidden = int64_t(double(patches.width) * ratio);
  if (arguments.boolean("swiglu_mlp", false)) {
    mlp.kind = TimmMlp::Kind::Split;
    mlp.activation = vit::Activation::Silu;
  }
  if (arguments.boolean("scale_mlp", false))
    mlp.norm = norm;
  TimmHead head;
  head.pool = arguments.choice("global_pool", "avg", {"avg", "token", ""});
  head.prefix = 1;
  head.classes = arguments.classes();
  if (head.pool == "avg")
    head.fcNorm = norm;
  checkTimmWidth(arguments, patches.width, attention.heads, mlp.hidden);
  if (llvm::Error error = arguments.finish())
    return error;

  ModelBuilder model = startModel(family, patches.channels, patches.image);
  Value x = timmPatchEmbed(model, patches, /*bias=*/true);
  x = timmPositions(model, family.checkpoint, patches,
                    {{{"cls_token", 1}}, hasTable, /*tableHasPrefix=*/true}, x);
  auto relativeBias = [&](const std::string &name) {
    TimmRelativePosition position;
    position.heads = attention.heads;
    position.grid = patches.grid;
    position.prefix = 1;
    return timmRelativeBias(model, family.checkpoint, name, position);
  };
  Value shared = sharesBias ? relativeBias("rel_pos_bias") : Value();

  llvm::SmallVector<Value> blocks;
  for (int64_t i = 0; i < depth; ++i) {
    std::string name = "blocks." + std::to_string(i);
    attention.bias = shared;
    if (hasBias) {
      Value own = relativeBias(name + ".attn");
      attention.bias =
          shared ? model.add(name + ".attn.bias", own, shared) : own;
    }
    Value branch = timmAttention(
        model, name + ".attn", model.norm(name + ".norm1", x, norm), attention);
    x = model.add(name + ".attn.residual",
                  timmLayerScale(model, name + ".gamma_1", branch, layerScale),
                  x);
    branch = timmMlp(model, name + ".mlp", model.norm(name + ".norm2", x, norm),
                     mlp);
    x = model.add(name + ".mlp.residual",
                  timmLayerScale(model, name + ".gamma_2", branch, layerScale),
                  x);
    blocks.push_back(x);
  }
  if (head.pool != "avg")
    x = model.norm("norm", x, norm);
  timmHead(model, head, x);
  offerTimmBlocks(model, blocks);
  return model.finish(family.options.outputs, mainTimmOutput(head.classes),
                      isForAnotherTimmUse);
}
