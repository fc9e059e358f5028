// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// vitc's own config format, for models that people train with
/// code of their own. docs/OwnModels.md describes every field.
///
/// Quirks: the names of the weights are patterns in which `{layer}` stands for
/// the block's number; registers have no position.
#include "Config.h"
#include "Families.h"

#include <cmath>

using namespace vitc;
using namespace vitc::own;
using llvm::StringRef;
using mlir::Value;

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

/// sin and cos of `position / theta^(2i/channels)` side by side, as the
/// Transformer's paper has them.
static void appendSinusoid(std::vector<double> &out, double position,
                           int64_t channels, double theta) {
  for (int64_t c = 0; c < channels; ++c) {
    double angle = position / std::pow(theta, double(c - c % 2) / channels);
    out.push_back(c % 2 ? std::cos(angle) : std::sin(angle));
  }
}

/// [1, tokens, width]: along the sequence, or rows in the first half of the
/// channels and columns in the second.
static Value sinusoidalTable(ModelBuilder &model, const Config &config,
                             Grid grid) {
  int64_t pixels = grid.first * grid.second,
          first = config.axes == 1 && config.positionOfClass;
  auto fill = [&](std::vector<double> &values) {
    if (first)
      appendSinusoid(values, 0, config.width, config.theta);
    for (int64_t p = 0; p < pixels; ++p) {
      if (config.axes == 1) {
        appendSinusoid(values, first + p, config.width, config.theta);
        continue;
      }
      appendSinusoid(values, p / grid.second, config.width / 2, config.theta);
      appendSinusoid(values, p % grid.second, config.width / 2, config.theta);
    }
  };
  return model.constant("position", {1, first + pixels, config.width}, fill);
}

/// Rows and columns by themselves, resized along their axis if need be.
static Value learned2DTable(ModelBuilder &model, const Config &config,
                            Grid tableGrid, Grid grid) {
  int64_t width = config.concatenate ? config.width / 2 : config.width;
  auto axis = [&](StringRef role, int64_t from, int64_t to) {
    Value table = model.reshape(
        model.parameter(config.names(role), {from, width}), {1, from, width});
    return model.resizePosition(config.names(role), table, 0, {from, 1},
                                {to, 1});
  };
  Value rows = axis("position_rows", tableGrid.first, grid.first),
        columns = axis("position_columns", tableGrid.second, grid.second);
  // Every row's vector `columns` times, and all columns' once per row: an
  // operand for each pixel.
  if (!model.takesTable(config.names("position"), {grid.first, grid.second}))
    return model.zeros(config.names("position"),
                       {1, grid.first * grid.second, config.width});
  llvm::SmallVector<Value> byRow, byColumn;
  for (int64_t y = 0; y < grid.first; ++y) {
    Value row = model.slice(rows, 1, y, 1);
    byRow.append(grid.second, row);
    byColumn.push_back(columns);
  }
  Value tall = model.concat(byRow, 1), wide = model.concat(byColumn, 1);
  return config.concatenate ? model.concat({tall, wide}, 2)
                            : model.add(config.names("position"), tall, wide);
}

