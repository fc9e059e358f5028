// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Operations.h"

#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Parallel.h"

#include <algorithm>
#include <cmath>

using namespace vitc;
using namespace vitc::reference;

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

namespace {

/// Where the pixels of a map stand among its windows.
struct Windows {
  int64_t height, width; ///< of the map
  int64_t rows, columns; ///< of windows
  int64_t windowHeight, windowWidth;
  int64_t shiftY, shiftX;
  vit::WindowOrder order;

  Windows(Extents grid, Extents window, Extents shift, vit::WindowOrder order)
      : height(grid[0]), width(grid[1]),
        rows(llvm::divideCeil(grid[0], window[0])),
        columns(llvm::divideCeil(grid[1], window[1])), windowHeight(window[0]),
        windowWidth(window[1]), shiftY(shift[0]), shiftX(shift[1]),
        order(order) {}

  int64_t count() const { return rows * columns; }
  int64_t pixels() const { return windowHeight * windowWidth; }
  int64_t sequences() const {
    return order == vit::WindowOrder::Window ? count() : pixels();
  }
  int64_t tokens() const {
    return order == vit::WindowOrder::Window ? pixels() : count();
  }
  /// Calls `visit(row of the sequences, pixel of the map)`; the pixel is -1 in
  /// the padding.
  template <typename Visit>
  void forEach(Visit visit) const {
    for (int64_t w = 0; w < count(); ++w)
      for (int64_t p = 0; p < pixels(); ++p) {
        int64_t y = (w / columns * windowHeight + p / windowWidth + shiftY) %
                    (rows * windowHeight),
                x = (w % columns * windowWidth + p % windowWidth + shiftX) %
                    (columns * windowWidth);
        int64_t row = order == vit::WindowOrder::Window ? w * pixels() + p
                                                        : p * count() + w;
        visit(row, y < height && x < width ? y * width + x : -1);
      }
  }
};

} // namespace

Tensor reference::windowPartition(const Tensor &map, Extents grid,
                                  Extents window, Extents shift,
                                  vit::WindowOrder order) {
  Windows windows(grid, window, shift, order);
  int64_t images = map.dim(0), channels = map.dim(2),
          rows = windows.sequences() * windows.tokens();
  Tensor result({images * windows.sequences(), windows.tokens(), channels});
  for (int64_t n = 0; n < images; ++n)
    windows.forEach([&](int64_t row, int64_t pixel) {
      if (pixel >= 0)
        std::copy_n(map.row(n * map.dim(1) + pixel), channels,
                    result.row(n * rows + row));
    });
  return result;
}

Tensor reference::windowMerge(const Tensor &input, Extents grid, Extents window,
                              Extents shift, vit::WindowOrder order) {
  Windows windows(grid, window, shift, order);
  int64_t images = input.dim(0) / windows.sequences(), channels = input.dim(2),
          rows = windows.sequences() * windows.tokens();
  Tensor result({images, grid[0] * grid[1], channels});
  for (int64_t n = 0; n < images; ++n)
    windows.forEach([&](int64_t row, int64_t pixel) {
      if (pixel >= 0)
        std::copy_n(input.row(n * rows + row), channels,
                    result.row(n * result.dim(1) + pixel));
    });
  return result;
}

Tensor reference::windowMask(Extents grid, Extents window, Extents shift,
                             double value) {
  Windows windows(grid, window, {0, 0}, vit::WindowOrder::Window);
  int64_t height = windows.rows * window[0],
          width = windows.columns * window[1];
  auto regionOf = [&](int64_t index, int side) {
    int64_t extent = side ? width : height;
    return (index >= extent - window[side]) +
           (shift[side] > 0 && index >= extent - shift[side]);
  };
  auto region = [&](int64_t w, int64_t p) {
    int64_t y = w / windows.columns * window[0] + p / window[1],
            x = w % windows.columns * window[1] + p % window[1];
    return 3 * regionOf(y, 0) + regionOf(x, 1);
  };
  int64_t pixels = windows.pixels();
  Tensor result({windows.count(), pixels, pixels});
  for (int64_t w = 0; w < windows.count(); ++w)
    for (int64_t i = 0; i < pixels; ++i)
      for (int64_t j = 0; j < pixels; ++j)
        result.row(w * pixels + i)[j] =
            region(w, i) == region(w, j) ? 0 : value;
  return result;
}

