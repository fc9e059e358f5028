// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// timm's ResNet-D, the convolutional half of `vit_*_resnet26d_*` and
/// `vit_*_resnet50d_*`: three 3x3 convolutions as the stem, batch norms, and
/// shortcuts that take the mean of two by two pixels before their 1x1. Padding
/// is the same on all sides.
#ifndef VITC_LIB_FRONTEND_BUILDER_RESNETD_H
#define VITC_LIB_FRONTEND_BUILDER_RESNETD_H

#include "ResNetV2.h"

namespace vitc {

struct ResNetD {
  int64_t stemWidth = 32; ///< of the first two; the third has twice as many
  std::vector<ResNetStage> stages;
  std::string prefix; ///< of all names

  /// The layers' prefix of a block.
  std::string blockName(size_t stage, int64_t block) const {
    return prefix + "layer" + std::to_string(stage + 1) + "." +
           std::to_string(block);
  }
  Map build(ModelBuilder &model) const;
  Grid gridOf(Grid image) const { return halved(image, 1 + stages.size()); }

  /// Takes widths and depths from the checkpoint's tensors; nothing changes if
  /// the stem is not there.
  void readShapes(const Checkpoint &checkpoint);
};

} // namespace vitc

#endif // VITC_LIB_FRONTEND_BUILDER_RESNETD_H
