// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// How a session spends its time: which kernel is next, and how many trials.
#ifndef VITC_LIB_TUNE_POLICY_H
#define VITC_LIB_TUNE_POLICY_H

#include "Plan.h"

namespace vitc::tune {

/// The kernel that gets the next trials; null if all are used up, or wait for
/// their first result.
TunedKernel *mostPromising(llvm::MutableArrayRef<TunedKernel> targets,
                           llvm::ArrayRef<TrialRow> trials);

/// Trials that are compiled together, on all cores.
unsigned batchSize(double secondsLeft);

/// The part of a session's time that comparing the winners with the defaults
/// takes.
double comparisonSeconds(size_t comparisons);

} // namespace vitc::tune

#endif // VITC_LIB_TUNE_POLICY_H
