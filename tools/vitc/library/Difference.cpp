// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Difference.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

using namespace vitc::tool;

/// Where the largest value of a row is.
static size_t largestOf(llvm::ArrayRef<double> row) {
  return std::max_element(row.begin(), row.end()) - row.begin();
}

Difference vitc::tool::compare(llvm::ArrayRef<float> got,
                               llvm::ArrayRef<double> want, size_t columns,
                               Bound bound) {
  Difference difference;
  difference.bound = bound;
  double sum = 0, count = double(want.size());
  double errors = 0, products = 0, gotSquares = 0, wantSquares = 0;
  for (auto [a, b] : llvm::zip(got, want)) {
    sum += b;
    double error = std::abs(a - b);
    bool bothNan = std::isnan(a) && std::isnan(b);
    if (std::isnan(error) && a != b && !bothNan)
      error = std::numeric_limits<double>::infinity();
    errors += error * error;
    products += a * b;
    gotSquares += double(a) * a;
    wantSquares += b * b;
    if (error > difference.maxError)
      difference.maxError = error;
    if (std::abs(b) > difference.largest)
      difference.largest = std::abs(b);
  }
  double mean = sum / count, squares = 0;
  for (double b : want)
    squares += (b - mean) * (b - mean);
  difference.spread = std::sqrt(squares / count);
  difference.rmsError = std::sqrt(errors / count);
  if (double sizes = std::sqrt(gotSquares * wantSquares); sizes > 0)
    difference.cosine = products / sizes;
  std::vector<double> gotRow(columns);
  size_t same = 0, rows = want.size() / columns;
  for (size_t row = 0; row < rows; ++row) {
    llvm::copy(got.slice(row * columns, columns), gotRow.begin());
    same += largestOf(gotRow) == largestOf(want.slice(row * columns, columns));
  }
  difference.agreement = double(same) / double(rows);
  return difference;
}