/// Patches and learned tokens with their positions.
static Value embed(ModelBuilder &model, const Config &config, Grid tableGrid,
                   Grid grid) {
  auto [rows, columns] = config.patchSize;
  std::string name = config.names("patch");
  Value x;
  if (config.patchLayout == PatchLayout::Conv) {
    x = model.patchEmbed(name, config.width, rows, columns, config.patchBias);
  } else {
    // A linear layer on flattened patches is a convolution in another order.
    int64_t pixels = rows * columns * config.channels;
    Value weight = model.parameter(name + ".weight", {config.width, pixels});
    weight =
        config.patchLayout == PatchLayout::ChannelsRowsColumns
            ? model.reshape(weight,
                            {config.width, config.channels, rows, columns})
            : model.transpose(model.reshape(weight, {config.width, rows,
                                                     columns, config.channels}),
                              {0, 3, 1, 2});
    Value bias = config.patchBias
                     ? model.parameter(name + ".bias", {config.width})
                     : Value();
    x = model.patchEmbed(name, weight, bias);
  }

  Value classToken =
      config.classToken
          ? model.parameter(config.names("class_token"), {1, 1, config.width})
          : Value();
  auto addLearnedTokens = [&] {
    if (config.registers)
      x = model.concatTokens(
          config.names("registers"),
          model.parameter(config.names("registers"),
                          {1, config.registers, config.width}),
          x);
    if (classToken)
      x = model.concatTokens(config.names("class_token"), classToken, x);
  };
  std::string position = config.names("position");
  // Registers have no position, so a table that knows the class token stands
  // before them.
  if (config.position == Position::Learned2D)
    x = model.addPosition(position, x,
                          learned2DTable(model, config, tableGrid, grid));
  bool covers = config.classToken && config.positionOfClass;
  if (config.position == Position::Learned1D) {
    Value table = model.parameter(
        position,
        {1, covers + tableGrid.first * tableGrid.second, config.width});
    table = model.resizePosition(position, table, covers, tableGrid, grid);
    if (covers) {
      classToken = model.add(position + ".class_token", classToken,
                             model.slice(table, 1, 0, 1));
      table = model.slice(table, 1, 1, grid.first * grid.second);
    }
    x = model.addPosition(position, x, table);
  }
  if (config.position == Position::Sinusoidal) {
    Value table = sinusoidalTable(model, config, grid);
    if (config.axes == 1 && covers) {
      classToken = model.add(position + ".class_token", classToken,
                             model.slice(table, 1, 0, 1));
      table = model.slice(table, 1, 1, grid.first * grid.second);
    }
    x = model.addPosition(position, x, table);
  }
  addLearnedTokens();
  return config.embeddingNorm
             ? model.norm(config.names("embedding_norm"), x, config.norm)
             : x;
}

/// cos and sin [1, tokens, head width]: a quarter of the channels turns with
/// the row, a quarter with the column, and their partners likewise. Learned
/// tokens do not turn.
static std::pair<Value, Value> rotaryTables(ModelBuilder &model,
                                            const Config &config, Grid grid) {
  int64_t quarter = config.headWidth / 4, half = 2 * quarter,
          tokens = config.prefix() + grid.first * grid.second;
  llvm::SmallVector<int64_t> shape = {1, tokens, config.headWidth};
  if (!model.takesTable("rotary.cos", shape) ||
      !model.takesTable("rotary.sin", shape))
    return {model.zeros("rotary.cos", shape), model.zeros("rotary.sin", shape)};
  std::vector<double> cosines, sines;
  for (int64_t t = 0; t < tokens; ++t) {
    int64_t p = t - config.prefix();
    for (int64_t d = 0; d < config.headWidth; ++d) {
      int64_t pair =
          config.pairing == vit::RotaryPairing::Halves ? d % half : d / 2;
      double position = pair < quarter ? p / grid.second : p % grid.second;
      double angle =
          p < 0 ? 0
                : position *
                      std::pow(config.theta, -double(pair % quarter) / quarter);
      cosines.push_back(std::cos(angle));
      sines.push_back(std::sin(angle));
    }
  }
  return {model.constant("rotary.cos", shape, cosines),
          model.constant("rotary.sin", shape, sines)};
}

/// The bias of block `layer`; null without relative positions.
static Value relativeBias(ModelBuilder &model, const Config &config,
                          int64_t layer, Grid tableGrid, Grid grid) {
  if (config.position != Position::Relative)
    return Value();
  std::string name = config.names("relative_position", layer);
  Grid from = {2 * tableGrid.first - 1, 2 * tableGrid.second - 1},
       to = {2 * grid.first - 1, 2 * grid.second - 1};
  int64_t distances = from.first * from.second,
          extra = config.classToken ? 3 : 0;
  Value table = model.parameter(name, {distances + extra, config.heads});
  if (from != to) {
    PositionResize bilinear;
    bilinear.interpolation = vit::Interpolation::Bilinear;
    Value pixels = model.reshape(model.slice(table, 0, 0, distances),
                                 {1, distances, config.heads});
    Value resized =
        model.reshape(model.resizePosition(name, pixels, 0, from, to, bilinear),
                      {to.first * to.second, config.heads});
    table = extra ? model.concat(
                        {resized, model.slice(table, 0, distances, extra)}, 0)
                  : resized;
  }
  return model.relativeBias(name + ".bias", table, grid, config.classToken);
}

//===----------------------------------------------------------------------===//
// The model
//===----------------------------------------------------------------------===//

