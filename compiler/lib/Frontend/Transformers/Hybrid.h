// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What ViT hybrid (`vit-hybrid`) has in front of ViT: a BiT ResNet whose map
/// takes the place of the image.
#ifndef VITC_LIB_FRONTEND_TRANSFORMERS_HYBRID_H
#define VITC_LIB_FRONTEND_TRANSFORMERS_HYBRID_H

#include "Builder/ResNetV2.h"
#include "Family.h"

namespace vitc {

struct HybridBackbone {
  ResNetV2 network;
  Grid featureGrid; ///< of the map that the position embedding was made for

  /// The projected patches of the network's map. `name` is that of the patch
  /// embeddings.
  Map build(ModelBuilder &model, const std::string &name, int64_t width,
            Grid patchSize) const;
};

/// `backbone_config` and `backbone_featmap_shape` of a config.
llvm::Expected<HybridBackbone> readHybridBackbone(const JsonObject &json);

} // namespace vitc

#endif // VITC_LIB_FRONTEND_TRANSFORMERS_HYBRID_H