Tensor reference::relativeBias(const Tensor &table, Extents grid,
                               int64_t prefix) {
  int64_t pixels = grid[0] * grid[1], tokens = prefix + pixels,
          distances = (2 * grid[0] - 1) * (2 * grid[1] - 1);
  auto entry = [&](int64_t i, int64_t j) {
    if (i < prefix || j < prefix) // to pixels, from pixels, to itself
      return distances + (i < prefix ? (j < prefix ? 2 : 0) : 1);
    i -= prefix;
    j -= prefix;
    int64_t dy = i / grid[1] - j / grid[1], dx = i % grid[1] - j % grid[1];
    return (dy + grid[0] - 1) * (2 * grid[1] - 1) + dx + grid[1] - 1;
  };
  Tensor result({table.dim(1), tokens, tokens});
  for (int64_t h = 0; h < table.dim(1); ++h)
    for (int64_t i = 0; i < tokens; ++i)
      for (int64_t j = 0; j < tokens; ++j)
        result.row(h * tokens + i)[j] = table.row(entry(i, j))[h];
  return result;
}

Tensor reference::spaceToDepth(const Tensor &map, Extents grid, Extents block,
                               vit::BlockOrder order) {
  int64_t rows = llvm::divideCeil(grid[0], block[0]),
          columns = llvm::divideCeil(grid[1], block[1]);
  int64_t images = map.dim(0), channels = map.dim(2);
  Tensor result({images, rows * columns, channels * block[0] * block[1]});
  for (int64_t n = 0; n < images; ++n)
    for (int64_t y = 0; y < grid[0]; ++y)
      for (int64_t x = 0; x < grid[1]; ++x) {
        int64_t dy = y % block[0], dx = x % block[1];
        int64_t j = order == vit::BlockOrder::Rows ? dy * block[1] + dx
                                                   : dx * block[0] + dy;
        std::copy_n(
            map.row((n * grid[0] + y) * grid[1] + x), channels,
            result.row((n * rows + y / block[0]) * columns + x / block[1]) +
                j * channels);
      }
  return result;
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

namespace {

/// The positions of a window over a padded map.
struct Sliding {
  Extents grid, window, stride, padding;
  int64_t rows() const {
    return (grid[0] + padding[0] + padding[2] - window[0]) / stride[0] + 1;
  }
  int64_t columns() const {
    return (grid[1] + padding[1] + padding[3] - window[1]) / stride[1] + 1;
  }
  /// Calls `visit(position in the window, pixel of the map)`; the pixel is -1
  /// in the padding.
  template <typename Visit>
  void forEach(int64_t position, Visit visit) const {
    for (int64_t p = 0; p < window[0] * window[1]; ++p) {
      int64_t y = position / columns() * stride[0] + p / window[1] - padding[0],
              x = position % columns() * stride[1] + p % window[1] - padding[1];
      bool inside = y >= 0 && y < grid[0] && x >= 0 && x < grid[1];
      visit(p, inside ? y * grid[1] + x : -1);
    }
  }
};

} // namespace

/// [image, channel, row, column] as [image, pixel, channel], and the like for
/// weights.
static Tensor channelsLast(const Tensor &tensor) {
  Tensor last = transpose(tensor, {0, 2, 3, 1});
  return reshape(last, {last.dim(0), last.dim(1) * last.dim(2), last.dim(3)});
}

Tensor reference::conv(const Tensor &input, const Tensor &weight,
                       const Tensor *bias, Extents grid, Extents stride,
                       Extents padding) {
  bool isImage = input.shape.size() == 4;
  int64_t window[] = {weight.dim(isImage ? 2 : 1), weight.dim(isImage ? 3 : 2)};
  Tensor map = isImage ? channelsLast(input) : input;
  Tensor matrix = isImage ? channelsLast(weight) : weight;
  Sliding sliding = {grid, window, stride, padding};
  int64_t images = map.dim(0), channels = map.dim(2),
          positions = sliding.rows() * sliding.columns();
  Tensor pixels({images, positions, window[0] * window[1] * channels});
  for (int64_t r = 0; r < images * positions; ++r)
    sliding.forEach(r % positions, [&](int64_t p, int64_t pixel) {
      if (pixel >= 0)
        std::copy_n(map.row(r / positions * map.dim(1) + pixel), channels,
                    pixels.row(r) + p * channels);
    });
  return linear(pixels, reshape(matrix, {weight.dim(0), pixels.dim(-1)}), bias);
}

Tensor reference::depthwiseConv(const Tensor &map, const Tensor &weight,
                                const Tensor *bias, Extents grid,
                                Extents stride, Extents padding) {
  int64_t window[] = {weight.dim(0), weight.dim(1)};
  Sliding sliding = {grid, window, stride, padding};
  int64_t images = map.dim(0), channels = map.dim(2),
          positions = sliding.rows() * sliding.columns();
  Tensor result({images, positions, channels});
  for (int64_t r = 0; r < images * positions; ++r) {
    double *out = result.row(r);
    if (bias)
      std::copy_n(bias->data.begin(), channels, out);
    sliding.forEach(r % positions, [&](int64_t p, int64_t pixel) {
      if (pixel < 0)
        return;
      const double *in = map.row(r / positions * map.dim(1) + pixel);
      for (int64_t c = 0; c < channels; ++c)
        out[c] += in[c] * weight.row(p)[c];
    });
  }
  return result;
}

Tensor reference::groupNorm(const Tensor &map, const Tensor &gain,
                            const Tensor &bias, int64_t groups, double eps) {
  int64_t images = map.dim(0), pixels = map.dim(1), channels = map.dim(2),
          size = channels / groups;
  Tensor result(map.shape);
  for (int64_t n = 0; n < images; ++n)
    for (int64_t first = 0; first < channels; first += size) {
      auto forEach = [&](auto visit) {
        for (int64_t t = 0; t < pixels; ++t)
          for (int64_t c = first; c < first + size; ++c)
            visit(n * pixels + t, c);
      };
      double mean = 0, variance = 0;
      forEach([&](int64_t r, int64_t c) { mean += map.row(r)[c]; });
      mean /= pixels * size;
      forEach([&](int64_t r, int64_t c) {
        variance += (map.row(r)[c] - mean) * (map.row(r)[c] - mean);
      });
      variance /= pixels * size;
      forEach([&](int64_t r, int64_t c) {
        result.row(r)[c] =
            (map.row(r)[c] - mean) / std::sqrt(variance + eps) * gain.data[c] +
            bias.data[c];
      });
    }
  return result;
}

Tensor reference::spatialPool(const Tensor &map, vit::SpatialPoolKind kind,
                              Extents grid, Extents window, Extents stride,
                              Extents padding, bool padZero) {
  Sliding sliding = {grid, window, stride, padding};
  int64_t images = map.dim(0), channels = map.dim(2),
          positions = sliding.rows() * sliding.columns();
  Tensor result({images, positions, channels});
  for (int64_t r = 0; r < images * positions; ++r)
    for (int64_t c = 0; c < channels; ++c) {
      double most = -INFINITY, sum = 0;
      int64_t count = 0;
      sliding.forEach(r % positions, [&](int64_t, int64_t pixel) {
        if (pixel < 0 && !padZero)
          return;
        double x =
            pixel < 0 ? 0 : map.row(r / positions * map.dim(1) + pixel)[c];
        most = std::max(most, x);
        sum += x;
        ++count;
      });
      result.row(r)[c] = kind == vit::SpatialPoolKind::Max ? most : sum / count;
    }
  return result;
}
