// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What the image processors of transformers do where a file is silent: old
/// files leave out what was the class's default.
#ifndef VITC_LIB_PREPROCESS_DEFAULTS_H
#define VITC_LIB_PREPROCESS_DEFAULTS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace vitc {

struct ImageProcessorDefaults {
  llvm::StringLiteral
      name; ///< the class without `ImageProcessor` or `FeatureExtractor`
  bool integerIsShortestEdge; ///< what `"size": 224` means
  int64_t size;               ///< in the same sense
  int64_t filter;
  int64_t cropSize; ///< 0 for no centre crop
  llvm::ArrayRef<double> mean, std;
};

/// The defaults of a class such as `CLIPImageProcessor` or
/// `ViTFeatureExtractor`; null if it is not known.
const ImageProcessorDefaults *findImageProcessorDefaults(llvm::StringRef type);

/// Why a class cannot be followed (its code does more than its fields say);
/// empty if nothing is known against it.
llvm::StringRef whyImageProcessorIsRefused(llvm::StringRef type);

} // namespace vitc

#endif // VITC_LIB_PREPROCESS_DEFAULTS_H
