// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Config.h"

#include "ConfigReader.h"

#include "vitc/Support/Escape.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace vitc;
using namespace vitc::own;
using llvm::StringRef;

static constexpr StringRef knownFields[] = {
    "model_type",     "image_size",
    "channels",       "patch_size",
    "patch_layout",   "patch_bias",
    "width",          "depth",
    "heads",          "head_width",
    "mlp_ratio",      "mlp_hidden",
    "norm",           "norm_place",
    "norm_eps",       "embedding_norm",
    "final_norm",     "activation",
    "position",       "position_axes",
    "position_join",  "position_theta",
    "position_pairs", "position_of_class_token",
    "class_token",    "registers",
    "pool",           "head_hidden",
    "head_bias",      "classes",
    "labels",         "qkv",
    "qkv_bias",       "projection_bias",
    "mlp_bias",       "normalisation",
    "interpolation",  "weights"};

/// Roles of the weights and the names they have unless the config gives others.
static constexpr std::pair<StringRef, StringRef> defaultNames[] = {
    {"patch", "patch_embedding"},
    {"class_token", "class_token"},
    {"registers", "register_tokens"},
    {"position", "position"},
    {"position_rows", "position_rows"},
    {"position_columns", "position_columns"},
    {"relative_position", "blocks.{layer}.attention.relative_position"},
    {"embedding_norm", "embedding_norm"},
    {"attention_norm", "blocks.{layer}.attention_norm"},
    {"qkv", "blocks.{layer}.attention.qkv"},
    {"query", "blocks.{layer}.attention.query"},
    {"key", "blocks.{layer}.attention.key"},
    {"value", "blocks.{layer}.attention.value"},
    {"projection", "blocks.{layer}.attention.projection"},
    {"mlp_norm", "blocks.{layer}.mlp_norm"},
    {"mlp_up", "blocks.{layer}.mlp.up"},
    {"mlp_down", "blocks.{layer}.mlp.down"},
    {"final_norm", "norm"},
    {"head_hidden", "head_hidden"},
    {"head", "head"}};

static llvm::Expected<Names> readNames(const JsonObject &json) {
  Names names;
  for (auto [role, name] : defaultNames)
    names.patterns[role] = name.str();
  if (!json.has("weights"))
    return names;
  llvm::Expected<JsonObject> given = json.getObject("weights");
  if (!given)
    return given.takeError();
  JsonReader fields(*given);
  auto roles = llvm::map_to_vector(defaultNames,
                                   [](auto &entry) { return entry.first; });
  fields.refuseUnknown(roles);
  for (const std::string &role : given->keys())
    names.patterns[role] = fields.text(role, std::nullopt);
  if (llvm::Error error = fields.finish())
    return error;
  for (const auto &[role, name] : names.patterns)
    if (!isPlainText(name))
      return given->error(role, "weights." + role + " " + inQuotes(name) +
                                    " has a control character, expected the "
                                    "name of a layer");
  return names;
}

/// One value for each channel, or one for all.
static llvm::Expected<std::vector<double>>
readPerChannel(const JsonObject &json, StringRef key, int64_t channels) {
  llvm::Expected<std::vector<double>> values = json.getNumbers(key);
  if (!values)
    return values.takeError();
  if (values->size() == 1)
    values->resize(channels, values->front());
  if (int64_t(values->size()) != channels)
    return json.error(key, key + " has " + llvm::Twine(values->size()) +
                               " values, expected 1 or one for each of " +
                               llvm::Twine(channels) + " channels");
  return values;
}

static llvm::Error readNormalisation(const JsonObject &json, Config &config) {
  if (!json.has("normalisation"))
    return llvm::Error::success();
  llvm::Expected<JsonObject> object = json.getObject("normalisation");
  if (!object)
    return object.takeError();
  JsonReader fields(*object);
  fields.refuseUnknown({"mean", "std"});
  for (auto [key, values] :
       {std::pair("mean", &config.mean), std::pair("std", &config.std)})
    *values = fields.take(readPerChannel(*object, key, config.channels));
  if (llvm::is_contained(config.std, 0.0))
    fields.refuse("std", "std must not be 0");
  return fields.finish();
}

