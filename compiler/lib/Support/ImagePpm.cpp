// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// PPM and PGM, binary and plain, up to 16 bits per sample.
#include "ImageFormats.h"

#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace llvm;

namespace vitc {

/// The next number, after blanks and `#` comments.
static bool takeNumber(StringRef &rest, uint32_t &number) {
  for (;;) {
    rest = rest.ltrim(" \t\r\n\v\f");
    if (!rest.starts_with("#"))
      break;
    size_t lineEnd = rest.find_first_of("\r\n");
    rest = rest.substr(std::min(lineEnd, rest.size()));
  }
  return !rest.empty() && isDigit(rest[0]) && !rest.consumeInteger(10, number);
}

Expected<Image> decodePpm(StringRef path, StringRef bytes) {
  char kind = bytes[1];
  bool isPlain = kind == '2' || kind == '3';
  if (!isPlain && kind != '5' && kind != '6')
    return userError(path, "P" + Twine(kind) +
                               " images are not read, expected P2, P3, P5 "
                               "or P6");
  StringRef rest = bytes.substr(2);
  uint32_t width = 0, height = 0, maximum = 0;
  if (!takeNumber(rest, width) || !takeNumber(rest, height) ||
      !takeNumber(rest, maximum))
    return userError(path, "the head of the PPM image is cut off or is not "
                           "width, height and maximum");
  if (maximum < 1 || maximum > 65535)
    return userError(path, "the largest sample is " + Twine(maximum) +
                               ", expected 1 to 65535");
  if (rest.empty() || !isSpace(rest[0]))
    return userError(path, "expected a blank after the head of the image");
  rest = rest.substr(1);

  Image image;
  image.channels = kind == '3' || kind == '6' ? 3 : 1;
  // Plain text takes a digit and a blank, the last sample only the digit.
  unsigned sampleBytes = !isPlain && maximum > 255 ? 2 : 1;
  uint64_t maxSamples =
      isPlain ? (rest.size() + 1) / 2 : rest.size() / sampleBytes;
  if (Error error = checkImageSize(path, bytes, width, height,
                                   maxSamples / image.channels))
    return error;
  image.width = width;
  image.height = height;
  image.pixels.resize(size_t(width) * height * image.channels);

  const uint8_t *data = rest.bytes_begin();
  if (!isPlain && maximum == 255) {
    std::copy_n(data, image.pixels.size(), image.pixels.begin());
    return image;
  }
  for (uint8_t &pixel : image.pixels) {
    uint32_t sample = 0;
    if (isPlain) {
      if (!takeNumber(rest, sample))
        return userError(path, "the image is cut off or holds something else "
                               "than numbers");
    } else {
      sample = sampleBytes == 2 ? data[0] * 256 + data[1] : data[0];
      data += sampleBytes;
    }
    if (sample > maximum)
      return userError(path, "the sample " + Twine(sample) +
                                 " is over the image's maximum " +
                                 Twine(maximum));
    // Pillow's rounding: half to even, in this order.
    pixel = uint8_t(std::nearbyint(double(sample) / maximum * 255.0));
  }
  return image;
}

} // namespace vitc
