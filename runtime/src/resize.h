// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Resizing 8-bit images as Pillow does, in memory that does not depend on
/// the size of the image.
///
/// Pillow resizes the whole image along one axis, rounds to 8 bits, and
/// resizes that along the other. Here every piece is added to all the results
/// that it is part of as soon as it is there, so no image in between has to
/// be kept. The integer sums are the same in any order.
#ifndef VITC_RUNTIME_SRC_RESIZE_H
#define VITC_RUNTIME_SRC_RESIZE_H

#include "axis.h"

#include <cstddef>
#include <cstdint>

namespace vitc::rt {

/// More channels than this need not fit into the table.
constexpr int32_t maxChannels = 16384;

/// The part of the resized image that is wanted.
struct Window {
  int32_t top, left, height, width;
};

/// What is read: interleaved bytes, of which a pixel may have more than are
/// wanted.
struct Source {
  const uint8_t *pixels;
  ptrdiff_t stride;
  int32_t pixelBytes; ///< from a pixel to the next one
  int32_t channels;   ///< the first ones of a pixel that are wanted
  bool toGrey;        ///< three channels are read as one, as Pillow's mode L
  bool blueFirst;     ///< the order of the three

  const uint8_t *row(int32_t y) const { return pixels + y * stride; }
  const uint8_t *pixel(const uint8_t *row, int32_t x) const {
    return row + ptrdiff_t(x) * pixelBytes;
  }
  int32_t resultChannels() const { return toGrey ? 1 : channels; }
  /// Whether a row is what addWeighted takes.
  bool isPacked() const { return !toGrey && pixelBytes == channels; }
  uint32_t grey(const uint8_t *pixel) const {
    return greyOf(pixel[blueFirst ? 2 : 0], pixel[1], pixel[blueFirst ? 0 : 2]);
  }

  /// Pillow's grey: the weights of ITU-R 601-2 with 16 bits after the point.
  static uint32_t greyOf(uint32_t red, uint32_t green, uint32_t blue) {
    return (red * 19595u + green * 38470u + blue * 7471u + 0x8000u) >> 16;
  }
};

/// What is written and worked in; nothing of it need be initialised.
struct ResizeMemory {
  /// Result: [height][width][channels] of the window, to be read by `pixelOf`.
  uint32_t *sums;
  uint8_t *row;           ///< one row of the window
  unsigned char *columns; ///< 8 bytes for each column, aligned to 8 bytes
  unsigned char *table;   ///< filterTableBytes, aligned to 8 bytes
};

/// One resize.
struct ResizeJob {
  const Source &source;
  const Axis &horizontal, &vertical;
  const Window &window;
  const ResizeMemory &memory;

  size_t rowSamples() const {
    return size_t(source.resultChannels()) * size_t(window.width);
  }
};

/// Computes the window of the resized image.
void resize(const ResizeJob &job);

/// The two orders of the passes; `resize` chooses the one that Pillow would,
/// and has set the sums to `emptySum`.
void resizeRowsFirst(const ResizeJob &job); ///< horizontally, then vertically
void resizeColumnsFirst(
    const ResizeJob &job); ///< vertically, then horizontally

/// Sums start at a half so that `pixelOf` rounds. They are unsigned so that a
/// wrap is defined; none happens below 2^22 pixels a side.
constexpr uint32_t emptySum = 1u << (weightBits - 1);

inline uint8_t pixelOf(uint32_t sum) {
  int32_t value = int32_t(sum) >> weightBits;
  return uint8_t(value < 0 ? 0 : value > 255 ? 255 : value);
}

/// Adds samples with one weight to as many sums.
void addWeighted(const uint8_t *samples, int32_t weight, size_t count,
                 uint32_t *sums);

/// The vertical weights: every total is summed once, every weight is made when
/// a row is added, which is little work beside the row.
class RowWeights {
public:
  /// Puts the totals at the front of the table. A window of more rows than fit
  /// into a quarter of it goes without, and sums them again and again.
  explicit RowWeights(const ResizeJob &job);

  /// Of row `in` of the image for row `out` of the window.
  int32_t weight(int32_t out, int32_t in) const;
  /// What is left of the table.
  unsigned char *freeTable() const { return table + usedBytes; }
  size_t freeBytes() const { return filterTableBytes - usedBytes; }

private:
  const Axis &axis;
  int32_t top;
  unsigned char *table;
  size_t usedBytes;
};

} // namespace vitc::rt

#endif // VITC_RUNTIME_SRC_RESIZE_H
