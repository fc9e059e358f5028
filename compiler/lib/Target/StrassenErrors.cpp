// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Target/StrassenErrors.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <vector>

using namespace vitc;

/// Pairs of rows and of columns that are sampled: few, because every layer of a
/// large model is.
static constexpr int64_t rowPairs = 4, columnPairs = 16;
/// One value in so many is an outlier, so many times as large.
static constexpr int64_t outlierEvery = 97;
static constexpr float outlierFactor = 100;

namespace {

/// The four quarters' lines that two rows and two columns meet in.
struct StrassenBlock {
  const float *a1, *a2; ///< rows of the upper and the lower half, 2 * half long
  const float *b1, *b2; ///< columns of the left and the right half
  int64_t half;
};

/// Outputs in the order upper left, upper right, lower left, lower right.
using Outputs = std::array<double, 4>;

} // namespace

template <typename T>
static T dot(const float *a, const float *b, int64_t depth) {
  T sum = 0;
  for (int64_t k = 0; k < depth; ++k)
    sum += T(a[k]) * T(b[k]);
  return sum;
}

template <typename T>
static Outputs plainOutputs(const StrassenBlock &block) {
  auto [a1, a2, b1, b2, half] = block;
  return {dot<T>(a1, b1, 2 * half), dot<T>(a1, b2, 2 * half),
          dot<T>(a2, b1, 2 * half), dot<T>(a2, b2, 2 * half)};
}

/// As Strassen's kernels do: combinations of the weights are rounded once,
/// those of the left operand are made in float, seven sums are combined at the
/// end.
static Outputs strassenOutputs(const StrassenBlock &block) {
  auto [a1, a2, b1, b2, half] = block;
  const float *a11 = a1, *a12 = a1 + half, *a21 = a2, *a22 = a2 + half;
  const float *b11 = b1, *b21 = b1 + half, *b12 = b2, *b22 = b2 + half;
  float m[7] = {};
  for (int64_t k = 0; k < half; ++k) {
    m[0] += (a11[k] + a22[k]) * (b11[k] + b22[k]);
    m[1] += (a21[k] + a22[k]) * b11[k];
    m[2] += a11[k] * (b12[k] - b22[k]);
    m[3] += a22[k] * (b21[k] - b11[k]);
    m[4] += (a11[k] + a12[k]) * b22[k];
    m[5] += (a21[k] - a11[k]) * (b11[k] + b12[k]);
    m[6] += (a12[k] - a22[k]) * (b21[k] + b22[k]);
  }
  return {m[0] + m[3] - m[4] + m[6], m[2] + m[4], m[1] + m[3],
          m[0] - m[1] + m[2] + m[5]};
}

static void keepLarger(StrassenErrors::Pair &kept,
                       const StrassenErrors::Pair &found) {
  kept.plain = std::max(kept.plain, found.plain);
  kept.strassen = std::max(kept.strassen, found.strassen);
}

/// The largest errors of every row with every column. A row is measured by its
/// own outputs, each half by itself: those beside it may be far larger, and
/// what they lose must not hide what it does.
static StrassenErrors::Pair compare(llvm::ArrayRef<float> rows,
                                    llvm::ArrayRef<float> left,
                                    llvm::ArrayRef<float> right,
                                    int64_t depth) {
  StrassenErrors::Pair largest;
  double columns = double(left.size()) / depth;
  for (int64_t row = 0; row < rowPairs; ++row) {
    Outputs sum = {}, squares = {}, plainError = {}, strassenError = {};
    for (size_t column = 0; column < left.size(); column += depth) {
      StrassenBlock block = {
          rows.data() + 2 * row * depth, rows.data() + (2 * row + 1) * depth,
          left.data() + column, right.data() + column, depth / 2};
      Outputs exact = plainOutputs<double>(block),
              plain = plainOutputs<float>(block),
              strassen = strassenOutputs(block);
      for (size_t i = 0; i < exact.size(); ++i) {
        sum[i] += exact[i];
        squares[i] += exact[i] * exact[i];
        plainError[i] = std::max(plainError[i], std::abs(plain[i] - exact[i]));
        strassenError[i] =
            std::max(strassenError[i], std::abs(strassen[i] - exact[i]));
      }
    }
    for (size_t i = 0; i < sum.size(); ++i) {
      double mean = sum[i] / columns,
             spread = std::sqrt(squares[i] / columns - mean * mean);
      if (spread > 0)
        keepLarger(largest,
                   {plainError[i] / spread, strassenError[i] / spread});
    }
  }
  return largest;
}

void StrassenErrors::sample(llvm::ArrayRef<float> left,
                            llvm::ArrayRef<float> right, int64_t depth) {
  size_t taken = std::min<size_t>(left.size(), columnPairs * depth);
  std::vector<float> columns[] = {left.take_front(taken).vec(),
                                  right.take_front(taken).vec()};
  std::vector<float> rows(2 * rowPairs * depth);
  // Its numbers are the same everywhere, and so is the report.
  std::minstd_rand random(1);
  for (float &value : rows) {
    float uniforms = 0; // four of them make a bell of deviation 1
    for (int i = 0; i < 4; ++i)
      uniforms += float(random()) / float(std::minstd_rand::max()) - 0.5f;
    value = uniforms * std::sqrt(3.0f);
  }
  keepLarger(usual, compare(rows, columns[0], columns[1], depth));
  // In every lower row and every right column, so that some outputs have none
  // of them, and share their sums with outputs that do.
  for (size_t row = 1; row < 2 * rowPairs; row += 2)
    for (int64_t k = 0; k < depth; k += outlierEvery)
      rows[row * depth + k] *= outlierFactor;
  for (size_t i = 0; i < columns[1].size(); i += outlierEvery)
    columns[1][i] *= outlierFactor;
  keepLarger(outliers, compare(rows, columns[0], columns[1], depth));
}
