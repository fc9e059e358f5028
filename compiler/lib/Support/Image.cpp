// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Support/Image.h"

#include "ImageFormats.h"
#include "vitc/Support/File.h"

using namespace llvm;

namespace vitc {

static constexpr uint64_t maxSide = INT32_MAX;
static constexpr uint64_t gigapixel = 1'000'000'000;

Error checkImageSize(StringRef path, StringRef bytes, uint64_t width,
                     uint64_t height, uint64_t maxPixels) {
  auto size = [&] { return (Twine(width) + "x" + Twine(height)).str(); };
  if (width == 0 || height == 0)
    return userError(path, "the image is empty: " + size() + " pixels");
  if (width > maxSide || height > maxSide || width > gigapixel / height)
    return userError(path, "the image is too large: " + size() +
                               " pixels, at most 1000000000 are read");
  if (width * height > maxPixels)
    return userError(path, "the image claims " + size() +
                               " pixels, more than a file of " +
                               Twine(bytes.size()) + " bytes can hold");
  return Error::success();
}

Expected<Image> readImage(StringRef path) {
  Expected<std::unique_ptr<MemoryBuffer>> buffer = mapFile(path);
  if (!buffer)
    return buffer.takeError();
  StringRef bytes = (*buffer)->getBuffer();
  if (bytes.empty())
    return userError(path, "the file is empty, expected an image");
  if (bytes.starts_with("\x89PNG\r\n\x1a\n"))
    return decodePng(path, bytes);
  if (bytes.starts_with("\xff\xd8\xff"))
    return decodeJpeg(path, bytes);
  if (bytes.size() > 2 && bytes[0] == 'P' && bytes[1] >= '1' && bytes[1] <= '7')
    return decodePpm(path, bytes);
  return userError(path, "not an image that is read: expected PNG, JPEG, PPM "
                         "or PGM");
}

} // namespace vitc