/// The fields by themselves; how they go together is checked later. Errors stay
/// in `fields`.
static Config readFields(ConfigReader &fields) {
  constexpr int64_t widest = JsonReader::greatest;
  const JsonObject &json = fields.getObject();
  fields.refuseUnknown(knownFields);

  Config config;
  config.imageSize = fields.size("image_size", {224, 224});
  config.patchSize = fields.size("patch_size", {16, 16});
  config.channels = fields.positive("channels", 3, 1024);
  config.patchLayout = fields.word<PatchLayout>(
      "patch_layout", "conv",
      {{"conv", PatchLayout::Conv},
       {"rows_columns_channels", PatchLayout::RowsColumnsChannels},
       {"channels_rows_columns", PatchLayout::ChannelsRowsColumns}});
  config.patchBias = fields.boolean("patch_bias", true);
  config.width = fields.positive("width", 768, widest);
  config.depth = fields.positive("depth", 12, JsonReader::mostBlocks);
  config.heads = fields.positive("heads", 12, widest);
  config.headWidth = fields.positive(
      "head_width", std::max<int64_t>(config.width / config.heads, 1), widest);
  int64_t ofRatio =
      std::llround(double(config.width) * fields.ratio("mlp_ratio", 4.0));
  if (!fields.has("mlp_hidden") && (ofRatio < 1 || ofRatio > 8 * widest))
    fields.refuse("mlp_ratio",
                  "mlp_ratio gives the MLP " + llvm::Twine(ofRatio) +
                      " channels, expected 1 to " + llvm::Twine(8 * widest));
  config.hidden = fields.positive(
      "mlp_hidden", std::clamp<int64_t>(ofRatio, 1, 8 * widest), 8 * widest);
  config.norm.eps = fields.eps("norm_eps", 1e-5);
  config.norm.kind = fields.word<vit::NormKind>(
      "norm", "layer",
      {{"layer", vit::NormKind::Layer}, {"rms", vit::NormKind::Rms}});
  config.norm.bias = config.norm.kind == vit::NormKind::Layer;
  config.normPlace = fields.word<NormPlace>(
      "norm_place", "before",
      {{"before", NormPlace::Before}, {"after", NormPlace::After}});
  config.embeddingNorm = fields.boolean("embedding_norm", false);
  config.finalNorm =
      fields.boolean("final_norm", config.normPlace == NormPlace::Before);
  config.activation = fields.activation("activation", "gelu");
  config.position = fields.word<Position>("position", "learned_1d",
                                          {{"none", Position::None},
                                           {"learned_1d", Position::Learned1D},
                                           {"learned_2d", Position::Learned2D},
                                           {"sinusoidal", Position::Sinusoidal},
                                           {"relative", Position::Relative},
                                           {"rotary", Position::Rotary}});
  config.axes = fields.positive("position_axes", 1, 2);
  config.concatenate = fields.word<bool>(
      "position_join", "add", {{"add", false}, {"concatenate", true}});
  config.theta = fields.above0("position_theta", 10000.0);
  config.pairing = fields.word<vit::RotaryPairing>(
      "position_pairs", "halves",
      {{"halves", vit::RotaryPairing::Halves},
       {"interleaved", vit::RotaryPairing::Interleaved}});
  config.classToken = fields.boolean("class_token", true);
  config.positionOfClass =
      fields.boolean("position_of_class_token", config.classToken);
  config.registers = fields.integer("registers", 0, 0, widest);
  config.pool =
      fields.word<vit::PoolKind>("pool", config.classToken ? "token" : "mean",
                                 {{"token", vit::PoolKind::Token},
                                  {"mean", vit::PoolKind::Mean},
                                  {"max", vit::PoolKind::Max},
                                  {"mean_max", vit::PoolKind::MeanMax}});
  config.headHidden = fields.integer("head_hidden", 0, 0, 8 * widest);
  config.headBias = fields.boolean("head_bias", true);
  config.qkvPacked = fields.word<bool>("qkv", "separate",
                                       {{"separate", false}, {"packed", true}});
  config.qkvBias = fields.boolean("qkv_bias", true);
  config.projectionBias = fields.boolean("projection_bias", true);
  config.mlpBias = fields.boolean("mlp_bias", true);
  config.names = fields.take(readNames(json));
  config.filter = fields.word<int64_t>("interpolation", "bilinear",
                                       {{"nearest", 0},
                                        {"lanczos", 1},
                                        {"bilinear", 2},
                                        {"bicubic", 3},
                                        {"box", 4},
                                        {"hamming", 5}});
  if (fields.has("labels"))
    config.labels = fields.take(json.getStrings("labels"));
  config.classes = fields.integer(
      "classes", static_cast<int64_t>(config.labels.size()), 0, mostClasses);
  fields.fail(readNormalisation(json, config));
  return config;
}

