// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Images and buffers that the tests of preprocessing share.
#ifndef VITC_TEST_UNIT_RUNTIME_TESTIMAGE_H
#define VITC_TEST_UNIT_RUNTIME_TESTIMAGE_H

#include "vitc/runtime/preprocess.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace vitc::rt {

/// An image with its memory.
struct TestImage {
  int32_t width, height, channels;
  std::vector<uint8_t> pixels;

  vitc_image_v2 image() const {
    return {pixels.data(),
            width,
            height,
            channels == 1   ? VITC_PIXELS_GREY
            : channels == 3 ? VITC_PIXELS_RGB
                            : VITC_PIXELS_NATIVE,
            ptrdiff_t(width) * channels,
            {}};
  }
};

/// The formula of make_resize_fixtures.py.
inline TestImage makeImage(int32_t width, int32_t height, int32_t channels,
                           int32_t seed) {
  TestImage testImage{width, height, channels, {}};
  for (uint64_t y = 0; y < uint64_t(height); ++y)
    for (uint64_t x = 0; x < uint64_t(width); ++x)
      for (uint64_t c = 0; c < uint64_t(channels); ++c) {
        auto mixed = uint32_t(x * 7919 + y * 104729 + c * 1299709 +
                              uint64_t(seed) * 15485863);
        mixed *= 2654435761u;
        mixed = (mixed ^ (mixed >> 15)) * 2246822519u;
        auto value = uint8_t(mixed >> 24);
        testImage.pixels.push_back(seed % 2 ? (value > 127 ? 255 : 0) : value);
      }
  return testImage;
}

/// Memory of exactly the promised size with the promised alignment, so that the
/// address sanitizer sees every step outside. Filled with 0xFF, as nothing may
/// count on zeros.
class TestScratch {
public:
  explicit TestScratch(size_t bytes) {
    if (posix_memalign(&memory, 64, bytes) != 0)
      std::abort();
    std::memset(memory, 0xFF, bytes);
  }
  TestScratch(const TestScratch &) = delete;
  TestScratch &operator=(const TestScratch &) = delete;
  ~TestScratch() { std::free(memory); }

  void *get() const { return memory; }

private:
  void *memory = nullptr;
};

/// Neither resize nor crop nor normalisation.
inline Preprocessing plainPreprocessing(int32_t channels, int32_t height,
                                        int32_t width) {
  Preprocessing how{};
  how.resize = Resize::None;
  how.filter = Filter::Bilinear;
  how.channels = channels;
  how.height = height;
  how.width = width;
  how.rescale = 1.0;
  return how;
}

/// Runs `preprocess` into a vector that starts as -1.
inline vitc_status preprocessTo(const Preprocessing &how,
                                const vitc_image_v2 &image,
                                std::vector<float> &result) {
  result.assign(size_t(how.channels) * size_t(how.height) * size_t(how.width),
                -1.0f);
  TestScratch scratch(
      preprocessScratchBytes(how.channels, how.height, how.width));
  return preprocess(how, image, scratch.get(), result.data());
}

} // namespace vitc::rt

#endif // VITC_TEST_UNIT_RUNTIME_TESTIMAGE_H
