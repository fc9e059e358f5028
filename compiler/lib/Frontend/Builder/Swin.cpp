// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Swin.h"

#include <cmath>

using namespace vitc;
using mlir::Value;

/// Half of a window that is larger than the map may go round it more than once.
static Grid onceAround(Grid shift, Grid map) {
  return {shift.first % map.first, shift.second % map.second};
}

/// Rolls a map without padding it: one window as large as the map is the map.
static Map roll(ModelBuilder &model, const llvm::Twine &name, Map map,
                Grid shift) {
  return {
      model.windowPartition(name, map, map.grid, onceAround(shift, map.grid)),
      map.grid};
}
static Map rollBack(ModelBuilder &model, const llvm::Twine &name, Map map,
                    Grid shift) {
  return model.windowMerge(name, map.value, map.grid, map.grid,
                           onceAround(shift, map.grid));
}

ModelBuilder::AttentionResult
vitc::swinBlock(ModelBuilder &model, const SwinBlock &block, Map map,
                llvm::function_ref<Projections(Value)> project) {
  const BlockNames &names = block.names;
  std::string attention = names.block + ".attention";
  int64_t channels = ModelBuilder::shapeOf(map.value)[2];
  bool shifted = block.shift != Grid(0, 0),
       whole = map.grid.first % block.window.first == 0 &&
               map.grid.second % block.window.second == 0,
       rollFirst = shifted && !whole && block.roll == SwinRoll::Unpadded;
  Grid shift = rollFirst ? Grid(0, 0) : block.shift;

  Map x = map;
  if (!block.normAfter)
    x.value = model.layerNorm(names.normBeforeAttention, x.value, block.eps);
  if (rollFirst)
    x = roll(model, attention + ".roll", x, block.shift);
  Value windows =
      model.windowPartition(attention + ".windows", x, block.window, shift);
  AttentionShape shape = {block.heads, block.scale, block.bias};
  if (shifted)
    shape.mask = model.windowMask(attention + ".mask", map.grid, block.window,
                                  block.shift, block.maskValue);
  ModelBuilder::AttentionResult attended =
      model.attention(attention, project(windows), shape);
  Map merged = model.windowMerge(attention + ".merge",
                                 model.linear(names.attentionOutput,
                                              attended.sequence, channels,
                                              /*bias=*/true),
                                 map.grid, block.window, shift);
  if (rollFirst)
    merged = rollBack(model, attention + ".roll_back", merged, block.shift);

  Value branch = merged.value;
  if (block.normAfter)
    branch = model.layerNorm(names.normBeforeAttention, branch, block.eps);
  Value sum = model.add(attention + ".residual", branch, map.value);

  branch = sum;
  if (!block.normAfter)
    branch = model.layerNorm(names.normBeforeMlp, branch, block.eps);
  branch = model.mlp(names.block + ".mlp", names.mlpUp, names.mlpDown, branch,
                     block.hidden, block.activation);
  if (block.normAfter)
    branch = model.layerNorm(names.normBeforeMlp, branch, block.eps);
  return {model.add(names.block + ".mlp.residual", branch, sum),
          attended.probabilities};
}

Map vitc::swinMerge(ModelBuilder &model, const llvm::Twine &nameTwine, Map map,
                    int64_t width, bool normAfter) {
  std::string name = nameTwine.str();
  map = model.spaceToDepth(name, map, {2, 2}, vit::BlockOrder::Columns);
  Value x = map.value;
  if (!normAfter)
    x = model.layerNorm(name + ".norm", x, swinNormEps);
  x = model.linear(name + ".reduction", x, width, /*bias=*/false);
  if (normAfter)
    x = model.layerNorm(name + ".norm", x, swinNormEps);
  return {x, map.grid};
}

Value vitc::swinContinuousBias(ModelBuilder &model,
                               const llvm::Twine &nameTwine, Grid window,
                               Grid pretrained, int64_t heads) {
  // Distances up to 8, then sign(d)·log2(|d| + 1) / 3: up to about 1.
  constexpr double farthest = 8;
  constexpr int64_t hidden = 512;
  auto coordinate = [](int64_t distance, int64_t window, int64_t pretrained) {
    int64_t extent = pretrained ? pretrained - 1 : window - 1;
    double d =
        farthest * double(distance) / double(std::max<int64_t>(extent, 1));
    return std::copysign(std::log2(std::abs(d) + 1) / std::log2(farthest), d);
  };
  std::string name = nameTwine.str();
  Value x = model.constant(
      name + ".coordinates",
      {(2 * window.first - 1) * (2 * window.second - 1), 2},
      [&](std::vector<double> &coordinates) {
        for (int64_t y = 1 - window.first; y < window.first; ++y)
          for (int64_t x = 1 - window.second; x < window.second; ++x) {
            coordinates.push_back(
                coordinate(y, window.first, pretrained.first));
            coordinates.push_back(
                coordinate(x, window.second, pretrained.second));
          }
      });
  x = model.activate(model.linear(name + ".0", x, hidden, /*bias=*/true),
                     vit::Activation::Relu);
  x = model.linear(name + ".2", x, heads, /*bias=*/false);
  x = model.relativeBias(name + ".bias", x, window, /*prefix=*/0);
  return model.scale(model.activate(x, vit::Activation::Sigmoid), 16);
}

Projections vitc::swinCosine(ModelBuilder &model, const llvm::Twine &nameTwine,
                             const Projections &projections,
                             llvm::ArrayRef<int64_t> scaleShape) {
  constexpr double eps = 1e-12; // torch.nn.functional.normalize's
  std::string name = nameTwine.str();
  int64_t channels = ModelBuilder::shapeOf(projections.query)[2],
          heads = scaleShape[0];
  Value scale = model.exp(model.parameter(name + ".logit_scale", scaleShape),
                          std::log(100.0));
  return {model.unitHeads(name + ".query.unit", projections.query, heads, eps,
                          model.spreadHeads(scale, channels / heads)),
          model.unitHeads(name + ".key.unit", projections.key, heads, eps,
                          /*gain=*/Value()),
          projections.value};
}
