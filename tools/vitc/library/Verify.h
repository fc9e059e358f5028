// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Comparison of a compiled library with the reference interpreter.
#ifndef VITC_TOOLS_LIBRARY_VERIFY_H
#define VITC_TOOLS_LIBRARY_VERIFY_H

#include "vitc/Driver/Compile.h"

namespace vitc::tool {

struct VerifyOptions {
  std::string folder; ///< that `vitc compile` wrote
  std::string model;  ///< empty: the manifest's, for random weights
  std::string configPath;
  unsigned threads = 0;
  bool json = false, quiet = false;
};

/// Largest error of an output, in units of the spread of its values.
constexpr double verifyBound = 1e-4;

/// Runs both on the same noise, prints the comparison, and fails with a user
/// error if an output is further off than `verifyBound`; the report then names
/// the first layer that is.
llvm::Error verifyAndReport(const VerifyOptions &options,
                            const Installation &installation);

} // namespace vitc::tool

#endif // VITC_TOOLS_LIBRARY_VERIFY_H
