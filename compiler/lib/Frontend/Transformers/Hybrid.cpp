// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Quirks: the stages run up to the last of `out_features`, or of
/// `out_indices`; those behind it may stand in the file. A config without
/// backbone_config is that of R50+ViT-B/16. The position embedding has the grid
/// of backbone_featmap_shape, whatever the image's size.
#include "Hybrid.h"

#include "Sequence.h"

using namespace vitc;
using mlir::Value;

/// How many stages run.
static int64_t lastStage(ConfigReader &fields, int64_t stages) {
  const JsonObject &json = fields.getObject();
  int64_t last = stages;
  if (json.has("out_features")) {
    std::vector<std::string> names =
        fields.take(json.getStrings("out_features"));
    if (fields.failed())
      return 0;
    llvm::StringRef name;
    if (!names.empty())
      name = names.back();
    if (name == "stem")
      return 0;
    if (!name.consume_front("stage") || name.getAsInteger(10, last))
      last = -1;
  } else if (json.has("out_indices")) {
    std::vector<int64_t> indices = fields.integers("out_indices", {}, 0);
    last = indices.empty() ? -1 : indices.back();
  }
  if (last < 0 || last > stages)
    fields.refuse(json.has("out_features") ? "out_features" : "out_indices",
                  "the last of the outputs is none of stem and stage1 to "
                  "stage" +
                      llvm::Twine(stages));
  return last;
}

static ResNetV2 readNetwork(ConfigReader &fields, bool isDefault) {
  ResNetV2 network;
  std::string type = fields.text("model_type", "bit"),
              layer = fields.text("layer_type",
                                  isDefault ? "bottleneck" : "preactivation"),
              padding = fields.text("global_padding", isDefault ? "same" : "");
  network.stemWidth = fields.positive("embedding_size", 64, widest);
  network.groups = fields.positive("num_groups", 32, widest);
  network.activation = fields.activation("hidden_act", "relu");
  std::vector<int64_t> widths =
      fields.integers("hidden_sizes", {256, 512, 1024, 2048}, 1);
  std::vector<int64_t> depths = isDefault
                                    ? std::vector<int64_t>{3, 4, 9}
                                    : fields.depths("depths", {3, 4, 6, 3});
  int64_t factor = fields.positive("width_factor", 1, 64),
          outputStride = fields.positive("output_stride", 32, 1024);
  bool padsPool = fields.boolean("embedding_dynamic_padding", isDefault);
  if (fields.failed())
    return network;

  if (type != "bit")
    fields.refuse("model_type", "the backbone's model_type is " +
                                    inQuotes(type) + ", expected \"bit\"");
  else if (layer != "bottleneck")
    fields.refuse("layer_type",
                  "layer_type " + inQuotes(layer) +
                      " is not supported, expected \"bottleneck\"");
  else if (!llvm::StringRef(padding).equals_insensitive("same"))
    fields.refuse("global_padding", "global_padding " + inQuotes(padding) +
                                        " is not supported, expected \"same\"");
  else if (!padsPool)
    fields.refuse(
        "embedding_dynamic_padding",
        "embedding_dynamic_padding false is not supported, expected true");
  else if (widths.size() < depths.size())
    fields.refuse("hidden_sizes",
                  "hidden_sizes has " + llvm::Twine(widths.size()) +
                      " stages, depths has " + llvm::Twine(depths.size()));
  if (fields.failed())
    return network;

  int64_t stages = isDefault ? 3 : lastStage(fields, int64_t(depths.size()));
  for (int64_t i = 0; !fields.failed() && i < stages; ++i) {
    // Widths are multiples of 8.
    network.stages.push_back({depths[i], (widths[i] * factor + 4) / 8 * 8});
    if (i && outputStride < 4 << i)
      fields.refuse("output_stride",
                    "output_stride " + llvm::Twine(outputStride) +
                        " is less than the stages' own: spread weights are not "
                        "supported");
  }
  if (int64_t width = network.widthWithoutGroups())
    fields.refuse("num_groups", "num_groups " + llvm::Twine(network.groups) +
                                    " does not divide a layer's " +
                                    llvm::Twine(width) + " channels");
  return network;
}

llvm::Expected<HybridBackbone>
vitc::readHybridBackbone(const JsonObject &json) {
  bool isDefault = !json.has("backbone_config");
  ConfigReader fields(json);
  std::vector<int64_t> features =
      fields.integers("backbone_featmap_shape", {1, 1024, 24, 24}, 1);
  if (features.size() != 4)
    fields.refuse("backbone_featmap_shape", "backbone_featmap_shape has " +
                                                llvm::Twine(features.size()) +
                                                " numbers, expected 4");
  if (llvm::Error error = fields.finish())
    return error;
  std::optional<JsonObject> inner;
  if (!isDefault) {
    llvm::Expected<JsonObject> object = json.getObject("backbone_config");
    if (!object)
      return object.takeError();
    inner = *object;
  } else {
    // Nothing of the outer config describes the backbone.
    inner = llvm::cantFail(parseJson("the default backbone", "{}"));
  }
  ConfigReader innerFields(*inner);
  HybridBackbone backbone = {readNetwork(innerFields, isDefault),
                             {features[2], features[3]}};
  if (llvm::Error error = innerFields.finish())
    return error;
  return backbone;
}

Map HybridBackbone::build(ModelBuilder &model, const std::string &name,
                          int64_t width, Grid patchSize) const {
  ResNetV2 named = network;
  std::string bit = name + ".backbone.bit.";
  named.stemConv = bit + "embedder.convolution";
  named.stemNorm = bit + "embedder.norm";
  named.stage = bit + "encoder.stages.";
  named.block = ".layers.";
  return model.conv(name + ".projection", named.build(model), width,
                    /*bias=*/true, {patchSize, patchSize});
}
