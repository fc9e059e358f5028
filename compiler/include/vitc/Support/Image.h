// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Decoding of images for the command line tool. The emitted library takes
/// raw pixels and needs none of this.
#ifndef VITC_SUPPORT_IMAGE_H
#define VITC_SUPPORT_IMAGE_H

#include "vitc/Support/Error.h"

#include <cstdint>
#include <vector>

namespace vitc {

struct Image {
  int32_t width = 0, height = 0, channels = 0; ///< 1 (grey) or 3 (RGB)
  std::vector<uint8_t> pixels;                 ///< dense rows
};

/// PNG, JPEG or PPM/PGM, told apart by content. Palettes become RGB, 16 bits
/// become 8, alpha is dropped (as Pillow's convert("RGB")). An image over 1
/// gigapixel, or larger than its file can hold, is refused before memory is
/// taken.
llvm::Expected<Image> readImage(llvm::StringRef path);

} // namespace vitc

#endif // VITC_SUPPORT_IMAGE_H
