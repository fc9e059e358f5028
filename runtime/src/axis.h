// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// One axis of a resize: which pixels of the image make a pixel of the
/// result, and with what weights. The arithmetic is Pillow's, operation for
/// operation, so that every weight comes out the same.
#ifndef VITC_RUNTIME_SRC_AXIS_H
#define VITC_RUNTIME_SRC_AXIS_H

#include "vitc/runtime/preprocess.h"

#include <cstdint>

namespace vitc::rt {

/// Weights are fixed-point numbers with this many bits after the point: 32 less
/// 8 for the pixel and 2 for filters whose weights are negative or add up to
/// more than one on the way.
constexpr int weightBits = 32 - 8 - 2;
constexpr int32_t weightOne = 1 << weightBits;

/// Pixels [first, first + count) of the image.
struct Span {
  int32_t first, count;

  int32_t last() const { return first + count; }
};

class Axis {
public:
  Axis(int32_t inSize, int32_t outSize, Filter filter);

  /// Whether pixels are mixed. If not, each result is one pixel (or none: see
  /// AxisCursor) with the weight one.
  bool mixes() const { return kind == Kind::Mix; }

  /// Pixels of the image.
  int32_t size() const { return inSize; }

  /// How many pixels fewer the result has.
  int64_t shrinkage() const { return int64_t(inSize) - outSize; }

  /// The sum by which the raw weights of a result are divided; only when the
  /// axis mixes.
  double total(int32_t out) const;

  /// One weight of a result.
  int32_t weight(int32_t out, int32_t in, double total) const;

  /// All weights of a result, `span.count` of them.
  void weights(int32_t out, Span span, int32_t *result) const;

private:
  friend class AxisCursor;
  enum class Kind { Copy, Nearest, Mix };

  double rawWeight(double center, int32_t in) const;
  double center(int32_t out) const;
  Span span(int32_t out) const;

  Kind kind;
  Filter filter;
  int32_t inSize, outSize;
  double scale;   ///< pixels of the image for one of the result
  double narrow;  ///< what brings a distance to the filter's own scale
  double support; ///< reach of the filter, in pixels of the image
};

/// Goes through the results in order. There is no way to jump, since Pillow's
/// nearest filter adds up the position step by step, rounding each time.
class AxisCursor {
public:
  AxisCursor(const Axis &axis, int32_t out);

  /// The pixels behind the current result. First and last never fall from one
  /// result to the next. Empty when rounding carried the nearest filter past
  /// the edge; Pillow gives black there.
  Span span() const { return current; }
  void next();

private:
  void update();

  const Axis &axis;
  int32_t out;
  double position = 0; ///< of the nearest filter
  Span current{0, 0};
};

/// Goes through the pixels of the image in order and says which of the
/// results [first, first + count) each of them is part of.
class AxisSweep {
public:
  AxisSweep(const Axis &axis, int32_t first, int32_t count);

  /// Moves on to the next pixel that is part of a result. False at the end.
  bool next();

  int32_t pixel() const { return current; }
  /// The results, counted from `first`: [begin, end), never empty.
  int32_t begin() const { return oldest; }
  int32_t end() const { return newest; }

private:
  AxisCursor lead, trail; ///< at `newest` and at `oldest`
  int32_t count;
  int32_t oldest = 0, newest = 0;
  int32_t current;
};

} // namespace vitc::rt

#endif // VITC_RUNTIME_SRC_AXIS_H
