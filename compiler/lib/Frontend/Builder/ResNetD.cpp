// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ResNetD.h"

using namespace vitc;
using mlir::Value;

static constexpr double batchNormEps = 1e-5;

void ResNetD::readShapes(const Checkpoint &checkpoint) {
  int64_t found = storedWidth(checkpoint, prefix + "conv1.0");
  if (!found)
    return;
  stemWidth = found;
  stages = storedStages(checkpoint, [&](size_t stage, int64_t block) {
    return blockName(stage, block);
  });
}

/// A convolution without bias, and its batch norm.
static Map convNorm(ModelBuilder &model, const std::string &conv,
                    const std::string &norm, Map map, int64_t outputs,
                    int64_t kernel, int64_t stride) {
  if (kernel == 1) {
    int64_t inputs = ModelBuilder::shapeOf(map.value)[2];
    Value weight = model.reshape(
        model.convWeight(conv, outputs, inputs, {1, 1}), {outputs, inputs});
    map.value = model.linear(conv, map.value, weight, /*bias=*/Value());
  } else {
    map = model.conv(
        conv, map, outputs, /*bias=*/false,
        {{kernel, kernel}, {stride, stride}, Padding::all(kernel / 2)});
  }
  return {model.batchNorm(norm, map.value, batchNormEps), map.grid};
}

Map ResNetD::build(ModelBuilder &model) const {
  constexpr vit::Activation relu = vit::Activation::Relu;
  auto stem = [&](const char *conv, const char *norm, Map map, int64_t width,
                  int64_t stride) -> Map {
    Map normed = convNorm(model, prefix + conv, prefix + norm, map, width,
                          /*kernel=*/3, stride);
    return {model.activate(normed.value, relu), normed.grid};
  };
  Map map = stem("conv1.0", "conv1.1", model.imageMap(), stemWidth, 2);
  map = stem("conv1.3", "conv1.4", map, stemWidth, 1);
  map = stem("conv1.6", "bn1", map, 2 * stemWidth, 1);
  map = model.spatialPool(prefix + "maxpool", map, vit::SpatialPoolKind::Max,
                          {{3, 3}, {2, 2}, Padding::all(1)},
                          /*padZero=*/false);

  for (auto [i, stage] : llvm::enumerate(stages))
    for (int64_t j = 0; j < stage.depth; ++j) {
      std::string name = blockName(i, j);
      int64_t stride = i && !j ? 2 : 1;
      Map shortcut = map;
      // An odd map's last pixels are the mean of those that are there.
      if (stride == 2)
        shortcut = model.spatialPool(
            name + ".downsample.0", map, vit::SpatialPoolKind::Mean,
            {{2, 2}, {2, 2}, {0, 0, map.grid.first % 2, map.grid.second % 2}},
            /*padZero=*/false);
      if (stride == 2 || ModelBuilder::shapeOf(map.value)[2] != stage.width)
        shortcut =
            convNorm(model, name + ".downsample.1", name + ".downsample.2",
                     shortcut, stage.width, /*kernel=*/1, /*stride=*/1);
      map = bottleneck(
          model, name, map, shortcut, stage.width / 4, stride, relu,
          [&](int64_t index, Map x, int64_t outputs, int64_t kernel,
              int64_t step) {
            std::string number = std::to_string(index);
            return convNorm(model, name + ".conv" + number,
                            name + ".bn" + number, x, outputs, kernel, step);
          });
    }
  return map;
}
