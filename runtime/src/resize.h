/// Resizing 8-bit pictures as Pillow does, in memory that does not depend on
/// the size of the picture.
#ifndef VITC_RUNTIME_SRC_RESIZE_H
#define VITC_RUNTIME_SRC_RESIZE_H

#include "axis.h"

#include <cstddef>
#include <cstdint>

namespace vitc::rt {

/// The part of the resized picture that is wanted.
struct Window {
  int32_t top, left, height, width;
};

/// What is read.
struct Source {
  const uint8_t *pixels;
  ptrdiff_t stride;
  int32_t channels; ///< interleaved bytes of a pixel
  bool toGrey;      ///< three channels are read as one, as Pillow's mode L
};

/// What is written and worked in; nothing of it need be initialised.
struct ResizeMemory {
  /// Result: [height][width][channels] of the window, one channel when toGrey.
  /// `pixelOf` turns a sum into the pixel.
  uint32_t *sums;
  uint8_t *row;  ///< one row of the window
  Span *columns; ///< one for each column of the window
  /// filterTableBytes for weights, aligned to 8 bytes.
  unsigned char *table;
};

/// Computes a window of a picture that is resized along both axes.
void resize(const Source &source, const Axis &horizontal, const Axis &vertical,
            const Window &window, const ResizeMemory &memory);

/// The sums start at a half, so the shift rounds.
constexpr uint32_t emptySum = 1u << (weightBits - 1);

static inline uint8_t pixelOf(uint32_t sum) {
  int32_t value = int32_t(sum) >> weightBits;
  return uint8_t(value < 0 ? 0 : value > 255 ? 255 : value);
}

} // namespace vitc::rt

#endif // VITC_RUNTIME_SRC_RESIZE_H
