// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// gemm, int8_gemm, bf16_gemm, patch_embed, conv and depthwise.
#include "Problem.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace vitc;
using namespace vitc::measure;

/// Packed weights of sums over `depth`, so small that the sums stay near 1.
static void scaleWeights(Argument *weights, int64_t depth) {
  scale(*weights, 1.7 / std::sqrt(double(depth)));
}

/// sums[n] += x · w[n][k] for every column of packed weights.
static void addRow(double x, const float *w, int64_t panels, int64_t depth,
                   int64_t panel, int64_t k, double *sums) {
  for (int64_t p = 0; p < panels; ++p) {
    const float *row = w + (p * depth + k) * panel;
    for (int64_t j = 0; j < panel; ++j)
      sums[p * panel + j] += x * row[j];
  }
}

/// A row of out: what the sums come to with bias, activation and residual.
template <typename Spec>
static void finishRow(const Spec &spec,
                      const typename Spec::template Arguments<Argument *> &at,
                      const std::vector<double> &sums, int64_t row) {
  for (int64_t n = 0; n < spec.n; ++n) {
    double value = sums[n] + (at.bias ? at.bias->values[n] : 0);
    value = families::evaluate(spec.activation, value);
    if (at.residual)
      value += at.residual->values[row * spec.ldr + n];
    at.out->expected[row * spec.ldc + n] = value;
  }
}

/// The seven combinations of quarters that a Strassen product reads in the
/// place of its weights `b[k][n]`, packed [n/2/panel][7][k/2][panel].
static std::vector<float> combineQuarters(const std::vector<float> &b,
                                          int64_t n, int64_t depth,
                                          int64_t panel) {
  constexpr int products = families::strassenProducts;
  int64_t halfN = n / 2, halfK = depth / 2;
  std::vector<float> packed(size_t(halfN * products * halfK));
  for (int64_t p = 0; p < halfN / panel; ++p)
    for (int64_t k = 0; k < halfK; ++k)
      for (int64_t j = 0; j < panel; ++j) {
        int64_t column = p * panel + j;
        float b11 = b[k * n + column], b12 = b[k * n + column + halfN],
              b21 = b[(k + halfK) * n + column],
              b22 = b[(k + halfK) * n + column + halfN];
        float combined[products] = {b12 - b22, b21 - b11, b11 + b22, b11,
                                    b22,       b11 + b12, b21 + b22};
        for (int product = 0; product < products; ++product)
          packed[((p * products + product) * halfK + k) * panel + j] =
              combined[product];
      }
  return packed;
}

/// What a Winograd product needs of its packed weights: for each column the sum
/// of its own pairs, each 32 of them added and the next 32 subtracted, and in a
/// line of its own a column's mean size.
static std::vector<float> sumOwnPairs(const std::vector<float> &packed,
                                      int64_t n, int64_t depth, int64_t panel) {
  using families::blockTriples, families::tripleSteps, families::winogradSteps;
  const int64_t columns = families::roundUp(n, panel),
                triples = depth / winogradSteps * 2 * blockTriples;
  std::vector<float> sums(size_t(columns + families::winogradFloats));
  double size = 0;
  for (int64_t column = 0; column < columns; ++column) {
    auto weight = [&](int64_t k) -> double {
      return packed[(column / panel * depth + k) * panel + column % panel];
    };
    double sum = 0;
    for (int64_t g = 0; g < triples; ++g) {
      double product = weight(g * tripleSteps) * weight(g * tripleSteps + 1);
      sum += g / blockTriples % 2 == 0 ? product : -product;
    }
    sums[column] = float(sum);
    for (int64_t k = 0; k < depth; ++k)
      size += std::abs(weight(k));
  }
  sums[columns] = float(size / double(n));
  return sums;
}

