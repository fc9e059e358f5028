// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "axis.h"

#include <cmath>

// A fused multiply-add rounds once instead of twice, which can move a weight or
// an edge. Compilers may fuse by default where the CPU can (arm64).
#if defined(__clang__)
#pragma clang fp contract(off)
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off")
#endif

namespace vitc::rt {

static constexpr double pi = 3.14159265358979323846;

static double supportOf(Filter filter) {
  switch (filter) {
  case Filter::Box:
    return 0.5;
  case Filter::Bilinear:
  case Filter::Hamming:
    return 1.0;
  case Filter::Bicubic:
    return 2.0;
  case Filter::Lanczos:
    return 3.0;
  case Filter::Nearest:
    break;
  }
  return 0.0;
}

static double hamming(double x) {
  if (x == 0.0)
    return 1.0;
  if (x >= 1.0)
    return 0.0;
  x = x * pi;
  // The two constants are single precision in Pillow.
  return std::sin(x) / x * (0.54f + 0.46f * std::cos(x));
}

/// Keys' cubic with a = -0.5.
static double bicubic(double x) {
  constexpr double a = -0.5;
  if (x < 1.0)
    return ((a + 2.0) * x - (a + 3.0)) * x * x + 1;
  if (x < 2.0)
    return (((x - 5) * x + 8) * x - 4) * a;
  return 0.0;
}

static double sinc(double x) {
  if (x == 0.0)
    return 1.0;
  x = x * pi;
  return std::sin(x) / x;
}

static double evaluate(Filter filter, double x) {
  double distance = std::fabs(x);
  switch (filter) {
  case Filter::Box:
    return x > -0.5 && x <= 0.5 ? 1.0 : 0.0;
  case Filter::Bilinear:
    return distance < 1.0 ? 1.0 - distance : 0.0;
  case Filter::Hamming:
    return hamming(distance);
  case Filter::Bicubic:
    return bicubic(distance);
  case Filter::Lanczos:
    return -3.0 <= x && x < 3.0 ? sinc(x) * sinc(x / 3) : 0.0;
  case Filter::Nearest:
    break;
  }
  return 0.0;
}

static int32_t toFixed(double weight) {
  return int32_t((weight < 0 ? -0.5 : 0.5) + weight * weightOne);
}

static double divide(double weight, double total) {
  return total != 0.0 ? weight / total : weight;
}

Axis::Axis(int32_t inSize, int32_t outSize, Filter filter)
    : kind(inSize == outSize           ? Kind::Copy
           : filter == Filter::Nearest ? Kind::Nearest
                                       : Kind::Mix),
      filter(filter), inSize(inSize), outSize(outSize) {
  // Pillow keeps the size as a float.
  scale = double(float(inSize)) / outSize;
  double widen = scale < 1.0 ? 1.0 : scale;
  narrow = 1.0 / widen;
  support = supportOf(filter) * widen;
}

double Axis::center(int32_t out) const { return (out + 0.5) * scale; }

double Axis::rawWeight(double center, int32_t in) const {
  return evaluate(filter, (in - center + 0.5) * narrow);
}

Span Axis::span(int32_t out) const {
  double middle = center(out);
  // Truncation towards zero after adding a half, as in Pillow.
  auto first = int64_t(middle - support + 0.5);
  auto last = int64_t(middle + support + 0.5);
  first = first < 0 ? 0 : first;
  last = last > inSize ? inSize : last;
  return {int32_t(first), last > first ? int32_t(last - first) : 0};
}

double Axis::total(int32_t out) const {
  double middle = center(out);
  Span taps = span(out);
  double sum = 0.0;
  for (int32_t in = taps.first; in < taps.last(); ++in)
    sum += rawWeight(middle, in);
  return sum;
}

int32_t Axis::weight(int32_t out, int32_t in, double total) const {
  if (!mixes())
    return weightOne;
  return toFixed(divide(rawWeight(center(out), in), total));
}

void Axis::weights(int32_t out, Span span, int32_t *result) const {
  // Evaluating a filter costs far more than storing it, up to this many.
  constexpr int32_t kept = 256;
  if (!mixes() || span.count > kept) {
    double sum = mixes() ? total(out) : 1.0;
    for (int32_t tap = 0; tap < span.count; ++tap)
      result[tap] = weight(out, span.first + tap, sum);
    return;
  }
  double raw[kept];
  double middle = center(out), sum = 0.0;
  for (int32_t tap = 0; tap < span.count; ++tap)
    sum += raw[tap] = rawWeight(middle, span.first + tap);
  for (int32_t tap = 0; tap < span.count; ++tap)
    result[tap] = toFixed(divide(raw[tap], sum));
}

AxisCursor::AxisCursor(const Axis &axis, int32_t out) : axis(axis), out(out) {
  if (axis.kind == Axis::Kind::Nearest) {
    position = axis.scale * 0.5;
    for (int32_t step = 0; step < out; ++step)
      position += axis.scale;
  }
  update();
}

void AxisCursor::next() {
  ++out;
  position += axis.scale;
  update();
}

void AxisCursor::update() {
  switch (axis.kind) {
  case Axis::Kind::Copy:
    current = {out, 1};
    return;
  case Axis::Kind::Nearest:
    current = position < axis.inSize ? Span{int32_t(position), 1}
                                     : Span{axis.inSize, 0};
    return;
  case Axis::Kind::Mix:
    current = axis.span(out);
    return;
  }
}

AxisSweep::AxisSweep(const Axis &axis, int32_t first, int32_t count)
    : lead(axis, first), trail(lead), count(count),
      current(lead.span().first - 1) {}

bool AxisSweep::next() {
  for (;;) {
    ++current;
    for (; newest < count && lead.span().first <= current; lead.next())
      ++newest;
    for (; oldest < newest && trail.span().last() <= current; trail.next())
      ++oldest;
    if (oldest < newest)
      return true;
    if (oldest == count)
      return false;
    // No result wants this pixel: the nearest filter leaves pixels out.
    current = lead.span().first - 1;
  }
}

} // namespace vitc::rt
