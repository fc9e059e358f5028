// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// `preprocessor_config.json`: what turns an image into the model's input
/// tensor.
#ifndef VITC_PREPROCESS_IMAGEPROCESSOR_H
#define VITC_PREPROCESS_IMAGEPROCESSOR_H

#include "vitc/Support/Json.h"

#include <optional>

namespace vitc {

/// Meaning and order of the steps: runtime/include/vitc/runtime/preprocess.h.
struct ImageProcessor {
  enum class Resize { None, Exact, ShortestEdge, Cover };
  Resize resize = Resize::None;
  int64_t resizeHeight = 0, resizeWidth = 0; ///< ShortestEdge: resizeHeight
  int64_t filter = 2;                        ///< Pillow's number, 0 to 5
  bool centerCrop = false;
  int64_t cropHeight = 0, cropWidth = 0;
  /// Which pixel an odd margin is centred on: transformers rounds the offset
  /// down, torchvision (and so timm) rounds half to even.
  bool cropRoundsHalfToEven = false;
  double rescale = 1.0;          ///< 1 when the processor does not rescale
  std::vector<double> mean, std; ///< one per channel, or empty
  bool reversesChannels = false; ///< blue, green, red
  /// How timm derives its resize from the size of the crop.
  struct TimmCrop {
    double share;   ///< `crop_pct`
    int64_t filter; ///< `interpolation`
    bool squashes;  ///< `crop_mode` is squash, not center
  };
  std::optional<TimmCrop> timm = std::nullopt;

  /// What a model gets when its folder has no file: exact bilinear resize,
  /// 1/255, mean and std 0.5.
  static ImageProcessor makeDefault(int64_t channels, int64_t height,
                                    int64_t width);
  /// Makes the result height x width: `size` and `crop_size` are scaled where
  /// the file's differ; timm's follow from the new size as they did from the
  /// old one. A shortest edge without a crop gives images of any shape, so a
  /// centre crop is added to it.
  void retarget(int64_t height, int64_t width);
};

/// Reads the file, as transformers or timm (`input_size`, `crop_pct`,
/// `interpolation` …) write it. Fields that are absent have the defaults of the
/// file's `image_processor_type`; unknown fields are ignored, but one that
/// changes the result and is not supported is an error. `size` may be an
/// integer, {height, width} or {shortest_edge}; `crop_size` an integer or
/// {height, width}; `resample` a number from 0 to 5. A list of means of another
/// length than `channels` is an error (a single one is repeated).
llvm::Expected<ImageProcessor> readImageProcessor(llvm::StringRef path,
                                                  int64_t channels);

/// The same for an object that is already read, such as the `pretrained_cfg` of
/// timm's config.json.
llvm::Expected<ImageProcessor> readImageProcessor(const JsonObject &object,
                                                  int64_t channels);

} // namespace vitc

#endif // VITC_PREPROCESS_IMAGEPROCESSOR_H
