// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// timm's SwinTransformer, SwinTransformerV2 and SwinTransformerV2Cr: `swin_*`,
/// `swinv2_*` and `swinv2_cr_*`.
///
/// Quirks: patches are merged at the start of a stage, so `layers.i.downsample`
/// leads to stage i; every norm has eps 1e-5. Rows and columns of a window are
/// made as small as the map's, each by itself, unless always_partition; what
/// counts is the image's grid, halved and rounded down, though odd maps grow
/// by a pixel when they are merged. A map that is no multiple of the window is
/// rolled before it is padded. `features` are [image, row, column, channel].
/// Files of the first releases number the merging after the stage before it and
/// call the classifier `head`.
///
/// V2Cr, an independent version 2, has cosine attention and norms behind the
/// branches, too, but `stages` for `layers`, biases in `qkv`, a window that is
/// an eighth of the image's grid unless told otherwise, a bias of the scores
/// that is the MLP's result as it stands, and norms before the merging.
/// Some blocks end in a norm of all, `norm3`: the last of all, that of every
/// stage (extra_norm_stage), every so many (extra_norm_period). Its `features`
/// are [image, channel, row, column].
#include "Builder/Swin.h"
#include "Timm.h"

#include <cmath>

using namespace vitc;
using llvm::Twine;
using mlir::Value;

namespace vitc::timm_swin {

struct Stage {
  int64_t width, depth, heads, attentionWidth, hidden;
  Grid window;
  int64_t pretrainedWindow;
};

enum class Version { First, Second, Cr };

struct Config {
  Version version;
  int64_t channels, classes;
  Grid image, patchSize, grid;
  std::vector<Stage> stages;
  vit::Activation activation;
  bool qkvBias, alwaysPartition;
  int64_t normPeriod; ///< V2Cr: so many blocks of a stage, then a norm
  bool stageNorm;     ///< V2Cr: a norm at the end of each stage

