// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The networks that timm's HybridEmbed has in front of the patches.
#ifndef VITC_LIB_FRONTEND_TIMM_BACKBONE_H
#define VITC_LIB_FRONTEND_TIMM_BACKBONE_H

#include "vitc/Frontend/Builder/ModelBuilder.h"

#include <functional>
#include <optional>

namespace vitc {

struct TimmImport;

struct TimmBackbone {
  std::function<Map(ModelBuilder &)> build;
  /// The map that it makes of such an image.
  std::function<Grid(Grid)> gridOf;
  /// A projection of patches follows; else the map's pixels are the tokens.
  bool isProjected = true;
};

/// The network of `embed_layer`, if it is a HybridEmbed: ResNetV2, ResNetD or
/// ConvStem. `width` is that of the tokens.
std::optional<TimmBackbone> readTimmBackbone(TimmImport &import, int64_t width);

} // namespace vitc

#endif // VITC_LIB_FRONTEND_TIMM_BACKBONE_H
