// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Operations.h"

#include <algorithm>
#include <cmath>

using namespace vitc;
using namespace vitc::reference;

namespace {

/// One of the source pixels that make up a pixel along one side.
struct Tap {
  int64_t index;
  double weight;
};

} // namespace

/// Keys' cubic kernel.
static double cubic(double x, double a) {
  x = std::abs(x);
  if (x < 1)
    return ((a + 2) * x - (a + 3)) * x * x + 1;
  if (x < 2)
    return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
  return 0;
}

static double kernelAt(double x, const Resize &resize) {
  if (resize.interpolation == vit::Interpolation::Bilinear)
    return std::max(0.0, 1 - std::abs(x));
  // PyTorch's two constants: -0.75 as OpenCV has it, -0.5 as Pillow.
  return cubic(x, resize.antialias ? -0.5 : -0.75);
}

/// The taps of pixel `index` of `to`, centres of pixels on centres
/// (align_corners=False). Without antialiasing neighbours beyond the edge
/// repeat it; with it the kernel widens with the step and is cut off at the
/// edge.
static std::vector<Tap> tapsOf(int64_t index, int64_t from, int64_t to,
                               double factor, const Resize &resize) {
  double step = factor > 0 ? 1 / factor : double(from) / to;
  double centre = (index + 0.5) * step;
  int64_t reach = resize.interpolation == vit::Interpolation::Bicubic ? 2 : 1;
  std::vector<Tap> taps;
  if (!resize.antialias) {
    double source = centre - 0.5;
    // Bilinear interpolation clamps the position itself.
    if (resize.interpolation == vit::Interpolation::Bilinear)
      source = std::max(source, 0.0);
    int64_t below = std::floor(source);
    for (int64_t i = below - reach + 1; i <= below + reach; ++i)
      taps.push_back(
          {std::clamp<int64_t>(i, 0, from - 1), kernelAt(source - i, resize)});
    return taps;
  }
  double width = std::max(step, 1.0), support = reach * width, sum = 0;
  int64_t first = std::max<int64_t>(centre - support + 0.5, 0),
          end = std::min<int64_t>(centre + support + 0.5, from);
  for (int64_t i = first; i < end; ++i) {
    taps.push_back({i, kernelAt((i - centre + 0.5) / width, resize)});
    sum += taps.back().weight;
  }
  for (Tap &tap : taps)
    tap.weight /= sum;
  return taps;
}

/// `in` and `out` are the first pixels of maps of rows of channels.
static void resizeOne(const double *in, std::pair<int64_t, int64_t> from,
                      double *out, std::pair<int64_t, int64_t> to,
                      int64_t channels, const Resize &resize) {
  for (int64_t y = 0; y < to.first; ++y)
    for (int64_t x = 0; x < to.second; ++x, out += channels)
      for (Tap row :
           tapsOf(y, from.first, to.first, resize.factors.first, resize))
        for (Tap column :
             tapsOf(x, from.second, to.second, resize.factors.second, resize)) {
          const double *pixel =
              in + (row.index * from.second + column.index) * channels;
          for (int64_t c = 0; c < channels; ++c)
            out[c] += row.weight * column.weight * pixel[c];
        }
}

Tensor reference::resizePosition(const Tensor &table,
                                 std::pair<int64_t, int64_t> from,
                                 std::pair<int64_t, int64_t> to, int64_t prefix,
                                 const Resize &resize) {
  int64_t channels = table.dim(2);
  Tensor result({1, prefix + to.first * to.second, channels});
  std::copy_n(table.data.begin(), prefix * channels, result.data.begin());
  resizeOne(table.row(prefix), from, result.row(prefix), to, channels, resize);
  return result;
}

Tensor reference::resizeMap(const Tensor &map, Extents from, Extents to) {
  int64_t images = map.dim(0), channels = map.dim(2);
  Tensor result({images, to[0] * to[1], channels});
  Resize bilinear;
  bilinear.interpolation = vit::Interpolation::Bilinear;
  for (int64_t n = 0; n < images; ++n)
    resizeOne(map.row(n * map.dim(1)), {from[0], from[1]},
              result.row(n * result.dim(1)), {to[0], to[1]}, channels,
              bilinear);
  return result;
}
