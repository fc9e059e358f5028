// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// vitc's own config, read: what docs/OwnModels.md describes.
#ifndef VITC_LIB_FRONTEND_OWN_CONFIG_H
#define VITC_LIB_FRONTEND_OWN_CONFIG_H

#include "vitc/Frontend/Builder/ModelBuilder.h"
#include "vitc/Support/Json.h"

#include "llvm/ADT/StringMap.h"

namespace vitc::own {

enum class Position {
  None,
  Learned1D,
  Learned2D,
  Sinusoidal,
  Relative,
  Rotary
};
enum class PatchLayout { Conv, RowsColumnsChannels, ChannelsRowsColumns };
enum class NormPlace { Before, After };

/// The names of one part's weights, as the config or the default spells them.
struct Names {
  /// `{layer}` replaced by the block's number.
  std::string operator()(llvm::StringRef role, int64_t layer = 0) const {
    std::string text = patterns.lookup(role);
    size_t at;
    while ((at = text.find("{layer}")) != std::string::npos)
      text.replace(at, llvm::StringRef("{layer}").size(),
                   std::to_string(layer));
    return text;
  }
  llvm::StringMap<std::string> patterns;
};

struct Config {
  Grid imageSize, patchSize;
  int64_t channels, width, depth, heads, headWidth, hidden, registers, classes,
      headHidden;
  PatchLayout patchLayout;
  bool patchBias, qkvPacked, qkvBias, projectionBias, mlpBias, headBias;
  bool classToken, embeddingNorm, finalNorm, positionOfClass, concatenate;
  NormPlace normPlace;
  Norm norm;
  vit::Activation activation;
  Position position;
  vit::RotaryPairing pairing;
  double theta;
  int64_t axes;
  vit::PoolKind pool;
  Names names;
  std::vector<std::string> labels;
  std::vector<double> mean, std; ///< empty: the defaults
  int64_t filter;                ///< Pillow's number

  int64_t inner() const { return heads * headWidth; }
  int64_t prefix() const { return classToken + registers; }
};

/// Refuses fields that are not known, since a misspelled one would change the
/// model.
llvm::Expected<Config> readConfig(const JsonObject &json);

} // namespace vitc::own

#endif // VITC_LIB_FRONTEND_OWN_CONFIG_H
