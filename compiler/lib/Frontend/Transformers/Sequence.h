// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What transformers' models of one sequence (ViT, DeiT, BEiT, DINO, CLIP,
/// SigLIP) share: fields of their configs, where the image's patches stand,
/// names and outputs.
#ifndef VITC_LIB_FRONTEND_TRANSFORMERS_SEQUENCE_H
#define VITC_LIB_FRONTEND_TRANSFORMERS_SEQUENCE_H

#include "ConfigReader.h"
#include "Families.h"

namespace vitc {

/// Limits of what a config may ask for.
inline constexpr int64_t widest = 1 << 16;

struct SequenceConfig {
  int64_t width, depth, heads, channels;
  Grid imageSize, patchSize;
  double eps;
  vit::Activation activation;
  std::vector<std::string> labels = {}; ///< of the classes, if it classifies
};

/// What a config that is silent means, where the families differ.
struct SequenceDefaults {
  double eps;
  int64_t patch = 16;
  llvm::StringRef activation = "gelu";
  int64_t width = 768, heads = 12;
};

/// Reads and checks the fields that all families have. Errors stay in `fields`.
SequenceConfig readSequenceConfig(ConfigReader &fields,
                                  const SequenceDefaults &defaults);

/// The image that the model is made for.
struct ImageGrid {
  Grid size;
  Grid grid;      ///< of its patches
  Grid tableGrid; ///< of the position embedding in the checkpoint
};

/// When a family resizes its position embedding.
enum class Resizing {
  OnRequest, ///< with `interpolate_pos_encoding`: where --image-size asks for
             ///< it
  Always     ///< whatever the size of the image is
};

/// Decides the image's size. A model that always resizes takes what its image
/// processor makes. transformers sees the table as a square when it resizes,
/// also the table of a model whose own images are not square.
llvm::Expected<ImageGrid> placeImage(const FamilyImport &import,
                                     const SequenceConfig &config,
                                     Resizing resizing);

/// What all families of one sequence begin with: the config is read, the
/// image placed, and the model started, which `grow` then makes.
template <typename Config>
FamilyResult importSequence(FamilyImport &import, llvm::Expected<Config> config,
                            Resizing resizing,
                            FamilyResult (*grow)(FamilyImport &, const Config &,
                                                 ImageGrid, ModelBuilder &)) {
  if (!config)
    return config.takeError();
  llvm::Expected<ImageGrid> image = placeImage(import, *config, resizing);
  if (!image)
    return image.takeError();
  import.labels = config->labels;
  ModelBuilder model = startModel(import, config->channels, image->size);
  return grow(import, *config, *image, model);
}

/// "PREFIX." if the checkpoint has PREFIX.TENSOR (without a checkpoint: if the
/// class of the model has a head, because heads stand beside the encoder).
std::string encoderPrefix(const FamilyImport &import, llvm::StringRef prefix,
                          llvm::StringRef tensor, bool hasHead);

/// Layers of the block of that name, as ViT, DeiT and BEiT name them.
BlockNames vitLayerNames(const std::string &block);
/// Those of block `index` of an encoder.
BlockNames vitBlockNames(llvm::StringRef encoder, int64_t index);

/// The same with the names that CLIP and SigLIP have.
BlockNames clipBlockNames(llvm::StringRef tower, int64_t index);

/// The config of the image tower: `vision_config` in the config of a model of
/// images and texts, else the config itself.
llvm::Expected<JsonObject> readVisionConfig(const JsonObject &config);

/// What models of images and texts carry for the texts, and buffers.
bool isForTexts(llvm::StringRef name);

/// A model's blocks in a row.
struct Encoder {
  explicit Encoder(mlir::Value x) : x(x), hiddenStates{x} {}
  void append(const ModelBuilder::AttentionResult &block);
  /// Offers `hidden_states` (the input of the first block and every block's
  /// output, before the final norm) and `attentions`.
  void offer(ModelBuilder &model) const;

  mlir::Value x; ///< the last block's output
  llvm::SmallVector<mlir::Value> hiddenStates, attentions;
};

/// `logits` and `probabilities`.
void offerLogits(ModelBuilder &model, mlir::Value logits);

} // namespace vitc

#endif // VITC_LIB_FRONTEND_TRANSFORMERS_SEQUENCE_H