void vitc::measure::makeProblem(const families::GemmSpec &spec,
                                Problem &problem) {
  auto at = problem.add(spec);
  const int64_t m = spec.m, n = spec.n, depth = spec.k, panel = spec.panel,
                half = depth / 2;
  scaleWeights(at.w, depth);
  std::vector<float> plain = at.w->values;
  int64_t panels = spec.width() / panel, width = panel;
  if (spec.strassen) {
    // The reference sees the weights as one panel of n columns.
    plain.resize(size_t(n * depth));
    at.w->values = combineQuarters(plain, n, depth, panel);
    panels = 1;
    width = n;
  }
  if (spec.winograd)
    at.winogradSums->values = sumOwnPairs(plain, n, depth, panel);
  for (int64_t row = 0; row < m; ++row) {
    std::vector<double> sums(size_t(panels * width));
    for (int64_t k = 0; k < depth; ++k) {
      int64_t place =
          spec.strassen && k >= half ? spec.halfStride + k - half : k;
      addRow(at.a->values[row * spec.lda + place], plain.data(), panels, depth,
             width, k, sums.data());
    }
    finishRow(spec, at, sums, row);
  }
}

/// The place of weight [n][k] in panels of groups of steps.
static int64_t groupedPlace(int64_t n, int64_t k, int64_t panel, int64_t groups,
                            int64_t group) {
  return ((n / panel * groups + k / group) * panel + n % panel) * group +
         k % group;
}

/// Bytes are drawn as they are, and so that the sums stay near 1: each row's
/// scale and offset, and each column's scale.
void vitc::measure::makeProblem(const families::Int8GemmSpec &spec,
                                Problem &problem) {
  auto at = problem.add(spec);
  problem.tolerance = 1e-3; // of its short polynomial for GELU
  const int64_t depth = spec.k, group = families::int8Group;
  auto *rows = elementsOf<uint8_t>(at.a);
  const auto *weights = elementsOf<int8_t>(at.w);
  const float rowScale = 1.0f / 128, rowOffset = -1;
  const float columnScale = float(3.0 / 128 / std::sqrt(double(depth)));
  for (int64_t n = 0; n < spec.width(); ++n) {
    int64_t sum = 0;
    for (int64_t k = 0; k < depth; ++k)
      sum += weights[groupedPlace(n, k, spec.panel, spec.groups(), group)];
    at.scales->values[n] = columnScale;
    at.scales->values[spec.width() + n] = columnScale * float(sum);
  }
  const int64_t line = families::roundUp(depth, families::lineBytes);
  for (int64_t row = 0; row < spec.m; ++row) {
    uint8_t *bytes = rows + row * spec.lda;
    std::fill(bytes + depth, bytes + line, uint8_t(0));
    std::memcpy(bytes + line, &rowScale, sizeof(rowScale));
    std::memcpy(bytes + line + sizeof(rowScale), &rowOffset, sizeof(rowOffset));
    std::vector<double> sums(size_t(spec.width()));
    for (int64_t n = 0; n < spec.n; ++n) {
      int64_t sum = 0;
      for (int64_t k = 0; k < depth; ++k)
        sum += int64_t(bytes[k]) *
               weights[groupedPlace(n, k, spec.panel, spec.groups(), group)];
      sums[n] = double(columnScale) * rowScale * double(sum) +
                double(rowOffset) * at.scales->values[spec.width() + n];
    }
    finishRow(spec, at, sums, row);
  }
}

void vitc::measure::makeProblem(const families::Bf16GemmSpec &spec,
                                Problem &problem) {
  auto at = problem.add(spec);
  const int64_t depth = spec.k, group = families::bf16Group;
  auto *rows = elementsOf<uint16_t>(at.a),
       *weights = elementsOf<uint16_t>(at.w);
  const int64_t stored = spec.width() * spec.groups() * group;
  for (int64_t i = 0; i < stored; ++i)
    weights[i] =
        toBf16(fromBf16(weights[i]) * float(1.7 / std::sqrt(double(depth))));
  for (int64_t row = 0; row < spec.m; ++row) {
    uint16_t *values = rows + row * spec.lda;
    std::fill(values + depth, values + spec.rowValues(), uint16_t(0));
    std::vector<double> sums(size_t(spec.width()));
    for (int64_t n = 0; n < spec.n; ++n)
      for (int64_t k = 0; k < depth; ++k)
        sums[n] +=
            double(fromBf16(values[k])) *
            fromBf16(
                weights[groupedPlace(n, k, spec.panel, spec.groups(), group)]);
    finishRow(spec, at, sums, row);
  }
}

