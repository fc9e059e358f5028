// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// How far an output is from what it should be.
#ifndef VITC_TOOLS_LIBRARY_DIFFERENCE_H
#define VITC_TOOLS_LIBRARY_DIFFERENCE_H

#include "llvm/ADT/ArrayRef.h"

namespace vitc::tool {

/// The error that is allowed, in units of the spread.
struct Bound {
  double value = 0;
  /// Of the root mean square instead of the largest error: where numbers have
  /// few bits, one that lies between two steps may fall to either side.
  bool isMean = false;
};

/// How far a result is from the reference.
struct Difference {
  double maxError = 0; ///< infinite where only one of the two is finite
  double spread = 0;   ///< standard deviation of the reference
  double largest = 0;  ///< absolute value in the reference
  /// The error in units of the spread; the error itself if all values of the
  /// reference are equal.
  double relative() const { return spread > 0 ? maxError / spread : maxError; }
  Bound bound;
  double rmsError = 0;  ///< root of the mean square
  double cosine = 1;    ///< of the angle between the two
  double agreement = 1; ///< share of the rows whose largest value is the same
  double rmsBySpread() const {
    return spread > 0 ? rmsError / spread : rmsError;
  }
  /// Values that hardly differ from each other have no spread to speak of; a
  /// few units in the last place of the largest are rounding, not a mistake.
  bool passes() const {
    constexpr double roundingOfFloats = 1e-6;
    return (bound.isMean ? rmsBySpread() : relative()) <= bound.value ||
           maxError <= roundingOfFloats * largest;
  }
};

/// Compares rows of `columns` values.
Difference compare(llvm::ArrayRef<float> got, llvm::ArrayRef<double> want,
                   size_t columns, Bound bound);

} // namespace vitc::tool

#endif // VITC_TOOLS_LIBRARY_DIFFERENCE_H
