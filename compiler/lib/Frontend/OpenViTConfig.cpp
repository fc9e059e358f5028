// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OpenViTConfig.h"

#include "Families.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace vitc;
using namespace vitc::openvit;
using llvm::StringRef;

/// What a word in the config stands for.
template <typename T>
using Words = std::initializer_list<std::pair<StringRef, T>>;

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

static llvm::Error checkKeys(const JsonObject &object,
                             llvm::ArrayRef<StringRef> known) {
  for (const std::string &key : object.keys())
    if (!llvm::is_contained(known, key)) {
      StringRef nearest = nearestName(key, known);
      return object.error(
          key, "unknown field \"" + key + "\"" +
                   (nearest.empty()
                        ? "; known are " + llvm::join(known, ", ")
                        : "; the nearest known one is " + nearest.str()));
    }
  return llvm::Error::success();
}

template <typename T>
static llvm::Expected<T> readWord(const JsonObject &json, StringRef key,
                                  StringRef fallback, Words<T> words) {
  llvm::Expected<std::string> word = json.getString(key, fallback);
  if (!word)
    return word.takeError();
  std::vector<StringRef> known;
  for (auto &[spelling, value] : words) {
    if (spelling == *word)
      return value;
    known.push_back(spelling);
  }
  return json.error(key, key + " \"" + *word + "\" is not one of " +
                             llvm::join(known, ", "));
}

static llvm::Expected<Names> readNames(const JsonObject &json) {
  Names names;
  for (auto [role, name] : defaultNames)
    names.patterns[role] = name.str();
  if (!json.has("weights"))
    return names;
  llvm::Expected<JsonObject> given = json.getObject("weights");
  if (!given)
    return given.takeError();
  auto roles = llvm::map_to_vector(defaultNames,
                                   [](auto &entry) { return entry.first; });
  if (llvm::Error error = checkKeys(*given, roles))
    return error;
  for (const std::string &role : given->keys()) {
    llvm::Expected<std::string> name = given->getString(role);
    if (!name)
      return name.takeError();
    names.patterns[role] = *name;
  }
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
  if (llvm::Error error = checkKeys(*object, {"mean", "std"}))
    return error;
  for (auto [key, values] :
       {std::pair("mean", &config.mean), std::pair("std", &config.std)}) {
    llvm::Expected<std::vector<double>> read =
        readPerChannel(*object, key, config.channels);
    if (!read)
      return read.takeError();
    *values = std::move(*read);
  }
  if (llvm::is_contained(config.std, 0.0))
    return object->error("std", "std must not be 0");
  return llvm::Error::success();
}