FamilyResult vitc::importOwn(FamilyImport &import) {
  llvm::Expected<Config> read = readConfig(import.config);
  if (!read)
    return read.takeError();
  const Config &config = *read;
  Grid size = import.options.imageSize.value_or(config.imageSize);
  Grid tableGrid = {config.imageSize.first / config.patchSize.first,
                    config.imageSize.second / config.patchSize.second};
  llvm::Expected<Grid> placed = gridOfPatches(import, size, config.patchSize);
  if (!placed)
    return placed.takeError();
  Grid grid = *placed;
  import.labels = config.labels;
  import.processor =
      ImageProcessor::makeDefault(config.channels, size.first, size.second);
  import.processor->filter = config.filter;
  if (!config.mean.empty()) {
    import.processor->mean = config.mean;
    import.processor->std = config.std;
  }

  ModelBuilder model = startModel(import, config.channels, size);
  Value x = embed(model, config, tableGrid, grid);
  std::pair<Value, Value> rotary;
  if (config.position == Position::Rotary)
    rotary = rotaryTables(model, config, grid);

  llvm::SmallVector<Value> hiddenStates = {x}, attentions;
  for (int64_t layer = 0; layer < config.depth; ++layer) {
    auto name = [&](StringRef role) { return config.names(role, layer); };
    std::string block = "blocks." + std::to_string(layer);
    // norm(x + f(x)) or x + f(norm(x)).
    auto residual = [&](StringRef norm, auto f) {
      if (config.normPlace == NormPlace::Before)
        return model.add(block + "." + norm + ".residual",
                         f(model.norm(name(norm), x, config.norm)), x);
      return model.norm(name(norm),
                        model.add(block + "." + norm + ".residual", f(x), x),
                        config.norm);
    };
    auto attend = [&](Value input) {
      Projections projections;
      if (config.qkvPacked)
        projections = model.packedProjections(
            name("qkv"), input, config.inner(),
            config.qkvBias
                ? model.parameter(name("qkv") + ".bias", {3 * config.inner()})
                : Value());
      else
        projections = {
            model.linear(name("query"), input, config.inner(), config.qkvBias),
            model.linear(name("key"), input, config.inner(), config.qkvBias),
            model.linear(name("value"), input, config.inner(), config.qkvBias)};
      if (rotary.first)
        for (Value *turned : {&projections.query, &projections.key})
          *turned = model.rotate(block + ".rotary", *turned, rotary.first,
                                 rotary.second, config.heads, config.pairing);
      AttentionShape shape = {config.heads};
      shape.bias = relativeBias(model, config, layer, tableGrid, grid);
      auto attended = model.attention(block + ".attention", projections, shape);
      attentions.push_back(attended.probabilities);
      return model.linear(name("projection"), attended.sequence, config.width,
                          config.projectionBias);
    };
    auto perceive = [&](Value input) {
      Value up =
          model.linear(name("mlp_up"), input, config.hidden, config.mlpBias);
      return model.linear(name("mlp_down"),
                          model.activate(up, config.activation), config.width,
                          config.mlpBias);
    };
    x = residual("attention_norm", attend);
    x = residual("mlp_norm", perceive);
    hiddenStates.push_back(x);
  }
  Value last = config.finalNorm
                   ? model.norm(config.names("final_norm"), x, config.norm)
                   : x;
  int64_t first = config.pool == vit::PoolKind::Token ? 0 : config.prefix();
  Value embedding = model.pool("embedding", last, config.pool, first);

  if (config.classes) {
    Value pooled = embedding;
    if (config.headHidden)
      pooled = model.activate(model.linear(config.names("head_hidden"), pooled,
                                           config.headHidden, /*bias=*/true),
                              vit::Activation::Tanh);
    Value logits = model.linear(config.names("head"), pooled, config.classes,
                                config.headBias);
    model.output("logits", logits);
    model.output("probabilities", model.softmax("probabilities", logits));
  }
  model.output("last_hidden_state", last);
  model.output("embedding", embedding);
  model.output("hidden_states", model.stack("hidden_states", hiddenStates));
  model.output("attentions", model.stack("attentions", attentions));
  return model.finish(import.options.outputs,
                      config.classes ? "logits" : "last_hidden_state",
                      [](StringRef) { return false; });
}
