// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The decoders behind readImage, one file each. `path` is for messages only.
#ifndef VITC_LIB_SUPPORT_IMAGEFORMATS_H
#define VITC_LIB_SUPPORT_IMAGEFORMATS_H

#include "vitc/Support/Image.h"

namespace vitc {

llvm::Expected<Image> decodePng(llvm::StringRef path, llvm::StringRef bytes);
llvm::Expected<Image> decodeJpeg(llvm::StringRef path, llvm::StringRef bytes);
llvm::Expected<Image> decodePpm(llvm::StringRef path, llvm::StringRef bytes);

/// Checks a size that a file claims before memory is taken: at least one pixel,
/// at most a gigapixel, and no more than `maxPixels`, the most that a file of
/// this length can hold in its format.
llvm::Error checkImageSize(llvm::StringRef path, llvm::StringRef bytes,
                           uint64_t width, uint64_t height, uint64_t maxPixels);

} // namespace vitc

#endif // VITC_LIB_SUPPORT_IMAGEFORMATS_H