llvm::Expected<Config> openvit::readConfig(const JsonObject &json) {
  constexpr int64_t widest = 1 << 16, deepest = 1 << 10;
  if (llvm::Error error = checkKeys(json, knownFields))
    return error;
  Fields fields(json);
  auto word = [&](StringRef key, StringRef fallback, auto words) {
    return fields.take(readWord(json, key, fallback, words));
  };
  auto flag = [&](StringRef key, bool fallback) {
    return fields.take(json.getBool(key, fallback));
  };

  Config config;
  config.imageSize = fields.size("image_size", 224);
  config.patchSize = fields.size("patch_size", 16);
  config.channels = fields.positive("channels", 3, 1024);
  config.patchLayout =
      word("patch_layout", "conv",
           Words<PatchLayout>{
               {"conv", PatchLayout::Conv},
               {"rows_columns_channels", PatchLayout::RowsColumnsChannels},
               {"channels_rows_columns", PatchLayout::ChannelsRowsColumns}});
  config.patchBias = flag("patch_bias", true);
  config.width = fields.positive("width", 768, widest);
  config.depth = fields.positive("depth", 12, deepest);
  config.heads = fields.positive("heads", 12, widest);
  config.headWidth = fields.positive(
      "head_width", std::max<int64_t>(config.width / config.heads, 1), widest);
  double ratio = fields.take(json.getNumber("mlp_ratio", 4.0));
  config.hidden = fields.positive(
      "mlp_hidden", std::max<int64_t>(std::llround(config.width * ratio), 0),
      8 * widest);
  config.norm.eps = fields.take(json.getNumber("norm_eps", 1e-5));
  config.norm.kind = word("norm", "layer",
                          Words<vit::NormKind>{{"layer", vit::NormKind::Layer},
                                               {"rms", vit::NormKind::Rms}});
  config.norm.bias = config.norm.kind == vit::NormKind::Layer;
  config.normPlace = word("norm_place", "before",
                          Words<NormPlace>{{"before", NormPlace::Before},
                                           {"after", NormPlace::After}});
  config.embeddingNorm = flag("embedding_norm", false);
  config.finalNorm = flag("final_norm", config.normPlace == NormPlace::Before);
  config.activation = fields.take(readActivation(json, "activation", "gelu"));
  config.position = word("position", "learned_1d",
                         Words<Position>{{"none", Position::None},
                                         {"learned_1d", Position::Learned1D},
                                         {"learned_2d", Position::Learned2D},
                                         {"sinusoidal", Position::Sinusoidal},
                                         {"relative", Position::Relative},
                                         {"rotary", Position::Rotary}});
  config.axes = fields.positive("position_axes", 1, 2);
  config.concatenate = word("position_join", "add",
                            Words<bool>{{"add", false}, {"concatenate", true}});
  config.theta = fields.take(json.getNumber("position_theta", 10000.0));
  config.pairs =
      word("position_pairs", "halves",
           Words<vit::Pairs>{{"halves", vit::Pairs::Halves},
                             {"interleaved", vit::Pairs::Interleaved}});
  config.classToken = flag("class_token", true);
  config.positionOfClass = flag("position_of_class_token", config.classToken);
  config.registers = fields.take(json.getInteger("registers", 0));
  config.pool =
      word("pool", config.classToken ? "token" : "mean",
           Words<vit::PoolKind>{{"token", vit::PoolKind::Token},
                                {"mean", vit::PoolKind::Mean},
                                {"max", vit::PoolKind::Max},
                                {"mean_max", vit::PoolKind::MeanMax}});
  config.headHidden = fields.take(json.getInteger("head_hidden", 0));
  config.headBias = flag("head_bias", true);
  config.qkvPacked = word("qkv", "separate",
                          Words<bool>{{"separate", false}, {"packed", true}});
  config.qkvBias = flag("qkv_bias", true);
  config.projectionBias = flag("projection_bias", true);
  config.mlpBias = flag("mlp_bias", true);
  config.names = fields.take(readNames(json));
  config.filter = word("interpolation", "bilinear",
                       Words<int64_t>{{"nearest", 0},
                                      {"lanczos", 1},
                                      {"bilinear", 2},
                                      {"bicubic", 3},
                                      {"box", 4},
                                      {"hamming", 5}});
  if (json.has("labels"))
    config.labels = fields.take(json.getStrings("labels"));
  config.classes = fields.take(
      json.getInteger("classes", static_cast<int64_t>(config.labels.size())));
  if (fields.error)
    return std::move(fields.error);
  if (llvm::Error error = readNormalisation(json, config))
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
  if (config.hidden < 1)
    return json.error("mlp_ratio", "mlp_ratio leaves the MLP no channels");
  if (!(config.norm.eps >= 0 && config.norm.eps < 1))
    return json.error("norm_eps", "norm_eps is not between 0 and 1");
  if (!(config.theta > 0 && std::isfinite(config.theta)))
    return json.error("position_theta",
                      "position_theta must be a positive number");
  if (config.registers < 0 || config.registers > widest)
    return json.error("registers", "registers " + number(config.registers) +
                                       " is not between 0 and " +
                                       number(widest));
  if (config.headHidden < 0 || config.headHidden > 8 * widest)
    return json.error("head_hidden",
                      "head_hidden is not between 0 and " + number(8 * widest));
  if (config.classes < 0 || config.classes > 10'000'000)
    return json.error("classes", "classes is not between 0 and 10000000");
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