void vitc::measure::makeProblem(const families::PatchEmbedSpec &spec,
                                Problem &problem) {
  auto at = problem.add(spec);
  const int64_t channels = spec.channels, height = spec.height,
                width = spec.width, patchH = spec.patchH, patchW = spec.patchW,
                panel = spec.panel, ldc = spec.ldc, depth = spec.depth(),
                gridW = spec.gridW(), patches = spec.patches();
  scaleWeights(at.w, depth);
  for (int64_t b = 0; b < spec.batch; ++b)
    for (int64_t p = 0; p < patches; ++p) {
      std::vector<double> sums(size_t(spec.columns()));
      int64_t k = 0, top = p / gridW * patchH, left = p % gridW * patchW;
      for (int64_t c = 0; c < channels; ++c)
        for (int64_t y = 0; y < patchH; ++y)
          for (int64_t x = 0; x < patchW; ++x, ++k)
            addRow(at.image->values[((b * channels + c) * height + top + y) *
                                        width +
                                    left + x],
                   at.w->values.data(), spec.columns() / panel, depth, panel, k,
                   sums.data());
      for (int64_t j = 0; j < spec.n; ++j)
        at.out->expected[b * spec.batchStride + p * ldc + j] =
            sums[j] + (at.bias ? at.bias->values[j] : 0) +
            (at.position ? at.position->values[p * spec.ldp + j] : 0);
    }
}

/// The map's pixel under tap (ky, kx) of output (oy, ox); false outside it.
template <typename Spec>
static bool findPixel(const Spec &spec, int64_t oy, int64_t ox, int64_t ky,
                      int64_t kx, int64_t &y, int64_t &x) {
  y = oy * spec.strideH + ky - spec.padTop;
  x = ox * spec.strideW + kx - spec.padLeft;
  return y >= 0 && y < spec.height && x >= 0 && x < spec.width;
}

void vitc::measure::makeProblem(const families::ConvSpec &spec,
                                Problem &problem) {
  auto at = problem.add(spec);
  const int64_t channels = spec.channels, panel = spec.panel, ldx = spec.ldx,
                depth = spec.depth(), pixels = spec.height * spec.width;
  const bool planes = spec.layout == families::ConvLayout::Nchw;
  scaleWeights(at.w, depth);
  for (int64_t row = 0; row < spec.outputs(); ++row) {
    int64_t ox = row % spec.outW, oy = row / spec.outW % spec.outH,
            b = row / spec.outW / spec.outH;
    std::vector<double> sums(size_t(spec.columns()));
    for (int64_t ky = 0; ky < spec.kernelH; ++ky)
      for (int64_t kx = 0; kx < spec.kernelW; ++kx) {
        int64_t y, x;
        if (!findPixel(spec, oy, ox, ky, kx, y, x))
          continue;
        for (int64_t c = 0; c < channels; ++c) {
          int64_t place =
              planes ? ((b * channels + c) * pixels + y * spec.width + x)
                     : (b * pixels + y * spec.width + x) * ldx + c;
          int64_t k = planes ? (c * spec.kernelH + ky) * spec.kernelW + kx
                             : (ky * spec.kernelW + kx) * channels + c;
          addRow(at.x->values[place], at.w->values.data(),
                 spec.columns() / panel, depth, panel, k, sums.data());
        }
      }
    finishRow(spec, at, sums, row);
  }
}

void vitc::measure::makeProblem(const families::DepthwiseSpec &spec,
                                Problem &problem) {
  auto at = problem.add(spec);
  scale(*at.w, 0.5);
  const int64_t pixels = spec.height * spec.width;
  for (int64_t row = 0; row < spec.outputs(); ++row)
    for (int64_t c = 0; c < spec.channels; ++c) {
      int64_t ox = row % spec.outW, oy = row / spec.outW % spec.outH,
              b = row / spec.outW / spec.outH;
      double sum = at.bias ? at.bias->values[c] : 0;
      for (int64_t ky = 0; ky < spec.kernelH; ++ky)
        for (int64_t kx = 0; kx < spec.kernelW; ++kx) {
          int64_t y, x;
          if (findPixel(spec, oy, ox, ky, kx, y, x))
            sum +=
                double(
                    at.x->values[(b * pixels + y * spec.width + x) * spec.ldx +
                                 c]) *
                at.w->values[(ky * spec.kernelW + kx) * spec.ldw + c];
        }
      at.out->expected[row * spec.ldc + c] =
          families::evaluate(spec.activation, sum);
    }
}
