// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Comparison of a compiled library with the reference interpreter.
#ifndef VITC_TOOLS_LIBRARY_VERIFY_H
#define VITC_TOOLS_LIBRARY_VERIFY_H

#include "Difference.h"

#include "vitc/Driver/Compile.h"

namespace vitc::tool {

struct VerifyOptions {
  std::string folder; ///< that `vitc compile` wrote
  std::string model;  ///< empty: the manifest's, for random weights
  std::string configPath;
  unsigned threads = 0;
  bool json = false, quiet = false;
};

/// The error of an output that is allowed against the interpreter of the
/// program that was compiled: that of the model in float32, or of the one whose
/// layers have fewer bits. There a number near the middle between two steps may
/// fall to either side, and a layer behind it sees a whole step: the bound is
/// that of the root mean square, of the size of what the bits cost themselves.
Bound verifyBound(llvm::StringRef precision);

/// Runs both on the same noise, prints the comparison, and fails with a user
/// error if an output is further off than `verifyBound`; the report then names
/// the first layer that is. In other precisions than f32 it also tells what
/// the fewer bits cost: the distance to the model as it was published.
llvm::Error verifyAndReport(const VerifyOptions &options,
                            const Installation &installation);

} // namespace vitc::tool

#endif // VITC_TOOLS_LIBRARY_VERIFY_H
