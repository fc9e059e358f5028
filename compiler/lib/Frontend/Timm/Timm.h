// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// timm's models: what a name of its registry stands for, the arguments of a
/// model's constructor, and one frontend per class.
#ifndef VITC_LIB_FRONTEND_TIMM_TIMM_H
#define VITC_LIB_FRONTEND_TIMM_TIMM_H

#include "Arguments.h"
#include "Backbone.h"
#include "Family.h"

namespace vitc {

/// The row of Architectures.inc for the config's `architecture`, or, if the
/// config has `timm_class`, that class with no arguments.
llvm::Expected<TimmArchitecture> findTimmArchitecture(const JsonObject &config);

/// What a frontend of timm gets besides FamilyImport.
struct TimmImport {
  FamilyImport &family;
  TimmArguments arguments;
  const TimmArchitecture &architecture;
};

/// One frontend per class, in the table of Timm.cpp.
FamilyResult importTimmBeit(TimmImport &import);
FamilyResult importTimmCoAtNet(TimmImport &import);
FamilyResult importTimmEva(TimmImport &import);
FamilyResult importTimmRelPos(TimmImport &import);
FamilyResult importTimmSwin(TimmImport &import);
FamilyResult importTimmVisionTransformer(TimmImport &import);

//===----------------------------------------------------------------------===//
// Layers that timm's ViTs share: Layers.cpp, RelativePosition.cpp
//===----------------------------------------------------------------------===//

/// Size of the image and of the patches.
struct TimmPatches {
  int64_t channels, width;
  Grid imageSize, patchSize; ///< imageSize: what the weights are for
  bool pad;                  ///< `dynamic_img_pad`: zeros to whole patches
  Grid image, grid;          ///< of this import
  PositionResize resize;     ///< of the table of positions
  /// A hybrid's network, whose map is cut into patches instead of the image.
  std::optional<TimmBackbone> backbone;

  /// The grid of the patches of such an image.
  Grid gridOf(Grid pixels) const;
  /// The grid of the table of positions.
  Grid tableGrid() const { return gridOf(imageSize); }
};

/// Reads `img_size`, `patch_size`, `in_chans`, `embed_dim` and the image's
/// size, and tells it to the import.
TimmPatches readTimmPatches(TimmImport &import);

/// Refuses widths that the heads do not divide, and empty MLPs.
void checkTimmWidth(TimmArguments &arguments, int64_t width, int64_t heads,
                    int64_t hidden);

/// The tokens of `patch_embed.proj`.
mlir::Value timmPatchEmbed(ModelBuilder &model, const TimmPatches &patches,
                           bool bias);

/// Tokens in front of the patches, by the names of their parameters, and the
/// learned table of positions.
struct TimmPrefix {
  std::vector<std::pair<std::string, int64_t>> tokens;
  bool hasTable;
  bool tableHasPrefix; ///< rows for the tokens in front, too
  int64_t count() const;
};
mlir::Value timmPositions(ModelBuilder &model, const Checkpoint *checkpoint,
                          const TimmPatches &patches, const TimmPrefix &prefix,
                          mlir::Value x);

struct TimmMlp {
  enum class Kind {
    Plain,  ///< fc1, fc2
    Packed, ///< GluMlp: the halves of fc1 are gate and input
    Split   ///< SwiGLU: fc1_g and fc1_x
  };
  Kind kind = Kind::Plain;
  int64_t hidden; ///< outputs of fc1
  vit::Activation activation = vit::Activation::Gelu;
  bool gateLast = false; ///< Packed: the gate is the second half
  bool bias = true;
  std::optional<Norm> norm = std::nullopt; ///< before fc2
};
mlir::Value timmMlp(ModelBuilder &model, const std::string &name, mlir::Value x,
                    const TimmMlp &shape);

/// Tables of a rotary position embedding: [1 or heads, tokens, channels of a
/// head].
struct TimmRotation {
  mlir::Value cos, sin;
  vit::RotaryPairing pairing = vit::RotaryPairing::Interleaved;
};

struct TimmAttention {
  enum class Projection {
    Packed,               ///< qkv.weight, qkv.bias
    PackedWithoutKeyBias, ///< qkv.weight, q_bias, v_bias
    Split,                ///< q_proj, k_proj, v_proj
    SplitWithoutKeyBias
  };
  int64_t heads;
  Projection projection = Projection::Packed;
  bool qkvBias = true, projectionBias = true;
  std::optional<Norm> headNorm = std::nullopt;   ///< q_norm, k_norm
  std::optional<Norm> outputNorm = std::nullopt; ///< norm, before proj
  int64_t keyHeads = 0;                          ///< 0: as many as heads
  mlir::Value bias = {};
  const TimmRotation *rotation = nullptr;
  /// Differential attention: the block's number.
  std::optional<int64_t> differential = std::nullopt;
};
mlir::Value timmAttention(ModelBuilder &model, const std::string &name,
                          mlir::Value x, const TimmAttention &shape);

/// DiffAttention without its projections: Differential.cpp. Norms of
/// queries and keys are part of it.
mlir::Value timmDifferentialAttention(ModelBuilder &model,
                                      const std::string &name,
                                      const Projections &parts,
                                      const TimmAttention &shape);

/// The bias of attention in a window, or over a whole grid.
struct TimmRelativePosition {
  enum class Kind {
    Table,  ///< `relative_position_bias_table`
    Mlp,    ///< an MLP `mlp` over the logarithms of the distances
    SwinMlp ///< as Swin v2's
  };
  Kind kind = Kind::Table;
  int64_t heads = 0, hidden = 0; ///< hidden: of the MLP
  Grid grid = {0, 0};
  int64_t prefix = 0; ///< tokens in front: 0, or 1 with three rows of the table
};
/// The tensors are those of `name`. A table for another grid is resized as
/// timm's loader does it.
mlir::Value timmRelativeBias(ModelBuilder &model, const Checkpoint *checkpoint,
                             const std::string &name,
                             const TimmRelativePosition &position);

/// x · `name`, or x if there is no such layer scale.
mlir::Value timmLayerScale(ModelBuilder &model, const std::string &name,
                           mlir::Value x, bool has);

/// timm's pooling, `fc_norm`, `head` and the outputs that all of its ViTs have:
/// `features`, `block_i`, `embedding`, `logits`, `probabilities`.
struct TimmHead {
  std::string pool; ///< token, avg, max, avgmax, map, prr, or empty
  int64_t prefix = 0;
  bool poolsPrefix = false; ///< map and means see the prefix tokens, too
  bool hasClassToken = false;
  std::optional<Norm> fcNorm = std::nullopt;
  int64_t classes = 0;
  bool hasPreLogits = false; ///< tanh(`pre_logits.fc`) before the classifier
  int64_t heads = 1;         ///< of map and prr
  int64_t mapHidden = 0;     ///< of map's MLP
  vit::Activation mapActivation = vit::Activation::Gelu;
  Norm mapNorm = {1e-6};
};
void timmHead(ModelBuilder &model, const TimmHead &head, mlir::Value features);

/// Tensors that checkpoints of timm's ViTs carry for other uses.
bool isForAnotherTimmUse(llvm::StringRef name);

/// Offers `block_0` …
void offerTimmBlocks(ModelBuilder &model, llvm::ArrayRef<mlir::Value> blocks);

/// `logits`, or `embedding` if the model has no classifier.
inline llvm::StringRef mainTimmOutput(int64_t classes) {
  return classes ? "logits" : "embedding";
}

} // namespace vitc

#endif // VITC_LIB_FRONTEND_TIMM_TIMM_H
