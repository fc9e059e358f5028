// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ResNetV2.h"

using namespace vitc;
using mlir::Value;

/// Of the standardisation of weights, and of the group norms.
static constexpr double weightEps = 1e-8, normEps = 1e-5;

Grid vitc::halved(Grid grid, size_t times) {
  for (size_t i = 0; i < times; ++i)
    grid = {(grid.first + 1) / 2, (grid.second + 1) / 2};
  return grid;
}

Map vitc::bottleneck(ModelBuilder &model, const llvm::Twine &name, Map map,
                     Map shortcut, int64_t inner, int64_t stride,
                     vit::Activation activation, ConvNorm convNorm) {
  auto activate = [&](Map x) -> Map {
    return {model.activate(x.value, activation), x.grid};
  };
  int64_t width = ModelBuilder::shapeOf(shortcut.value)[2];
  map = activate(convNorm(1, map, inner, /*kernel=*/1, /*stride=*/1));
  map = activate(convNorm(2, map, inner, /*kernel=*/3, stride));
  map = convNorm(3, map, width, /*kernel=*/1, /*stride=*/1);
  map.value = model.add(name + ".residual", map.value, shortcut.value);
  return activate(map);
}

int64_t ResNetV2::innerWidth(int64_t width) {
  // A quarter, to the nearest multiple of 8, but not less than nine tenths.
  double quarter = 0.25 * double(width);
  int64_t rounded = std::max<int64_t>(8, int64_t(quarter + 4) / 8 * 8);
  return double(rounded) < 0.9 * quarter ? rounded + 8 : rounded;
}

int64_t ResNetV2::widthWithoutGroups() const {
  if (stemWidth % groups)
    return stemWidth;
  for (const ResNetStage &stage : stages)
    for (int64_t width : {stage.width, innerWidth(stage.width)})
      if (width % groups)
        return width;
  return 0;
}

int64_t vitc::storedWidth(const Checkpoint &checkpoint,
                          const llvm::Twine &conv) {
  const TensorInfo *weight = checkpoint.find((conv + ".weight").str());
  return weight && weight->shape.size() == 4 ? weight->shape[0] : 0;
}

std::vector<ResNetStage>
vitc::storedStages(const Checkpoint &checkpoint,
                   llvm::function_ref<std::string(size_t, int64_t)> blockName) {
  std::vector<ResNetStage> stages;
  auto widthOf = [&](int64_t block) {
    return storedWidth(checkpoint, blockName(stages.size(), block) + ".conv3");
  };
  while (int64_t width = widthOf(0)) {
    int64_t depth = 1;
    while (widthOf(depth))
      ++depth;
    stages.push_back({depth, width});
  }
  return stages;
}

void ResNetV2::readShapes(const Checkpoint &checkpoint) {
  int64_t found = storedWidth(checkpoint, stemConv);
  if (!found)
    return;
  stemWidth = found;
  stages = storedStages(checkpoint, [&](size_t stage, int64_t block) {
    return blockName(stage, block);
  });
}

/// A convolution whose weights are standardised.
static Map conv(ModelBuilder &model, const std::string &name, Map map,
                int64_t outputs, int64_t kernel, int64_t stride) {
  llvm::ArrayRef<int64_t> shape = ModelBuilder::shapeOf(map.value);
  int64_t inputs = shape.size() == 4 ? shape[1] : shape[2];
  Grid window = {kernel, kernel}, step = {stride, stride};
  Value weight = model.standardize(
      model.convWeight(name, outputs, inputs, window), weightEps);
  if (kernel == 1 && stride == 1)
    return {model.linear(name, map.value,
                         model.reshape(weight, {outputs, inputs}),
                         /*bias=*/Value()),
            map.grid};
  return model.conv(name, map, weight, /*bias=*/Value(),
                    {window, step, Padding::same(map.grid, window, step)});
}

Map ResNetV2::build(ModelBuilder &model) const {
  auto norm = [&](const std::string &name, Map map) -> Map {
    return {model.groupNorm(name, map.value, groups, normEps), map.grid};
  };

  Map map = conv(model, stemConv, model.imageMap(), stemWidth, /*kernel=*/7,
                 /*stride=*/2);
  map.value = model.activate(norm(stemNorm, map).value, activation);
  Grid window = {3, 3}, step = {2, 2};
  // The padding counts as zeros, which changes nothing behind a relu.
  map = model.spatialPool(stemConv + ".pool", map, vit::SpatialPoolKind::Max,
                          {window, step, Padding::same(map.grid, window, step)},
                          /*padZero=*/true);

  for (auto [i, shape] : llvm::enumerate(stages))
    for (int64_t j = 0; j < shape.depth; ++j) {
      std::string name = blockName(i, j);
      int64_t inner = innerWidth(shape.width), stride = i && !j ? 2 : 1;
      Map shortcut = map;
      if (!j)
        shortcut = norm(name + ".downsample.norm",
                        conv(model, name + ".downsample.conv", map, shape.width,
                             /*kernel=*/1, stride));
      map = bottleneck(model, name, map, shortcut, inner, stride, activation,
                       [&](int64_t index, Map x, int64_t outputs,
                           int64_t kernel, int64_t step) {
                         std::string number = std::to_string(index);
                         return norm(name + ".norm" + number,
                                     conv(model, name + ".conv" + number, x,
                                          outputs, kernel, step));
                       });
    }
  return map;
}
