/// The convolutional half of hybrid ViTs: the BiT ResNet with
/// weight-standardised convolutions and group norms, as transformers (BiT) and
/// timm (ResNetV2) name its layers. Blocks norm after their convolutions
/// ("bottleneck", not "preactivation"), and padding is TensorFlow's SAME
/// everywhere.
#ifndef VITC_LIB_FRONTEND_RESNETV2_H
#define VITC_LIB_FRONTEND_RESNETV2_H

#include "vitc/Frontend/ModelBuilder.h"

namespace vitc {

struct ResNetV2 {
  struct Stage {
    int64_t depth, width;
  };
  int64_t stemWidth = 64, groups = 32;
  std::vector<Stage> stages;
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

  /// Stem and stages on the picture.
  Map build(ModelBuilder &model) const;

  /// Takes widths and depths from the checkpoint's tensors; nothing changes if
  /// the stem is not there.
  void readShapes(const Checkpoint &checkpoint);
};

} // namespace vitc

#endif // VITC_LIB_FRONTEND_RESNETV2_H
