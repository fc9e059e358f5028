#include "ResNetV2.h"

using namespace vitc;
using mlir::Value;

/// Of the standardisation of weights, and of the group norms.
static constexpr double weightEps = 1e-8, normEps = 1e-5;

int64_t ResNetV2::innerWidth(int64_t width) {
  // A quarter, to the nearest multiple of 8, but not less than nine tenths.
  double quarter = 0.25 * double(width);
  int64_t rounded = std::max<int64_t>(8, int64_t(quarter + 4) / 8 * 8);
  return double(rounded) < 0.9 * quarter ? rounded + 8 : rounded;
}

int64_t ResNetV2::widthWithoutGroups() const {
  if (stemWidth % groups)
    return stemWidth;
  for (const Stage &stage : stages)
    for (int64_t width : {stage.width, innerWidth(stage.width)})
      if (width % groups)
        return width;
  return 0;
}

void ResNetV2::readShapes(const Checkpoint &checkpoint) {
  auto widthOf = [&](const std::string &layer) -> int64_t {
    const TensorInfo *weight = checkpoint.find(layer + ".weight");
    return weight && weight->shape.size() == 4 ? weight->shape[0] : 0;
  };
  int64_t found = widthOf(stemConv);
  if (!found)
    return;
  stemWidth = found;
  stages.clear();
  while (int64_t width = widthOf(blockName(stages.size(), 0) + ".conv3")) {
    int64_t depth = 1;
    while (widthOf(blockName(stages.size(), depth) + ".conv3"))
      ++depth;
    stages.push_back({depth, width});
  }
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
  auto normActivate = [&](const std::string &name, Map map) -> Map {
    return {model.activate(norm(name, map).value, activation), map.grid};
  };

  Map map = conv(model, stemConv, model.picture(), stemWidth, /*kernel=*/7,
                 /*stride=*/2);
  map = normActivate(stemNorm, map);
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
      map = normActivate(name + ".norm1", conv(model, name + ".conv1", map,
                                               inner, /*kernel=*/1, 1));
      map = normActivate(name + ".norm2", conv(model, name + ".conv2", map,
                                               inner, /*kernel=*/3, stride));
      map = norm(name + ".norm3",
                 conv(model, name + ".conv3", map, shape.width, 1, 1));
      map.value = model.activate(
          model.add(name + ".residual", map.value, shortcut.value), activation);
    }
  return map;
}
