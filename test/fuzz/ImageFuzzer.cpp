// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// PNG, JPEG, PPM and PGM: the input is the file.
#include "Readers.h"

#include "vitc/Support/Image.h"

using namespace vitc;
using namespace vitc::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static MemoryFile file;
  auto image = readImage(file.write(textOf(data, size)));
  if (!isValue(image))
    return 0;
  size_t expected =
      size_t(image->width) * size_t(image->height) * size_t(image->channels);
  if (image->width < 1 || image->height < 1 ||
      (image->channels != 1 && image->channels != 3) ||
      image->pixels.size() != expected)
    fault("the image does not have the pixels that its size says");
  return 0;
}
