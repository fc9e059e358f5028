// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Swin's parts that transformers and timm share: attention in windows that
/// are rolled in every other block, and the merging of patches between stages.
#ifndef VITC_LIB_FRONTEND_BUILDER_SWIN_H
#define VITC_LIB_FRONTEND_BUILDER_SWIN_H

#include "vitc/Frontend/Builder/ModelBuilder.h"

namespace vitc {

/// eps of the norms that neither library lets a config change.
inline constexpr double swinNormEps = 1e-5;

/// When a map that is no multiple of the window is rolled: transformers pads
/// it first, timm afterwards.
enum class SwinRoll { Padded, Unpadded };

struct SwinBlock {
  BlockNames names; ///< the layers of the projections are not used
  Grid window, shift;
  int64_t heads, hidden;
  double eps;
  vit::Activation activation;
  bool normAfter; ///< version 2: norms of the branches' results
  SwinRoll roll;
  double maskValue;
  double scale = 0;      ///< of the attention; 0: 1/sqrt(channels of a head)
  mlir::Value bias = {}; ///< of the attention
};

/// x + attention in windows, then x + mlp. `project` makes queries, keys and
/// values of the windows.
ModelBuilder::AttentionResult
swinBlock(ModelBuilder &model, const SwinBlock &block, Map map,
          llvm::function_ref<Projections(mlir::Value)> project);

/// Two by two pixels side by side, then `name.norm` and `name.reduction` to
/// `width` channels; version 2 norms last.
Map swinMerge(ModelBuilder &model, const llvm::Twine &name, Map map,
              int64_t width, bool normAfter);

/// Version 2's bias: 16·sigmoid of an MLP (`name.0`, `name.2`) on the
/// logarithms of the distances, which are relative to `pretrained`, the window
/// of the training, where that is not 0.
mlir::Value swinContinuousBias(ModelBuilder &model, const llvm::Twine &name,
                               Grid window, Grid pretrained, int64_t heads);

/// Version 2's cosine attention: queries and keys of length 1, times
/// exp(min(logit_scale, ln 100)) of the head; `scaleShape` is that of the
/// parameter, which has a number for each head. The attention's scale is then
/// 1.
Projections swinCosine(ModelBuilder &model, const llvm::Twine &name,
                       const Projections &projections,
                       llvm::ArrayRef<int64_t> scaleShape);

} // namespace vitc

#endif // VITC_LIB_FRONTEND_BUILDER_SWIN_H
