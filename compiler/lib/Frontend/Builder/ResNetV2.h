// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The convolutional half of hybrid ViTs: the BiT ResNet with
/// weight-standardised convolutions and group norms, as transformers (BiT) and
/// timm (ResNetV2) name its layers. Blocks norm after their convolutions
/// ("bottleneck", not "preactivation"), and padding is TensorFlow's SAME
/// everywhere.
#ifndef VITC_LIB_FRONTEND_BUILDER_RESNETV2_H
#define VITC_LIB_FRONTEND_BUILDER_RESNETV2_H

#include "vitc/Frontend/Builder/ModelBuilder.h"

namespace vitc {

/// A convolution and its norm: `index` is 1, 2 or 3.
using ConvNorm = llvm::function_ref<Map(int64_t index, Map map, int64_t outputs,
                                        int64_t kernel, int64_t stride)>;

/// A ResNet's block: 1x1, 3x3 with the stride, 1x1, then the shortcut is added.
Map bottleneck(ModelBuilder &model, const llvm::Twine &name, Map map,
               Map shortcut, int64_t inner, int64_t stride,
               vit::Activation activation, ConvNorm convNorm);

/// Halved that many times, rounded up.
Grid halved(Grid grid, size_t times);

struct ResNetStage {
  int64_t depth, width;
};

/// The outputs of a convolution in the checkpoint; 0 if it is not there.
int64_t storedWidth(const Checkpoint &checkpoint, const llvm::Twine &conv);

/// Depths and widths of a checkpoint's stages, out of the names of its blocks.
std::vector<ResNetStage> storedStages(
    const Checkpoint &checkpoint,
    llvm::function_ref<std::string(size_t stage, int64_t block)> blockName);

struct ResNetV2 {
  int64_t stemWidth = 64, groups = 32;
  std::vector<ResNetStage> stages;
  vit::Activation activation = vit::Activation::Relu;
  /// Names of the stem's layers, and what stands before the number of a stage
  /// and before that of a block in it.
  std::string stemConv, stemNorm, stage, block;

  /// The layers' prefix of a block.
  std::string blockName(size_t stageIndex, int64_t blockIndex) const {
    return stage + std::to_string(stageIndex) + block +
           std::to_string(blockIndex);
  }
  /// The width of a block's inner layers.
  static int64_t innerWidth(int64_t width);
  /// The width that is no multiple of the groups, or 0 if all are.
  int64_t widthWithoutGroups() const;

  /// Stem and stages on the image.
  Map build(ModelBuilder &model) const;
  /// The map that build() makes of such an image: the stem quarters it, and
  /// all stages but the first halve it.
  Grid gridOf(Grid image) const {
    return halved(image, stages.empty() ? 2 : 1 + stages.size());
  }

  /// Takes widths and depths from the checkpoint's tensors; nothing changes if
  /// the stem is not there.
  void readShapes(const Checkpoint &checkpoint);
};

} // namespace vitc

#endif // VITC_LIB_FRONTEND_BUILDER_RESNETV2_H
