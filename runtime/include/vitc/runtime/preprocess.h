// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// From 8-bit images to the float tensor that a model takes: the caller's crop,
/// resize, centre crop, rescale, normalise.
///
/// The steps and their order are those of transformers' image processors with
/// Pillow as the resizer; results are equal to Pillow 13's, pixel for pixel.
/// (Earlier releases differ where an image loses more than twice as many rows
/// as columns: 13 resizes those vertically first.) Memory is bounded by the
/// size of the result, whatever the size of the image.
#ifndef VITC_RUNTIME_PREPROCESS_H
#define VITC_RUNTIME_PREPROCESS_H

#include "vitc/runtime/model.h"

#include <cstddef>
#include <cstdint>

namespace vitc::rt {

/// Numbered as in Pillow and in `preprocessor_config.json`.
enum class Filter : int32_t {
  Nearest = 0,
  Lanczos = 1,
  Bilinear = 2,
  Bicubic = 3,
  Box = 4,
  Hamming = 5
};

enum class Resize : int32_t {
  None,         ///< the image keeps its size
  Exact,        ///< to resizeHeight x resizeWidth
  ShortestEdge, ///< the shorter side becomes resizeHeight, the other keeps the
                ///< aspect (rounded down)
  Cover ///< to the smallest size that has resizeHeight x resizeWidth in it and
        ///< keeps the aspect (rounded half to even), as timm does
};

struct Preprocessing {
  Resize resize;
  int32_t resizeHeight, resizeWidth;
  Filter filter;
  bool centerCrop; ///< to height x width below; zeros where the image is
                   ///< smaller
  /// Where the odd line goes: as in torchvision, or else as in transformers.
  bool cropRoundsHalfToEven;
  int32_t channels, height, width; ///< of the result
  double rescale;                  ///< 1/255 as a rule, 1 for none
  const float *mean, *std; ///< one per channel, or null for no normalisation
  bool reversesChannels;   ///< blue, green, red
};

/// Scratch for one image: integer sums of the whole result, one row, eight
/// bytes a column, and a table of filter weights. Images with more weights
/// than the table holds (very wide ones) are resized in several parts.
constexpr size_t filterTableBytes = size_t(256) * 1024;
constexpr size_t preprocessScratchBytes(int64_t channels, int64_t height,
                                        int64_t width) {
  return size_t((4 * channels * height * width + channels * width + 8 * width +
                 63) /
                64 * 64) +
         filterTableBytes;
}

/// Writes channels x height x width floats to `result`. `scratch` is 64-byte
/// aligned.
vitc_status preprocess(const Preprocessing &how, const vitc_image_v2 &image,
                       void *scratch, float *result);

} // namespace vitc::rt

#endif // VITC_RUNTIME_PREPROCESS_H
