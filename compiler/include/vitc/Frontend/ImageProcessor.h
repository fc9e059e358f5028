/// `preprocessor_config.json`: what turns a picture into the model's input tensor.
#ifndef VITC_FRONTEND_IMAGEPROCESSOR_H
#define VITC_FRONTEND_IMAGEPROCESSOR_H

#include "vitc/Support/Json.h"

namespace vitc {

/// Meaning and order of the steps: runtime/include/vitc/runtime/preprocess.h.
struct ImageProcessor {
  enum class Resize { None, Exact, ShortestEdge };
  Resize resize = Resize::None;
  int64_t resizeHeight = 0, resizeWidth = 0; ///< ShortestEdge: resizeHeight
  int64_t filter = 2;                        ///< Pillow's number, 0 to 5
  bool centerCrop = false;
  int64_t cropHeight = 0, cropWidth = 0;
  double rescale = 1.0;           ///< 1 when the processor does not rescale
  std::vector<double> mean, std;  ///< one per channel, or empty

  /// What a model gets when its folder has no file: exact bilinear resize, 1/255, mean and std 0.5.
  static ImageProcessor makeDefault(int64_t channels, int64_t height, int64_t width);
  /// Makes the result height x width: `size` and `crop_size` are scaled where the file's differ.
  void retarget(int64_t height, int64_t width);
};

/// Reads the file. `size` may be an integer, {height, width} or {shortest_edge}; `crop_size` an integer or {height, width};
/// `resample` a number from 0 to 5. A list of means of another length than `channels` is an error (a single one is repeated).
llvm::Expected<ImageProcessor> readImageProcessor(llvm::StringRef path, int64_t channels);

} // namespace vitc

#endif // VITC_FRONTEND_IMAGEPROCESSOR_H
