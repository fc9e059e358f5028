// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What one level of Strassen's algorithm costs in precision, told when a model
/// is compiled: a sample of each layer's outputs, computed as the plain and as
/// Strassen's kernels compute them, beside double precision.
#ifndef VITC_TARGET_STRASSENERRORS_H
#define VITC_TARGET_STRASSENERRORS_H

#include "llvm/ADT/ArrayRef.h"

namespace vitc {

/// The largest errors that were met, in units of the standard deviation of the
/// same row's outputs.
struct StrassenErrors {
  struct Pair {
    double plain = 0, strassen = 0;
  };
  Pair usual;    ///< the layer's weights, activations from a bell curve
  Pair outliers; ///< some of both a hundred times as large, in some rows and
                 ///< columns

  /// Takes in a layer's outputs. `left` and `right` have as many columns of the
  /// weights each, `depth` values a column: output j of the left half of the
  /// outputs, and output j of the right half.
  void sample(llvm::ArrayRef<float> left, llvm::ArrayRef<float> right,
              int64_t depth);
};

} // namespace vitc

#endif // VITC_TARGET_STRASSENERRORS_H
