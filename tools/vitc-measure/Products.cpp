// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// gemm, patch_embed, conv and depthwise.
#include "Problem.h"

#include <cmath>

using namespace vitc::measure;

/// Weights packed [⌈n/panel⌉][depth][panel], scaled so that sums stay near 1.
static size_t packedWeights(Problem &problem, int64_t n, int64_t depth,
                            int64_t panel) {
  return problem.weights(size_t(roundUp(n, panel) * depth),
                         float(1.7 / std::sqrt(double(depth))));
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
static void finishRow(Problem &problem, const Spec &spec,
                      const std::vector<double> &sums, int bias, int residual,
                      int64_t row, size_t out) {
  std::string function = spec.word("activation");
  for (int64_t n = 0, cols = spec["n"]; n < cols; ++n) {
    double value = sums[n] + (bias >= 0 ? problem.at(bias)[n] : 0);
    value = activate(function, value);
    if (residual >= 0)
      value += problem.at(residual)[row * spec["ldr"] + n];
    problem.arguments[out].expected[row * spec["ldc"] + n] = value;
  }
}

/// Left operands of a fast product that are combinations of quarters.
constexpr int64_t combinedLefts = 5;

/// The seven combinations of quarters that a fast product reads in the place of
/// its weights `b[k][n]`, packed [n/2/panel][7][k/2][panel].
static std::vector<float> combineQuarters(const std::vector<float> &b,
                                          int64_t n, int64_t depth,
                                          int64_t panel) {
  constexpr int products = 7;
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

/// What a paired product needs of its packed weights: for each column the sum
/// of its own pairs, each 32 of them added and the next 32 subtracted, and in a
/// line of its own a column's mean size.
static std::vector<float> sumPairs(const std::vector<float> &packed, int64_t n,
                                   int64_t depth, int64_t panel) {
  constexpr int64_t tripleSteps = 3, blockTriples = 32, lineFloats = 16;
  const int64_t columns = roundUp(n, panel),
                triples =
                    depth / (2 * blockTriples * tripleSteps) * 2 * blockTriples;
  std::vector<float> sums(size_t(columns + lineFloats));
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

void vitc::measure::makeGemm(const Spec &spec, Problem &problem) {
  const int64_t m = spec["m"], n = spec["n"], depth = spec["k"],
                panel = spec["panel"], lda = spec["lda"];
  const bool fast = spec.flag("fast");
  const int64_t half = depth / 2, halfStride = spec.has("half_stride")
                                                   ? spec["half_stride"]
                                                   : half;
  size_t a = problem.input(size_t(m * lda));
  size_t w = packedWeights(problem, n, depth, panel);
  std::vector<float> plain = problem.arguments[w].values;
  int64_t panels = roundUp(n, panel) / panel, width = panel;
  if (fast) {
    // The reference sees the weights as one panel of n columns.
    problem.arguments[w].values = combineQuarters(plain, n, depth, panel);
    problem.arguments[w].floats = problem.arguments[w].values.size();
    panels = 1;
    width = n;
  }
  int bias =
      spec.flag("bias") ? int(problem.weights(size_t(roundUp(n, panel)))) : -1;
  if (spec.flag("pairs")) {
    std::vector<float> sums = sumPairs(plain, n, depth, panel);
    problem.arguments[problem.weights(sums.size())].values = std::move(sums);
  }
  int residual =
      spec.flag("residual") ? int(problem.input(size_t(m * spec["ldr"]))) : -1;
  if (spec.flag("pairs"))
    problem.scratch(size_t(m * spec["lds"]));
  if (fast)
    problem.scratch(size_t(combinedLefts * ((m + 1) / 2) * (depth / 2)));
  size_t out = problem.output(size_t(m * spec["ldc"]));
  for (int64_t row = 0; row < m; ++row) {
    std::vector<double> sums(size_t(panels * width));
    for (int64_t k = 0; k < depth; ++k)
      addRow(problem.at(a)[row * lda + (k < half ? k : halfStride + k - half)],
             plain.data(), panels, depth, width, k, sums.data());
    finishRow(problem, spec, sums, bias, residual, row, out);
  }
}

void vitc::measure::makePatchEmbed(const Spec &spec, Problem &problem) {
  const int64_t batch = spec["batch"], channels = spec["channels"],
                height = spec["height"], width = spec["width"],
                patchH = spec["patch_h"], patchW = spec["patch_w"],
                n = spec["n"], panel = spec["panel"], ldc = spec["ldc"];
  const int64_t depth = channels * patchH * patchW, gridW = width / patchW,
                patches = height / patchH * gridW;
  size_t image = problem.input(size_t(batch * channels * height * width));
  size_t w = packedWeights(problem, n, depth, panel);
  int bias =
      spec.flag("bias") ? int(problem.weights(size_t(roundUp(n, panel)))) : -1;
  int position = spec.flag("position")
                     ? int(problem.weights(size_t(patches * spec["ldp"])))
                     : -1;
  // The last image may end with its last row.
  size_t out = problem.output(
      size_t((batch - 1) * spec["batch_stride"] + patches * ldc));
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t p = 0; p < patches; ++p) {
      std::vector<double> sums(size_t(roundUp(n, panel)));
      int64_t k = 0, top = p / gridW * patchH, left = p % gridW * patchW;
      for (int64_t c = 0; c < channels; ++c)
        for (int64_t y = 0; y < patchH; ++y)
          for (int64_t x = 0; x < patchW; ++x, ++k)
            addRow(problem.at(
                       image)[((b * channels + c) * height + top + y) * width +
                              left + x],
                   problem.at(w), roundUp(n, panel) / panel, depth, panel, k,
                   sums.data());
      for (int64_t j = 0; j < n; ++j)
        problem.arguments[out]
            .expected[b * spec["batch_stride"] + p * ldc + j] =
            sums[j] + (bias >= 0 ? problem.at(bias)[j] : 0) +
            (position >= 0 ? problem.at(position)[p * spec["ldp"] + j] : 0);
    }
}

namespace {

/// The windows of a convolution, and whether any reaches beyond the map.
struct Windows {
  explicit Windows(const Spec &spec)
      : height(spec["height"]), width(spec["width"]), kernelH(spec["kernel_h"]),
        kernelW(spec["kernel_w"]), strideH(spec["stride_h"]),
        strideW(spec["stride_w"]), padTop(spec["pad_top"]),
        padLeft(spec["pad_left"]), outH(spec["out_h"]), outW(spec["out_w"]),
        spanH((outH - 1) * strideH + kernelH),
        spanW((outW - 1) * strideW + kernelW) {}

  bool needScratch() const {
    return padTop > 0 || padLeft > 0 || spanH > height || spanW > width;
  }
  /// The map's pixel under tap (ky, kx) of output (oy, ox); false outside it.
  bool pixel(int64_t oy, int64_t ox, int64_t ky, int64_t kx, int64_t &y,
             int64_t &x) const {
    y = oy * strideH + ky - padTop;
    x = ox * strideW + kx - padLeft;
    return y >= 0 && y < height && x >= 0 && x < width;
  }

  int64_t height, width, kernelH, kernelW, strideH, strideW, padTop, padLeft,
      outH, outW, spanH, spanW;
};

} // namespace

void vitc::measure::makeConv(const Spec &spec, Problem &problem) {
  const Windows windows(spec);
  const int64_t batch = spec["batch"], channels = spec["channels"],
                n = spec["n"], panel = spec["panel"], ldx = spec["ldx"];
  const bool planes = spec.word("layout") == "nchw";
  const int64_t depth = channels * windows.kernelH * windows.kernelW;
  const int64_t pixels = windows.height * windows.width,
                rows = batch * windows.outH * windows.outW;
  size_t map =
      problem.input(size_t(batch * pixels * (planes ? channels : ldx)));
  size_t w = packedWeights(problem, n, depth, panel);
  int bias =
      spec.flag("bias") ? int(problem.weights(size_t(roundUp(n, panel)))) : -1;
  int residual = spec.flag("residual")
                     ? int(problem.input(size_t(rows * spec["ldr"])))
                     : -1;
  if (windows.needScratch())
    problem.scratch(size_t(batch * windows.spanH * windows.spanW * channels));
  size_t out = problem.output(size_t(rows * spec["ldc"]));
  for (int64_t row = 0; row < rows; ++row) {
    int64_t ox = row % windows.outW, oy = row / windows.outW % windows.outH,
            b = row / windows.outW / windows.outH;
    std::vector<double> sums(size_t(roundUp(n, panel)));
    for (int64_t ky = 0; ky < windows.kernelH; ++ky)
      for (int64_t kx = 0; kx < windows.kernelW; ++kx) {
        int64_t y, x;
        if (!windows.pixel(oy, ox, ky, kx, y, x))
          continue;
        for (int64_t c = 0; c < channels; ++c) {
          int64_t place =
              planes ? ((b * channels + c) * pixels + y * windows.width + x)
                     : (b * pixels + y * windows.width + x) * ldx + c;
          int64_t k = planes ? (c * windows.kernelH + ky) * windows.kernelW + kx
                             : (ky * windows.kernelW + kx) * channels + c;
          addRow(problem.at(map)[place], problem.at(w),
                 roundUp(n, panel) / panel, depth, panel, k, sums.data());
        }
      }
    finishRow(problem, spec, sums, bias, residual, row, out);
  }
}

void vitc::measure::makeDepthwise(const Spec &spec, Problem &problem) {
  const Windows windows(spec);
  const int64_t batch = spec["batch"], channels = spec["channels"],
                ldx = spec["ldx"], ldw = spec["ldw"], ldc = spec["ldc"];
  const int64_t pixels = windows.height * windows.width,
                rows = batch * windows.outH * windows.outW;
  constexpr int64_t padding = 16;
  size_t map = problem.input(size_t(batch * pixels * ldx));
  size_t w =
      problem.weights(size_t(windows.kernelH * windows.kernelW * ldw), 0.5f);
  int bias = spec.flag("bias")
                 ? int(problem.weights(size_t(roundUp(channels, padding))))
                 : -1;
  if (windows.needScratch())
    problem.scratch(size_t(batch * windows.spanH * windows.spanW *
                           roundUp(channels, padding)));
  size_t out = problem.output(size_t(rows * ldc));
  std::string function = spec.word("activation");
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t c = 0; c < channels; ++c) {
      int64_t ox = row % windows.outW, oy = row / windows.outW % windows.outH,
              b = row / windows.outW / windows.outH;
      double sum = bias >= 0 ? problem.at(bias)[c] : 0;
      for (int64_t ky = 0; ky < windows.kernelH; ++ky)
        for (int64_t kx = 0; kx < windows.kernelW; ++kx) {
          int64_t y, x;
          if (windows.pixel(oy, ox, ky, kx, y, x))
            sum += double(problem.at(
                       map)[(b * pixels + y * windows.width + x) * ldx + c]) *
                   problem.at(w)[(ky * windows.kernelW + kx) * ldw + c];
        }
      problem.arguments[out].expected[row * ldc + c] = activate(function, sum);
    }
}