llvm::Expected<Config> own::readConfig(const JsonObject &json) {
  ConfigReader fields(json);
  Config config = readFields(fields);
  if (llvm::Error error = fields.finish())
    return error;

  // A field that has no meaning here would be ignored, and its writer misled.
  auto isFor = [&](std::initializer_list<Position> kinds) {
    return llvm::is_contained(kinds, config.position);
  };
  const std::pair<StringRef, bool> meanings[] = {
      {"position_axes", isFor({Position::Sinusoidal})},
      {"position_join", isFor({Position::Learned2D})},
      {"position_theta", isFor({Position::Sinusoidal, Position::Rotary})},
      {"position_pairs", isFor({Position::Rotary})},
      {"position_of_class_token",
       config.classToken &&
           (isFor({Position::Learned1D}) ||
            (isFor({Position::Sinusoidal}) && config.axes == 1))}};
  for (auto [key, hasMeaning] : meanings)
    if (json.has(key) && !hasMeaning)
      return json.error(key, key + " has no meaning with this position; leave "
                                   "it out");
  if (json.has("mlp_ratio") && json.has("mlp_hidden"))
    return json.error("mlp_hidden",
                      "mlp_hidden and mlp_ratio are both given; expected one");

  auto number = [](int64_t value) { return std::to_string(value); };
  if (config.width % config.heads && !json.has("head_width"))
    return json.error("width", "width " + number(config.width) +
                                   " is not a multiple of heads " +
                                   number(config.heads) +
                                   "; give head_width if it is not "
                                   "width / heads");
  if (!config.labels.empty() && int64_t(config.labels.size()) != config.classes)
    return json.error("labels", "there are " + number(config.labels.size()) +
                                    " labels for " + number(config.classes) +
                                    " classes");
  if (config.pool == vit::PoolKind::Token && !config.classToken)
    return json.error("pool", "pool \"token\" needs a class_token");
  if (config.imageSize.first < config.patchSize.first ||
      config.imageSize.second < config.patchSize.second)
    return json.error("image_size", "image_size is smaller than patch_size");
  if (config.position == Position::Learned2D && config.concatenate &&
      config.width % 2)
    return json.error("position_join", "position_join \"concatenate\" needs an "
                                       "even width, found " +
                                           number(config.width));
  if (config.position == Position::Sinusoidal &&
      config.width % (2 * config.axes))
    return json.error("position", "a sinusoidal position needs a width that is "
                                  "a multiple of " +
                                      number(2 * config.axes) + ", found " +
                                      number(config.width));
  if (config.position == Position::Rotary && config.headWidth % 4)
    return json.error("position", "a rotary position needs heads of a multiple "
                                  "of 4 channels, found " +
                                      number(config.headWidth));
  if (config.position == Position::Relative && config.registers)
    return json.error("registers",
                      "registers have no relative position; use none");
  config.labels.resize(config.classes);
  return config;
}