  bool normAfter() const { return version != Version::First; }
  /// Whether a block ends in `norm3`.
  bool endsNormed(size_t stage, int64_t block) const {
    bool isLast = block + 1 == stages[stage].depth;
    return version == Version::Cr &&
           ((normPeriod && (block + 1) % normPeriod == 0) ||
            (isLast && (stageNorm || stage + 1 == stages.size())));
  }
};

/// A number for every stage, out of one for all or a list.
template <typename T>
static T ofStage(const std::vector<T> &values, size_t stage) {
  return values.size() == 1 ? values[0] : values[stage];
}

/// One window for all, rows and columns for all, or a window for each stage.
static std::vector<Grid> readWindows(TimmArguments &arguments, size_t stages) {
  std::vector<int64_t> sides = arguments.integers("window_size", {7}, 1);
  std::vector<Grid> windows;
  if (sides.size() == 2) {
    windows.push_back({sides[0], sides[1]});
  } else {
    for (int64_t side : sides)
      windows.push_back({side, side});
    if (windows.size() != 1 && windows.size() != stages)
      arguments.refuse("window_size",
                       "window_size has " + Twine(windows.size()) +
                           " numbers, expected 1, 2 or one for each of " +
                           Twine(stages) + " stages");
  }
  return windows;
}

/// V2Cr: one window for all stages, given or a part of the image's grid.
static Grid readCrWindow(TimmArguments &arguments, Grid grid) {
  int64_t ratio = arguments.integer("window_ratio", 8, 1, 65536);
  Grid window =
      arguments.size("window_size", {grid.first / ratio, grid.second / ratio});
  if (window.first < 1 || window.second < 1)
    arguments.refuse("window_ratio", "window_ratio " + Twine(ratio) +
                                         " leaves no window of a grid of " +
                                         Twine(grid.first) + " x " +
                                         Twine(grid.second) + " patches");
  return window;
}

static llvm::Expected<Config> readConfig(TimmImport &import) {
  TimmArguments &arguments = import.arguments;
  Config config;
  llvm::StringRef className = import.architecture.className;
  config.version = className == "SwinTransformerV2Cr" ? Version::Cr
                   : className == "SwinTransformerV2" ? Version::Second
                                                      : Version::First;
  bool isFirst = config.version == Version::First,
       isSecond = config.version == Version::Second,
       isCr = config.version == Version::Cr;
  config.channels = arguments.integer("in_chans", 3, 1, 1024);
  config.classes = arguments.classes();
  config.patchSize = arguments.size("patch_size", {4, 4});
  config.image = import.family.options.imageSize.value_or(
      arguments.size("img_size", {224, 224}));
  config.qkvBias = isCr || arguments.boolean("qkv_bias", true);
  config.alwaysPartition = arguments.boolean("always_partition", false);
  config.activation = vit::Activation::Gelu;
  if (isSecond)
    config.activation = arguments.activation("act_layer", config.activation);
  config.normPeriod =
      isCr ? arguments.integer("extra_norm_period", 0, 0, 65536) : 0;
  config.stageNorm = isCr && arguments.boolean("extra_norm_stage", false);
  if (isCr) { // no part of the arithmetic
    arguments.number("init_values", 0);
    arguments.boolean("sequential_attn", false);
  }
  arguments.boolean("strict_img_size", true); // the size is fixed here
  arguments.choice("global_pool", "avg", {"avg"});
  int64_t width = arguments.integer("embed_dim", 96, 1, 1 << 16);
  std::vector<int64_t> depths = arguments.depths("depths", {2, 2, 6, 2}),
                       heads =
                           arguments.integers("num_heads", {3, 6, 12, 24}, 1),
                       headWidth = {0}, pretrained(depths.size(), 0);
  if (isFirst)
    headWidth = arguments.integers("head_dim", headWidth, 1);
  if (isSecond)
    pretrained = arguments.integers("pretrained_window_sizes", pretrained, 0);
  double ratio = arguments.ratio("mlp_ratio", 4);
  config.grid = {config.image.first / config.patchSize.first,
                 config.image.second / config.patchSize.second};
  std::vector<Grid> windows = {{1, 1}};
  if (isCr)
    windows = {readCrWindow(arguments, config.grid)};
  else
    windows = readWindows(arguments, depths.size());

  auto oneForEach = [&](const char *key, size_t count, bool orOne) {
    if (count != depths.size() && !(orOne && count == 1))
      arguments.refuse(key, Twine(key) + " has " + Twine(count) +
                                " numbers, depths has " + Twine(depths.size()));
  };
  // The map is shifted by the number of stages below.
  if (depths.empty() || depths.size() > 16) {
    arguments.refuse("depths", "depths has " + Twine(depths.size()) +
                                   " numbers, expected 1 to 16");
    return arguments.finish();
  }
  oneForEach("num_heads", heads.size(), false);
  oneForEach("head_dim", headWidth.size(), true);
  if (pretrained.size() < depths.size())
    oneForEach("pretrained_window_sizes", pretrained.size(), false);
  if (std::min(config.grid.first, config.grid.second) >> (depths.size() - 1) <
      1)
    arguments.refuse("img_size", "img_size " + Twine(config.image.first) +
                                     " x " + Twine(config.image.second) +
                                     " leaves the last stage without a map");
  if (llvm::Error error = arguments.finish())
    return error;

  for (size_t i = 0; i < depths.size(); ++i, width *= 2) {
    if (width > JsonReader::greatest)
      arguments.refuse("embed_dim", "embed_dim gives stage " + Twine(i) + " " +
                                        Twine(width) +
                                        " channels, expected at most " +
                                        Twine(JsonReader::greatest));
    int64_t headChannels = ofStage(headWidth, i);
    if (!headChannels && width % heads[i])
      arguments.refuse("num_heads", "stage " + Twine(i) + " has " +
                                        Twine(width) +
                                        " channels, not a multiple of its " +
                                        Twine(heads[i]) + " heads");
    if (pretrained[i] == 1)
      arguments.refuse("pretrained_window_sizes",
                       "pretrained_window_sizes has 1, in which no two pixels "
                       "are apart");
    config.stages.push_back(
        {width, depths[i], heads[i],
         headChannels ? headChannels * heads[i] : width,
         std::max<int64_t>(int64_t(double(width) * ratio), 1),
         ofStage(windows, i), pretrained[i]});
  }
  if (llvm::Error error = arguments.finish())
    return error;
  return config;
}

/// V2Cr's bias: an MLP (`name.fc1`, `name.fc2`) on the logarithms of the
/// distances.
static Value crBias(ModelBuilder &model, const std::string &name, Grid window,
                    int64_t heads) {
  constexpr int64_t hidden = 384;
  auto coordinate = [](int64_t distance) {
    return std::copysign(std::log1p(std::abs(double(distance))),
                         double(distance));
  };
  Value table = model.constant(
      name + ".coordinates",
      {(2 * window.first - 1) * (2 * window.second - 1), 2},
      [&](std::vector<double> &coordinates) {
        for (int64_t y = 1 - window.first; y < window.first; ++y)
          for (int64_t x = 1 - window.second; x < window.second; ++x)
            coordinates.insert(coordinates.end(),
                               {coordinate(y), coordinate(x)});
      });
  table =
      model.activate(model.linear(name + ".fc1", table, hidden, /*bias=*/true),
                     vit::Activation::Relu);
  table = model.linear(name + ".fc2", table, heads, /*bias=*/true);
  return model.relativeBias(name + ".bias", table, window, /*prefix=*/0);
}

/// Queries, keys and values of `name.qkv`. Version 2 keeps the biases apart and
/// has none of the keys.
static Projections project(ModelBuilder &model, const std::string &name,
                           const Config &config, const Stage &stage,
                           Value windows) {
  int64_t width = stage.attentionWidth;
  std::string qkv = name + ".qkv";
  if (config.version != Version::Second) {
    Projections packed = model.packedProjections(
        qkv, windows, width,
        config.qkvBias ? model.parameter(qkv + ".bias", {3 * width}) : Value());
    return config.version == Version::Cr
               ? swinCosine(model, name, packed, {stage.heads})
               : packed;
  }
  Value weight = model.parameter(qkv + ".weight", {3 * width, stage.width});
  auto part = [&](int64_t index, const char *suffix, const char *bias) {
    return model.linear(
        qkv + suffix, windows, model.slice(weight, 0, index * width, width),
        config.qkvBias && bias ? model.parameter(name + bias, {width})
                               : Value());
  };
  return swinCosine(model, name,
                    {part(0, ".query", ".q_bias"), part(1, ".key", nullptr),
                     part(2, ".value", ".v_bias")},
                    {stage.heads, 1, 1});
}

static bool isForAnotherUse(llvm::StringRef name) {
  return isForAnotherTimmUse(name) || name.ends_with("attn_mask") ||
         name.ends_with("relative_coords_table");
}

static FamilyResult grow(TimmImport &import) {
  llvm::Expected<Config> read = readConfig(import);
  if (!read)
    return read.takeError();
  const Config &config = *read;
  FamilyImport &family = import.family;
  ModelBuilder model = startModel(family, config.channels, config.image);
  bool isFirstRelease =
      family.checkpoint &&
      family.checkpoint->find("layers.0.downsample.reduction.weight");

  Map map = {model.patchEmbed("patch_embed.proj", config.stages[0].width,
                              config.patchSize.first, config.patchSize.second,
                              /*bias=*/true),
             config.grid};
  map.value = model.layerNorm("patch_embed.norm", map.value, swinNormEps);

  bool isCr = config.version == Version::Cr;
  std::string stages = isCr ? "stages." : "layers.";
  for (auto [i, stage] : llvm::enumerate(config.stages)) {
    if (i)
      map = swinMerge(
          model, stages + Twine(isFirstRelease ? i - 1 : i) + ".downsample",
          map, stage.width,
          /*normAfter=*/config.version == Version::Second);
    // Windows no larger than the map, which is not rolled if it is one.
    auto fit = [&](int64_t window, int64_t extent) {
      bool whole = !config.alwaysPartition && extent <= window;
      return whole ? std::pair(extent, int64_t(0))
                   : std::pair(window, window / 2);
    };
    auto [rows, shiftRows] = fit(stage.window.first, config.grid.first >> i);
    auto [columns, shiftColumns] =
        fit(stage.window.second, config.grid.second >> i);
    Grid window = {rows, columns};

    for (int64_t j = 0; j < stage.depth; ++j) {
      std::string name = (stages + Twine(i) + ".blocks." + Twine(j)).str(),
                  attention = name + ".attn";
      BlockNames names;
      names.block = name;
      names.normBeforeAttention = name + ".norm1";
      names.attentionOutput = attention + ".proj";
      names.normBeforeMlp = name + ".norm2";
      names.mlpUp = name + ".mlp.fc1";
      names.mlpDown = name + ".mlp.fc2";
      SwinBlock block = {names,
                         window,
                         j % 2 ? Grid(shiftRows, shiftColumns) : Grid(0, 0),
                         stage.heads,
                         stage.hidden,
                         swinNormEps,
                         config.activation,
                         config.normAfter(),
                         SwinRoll::Unpadded,
                         /*maskValue=*/-100};
      block.scale = config.normAfter() ? 1 : 0; // the cosines have their own
      if (isCr) {
        block.bias =
            crBias(model, attention + ".meta_mlp", window, stage.heads);
      } else if (config.version == Version::Second) {
        block.bias = swinContinuousBias(
            model, attention + ".cpb_mlp", window,
            {stage.pretrainedWindow, stage.pretrainedWindow}, stage.heads);
      } else {
        TimmRelativePosition position;
        position.heads = stage.heads;
        position.grid = window;
        block.bias =
            timmRelativeBias(model, family.checkpoint, attention, position);
      }
      const Stage &shape = stage;
      map.value = swinBlock(model, block, map, [&](Value windows) {
                    return project(model, attention, config, shape, windows);
                  }).sequence;
      if (config.endsNormed(i, j))
        map.value = model.layerNorm(name + ".norm3", map.value, swinNormEps);
    }
  }
  if (!isCr)
    map.value = model.layerNorm("norm", map.value, swinNormEps);

  Value pooled =
      model.pool("head.global_pool", map.value, vit::PoolKind::Mean, 0);
  if (config.classes) {
    Value logits = model.head(isFirstRelease ? "head" : "head.fc", pooled,
                              config.classes, vit::Activation::None);
    model.output("logits", logits);
    model.output("probabilities", model.softmax("probabilities", logits));
  }
  model.output("embedding", pooled);
  llvm::ArrayRef<int64_t> shape = ModelBuilder::shapeOf(map.value);
  model.output("features",
               isCr ? model.asImage(map)
                    : model.reshape(map.value, {shape[0], map.grid.first,
                                                map.grid.second, shape[2]}));
  return model.finish(family.options.outputs, mainTimmOutput(config.classes),
                      isForAnotherUse);
}

} // namespace vitc::timm_swin

FamilyResult vitc::importTimmSwin(TimmImport &import) {
  return timm_swin::grow(import);
}
