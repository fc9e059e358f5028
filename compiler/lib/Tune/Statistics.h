// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The figures that a display shows while a session runs.
#ifndef VITC_LIB_TUNE_STATISTICS_H
#define VITC_LIB_TUNE_STATISTICS_H

#include "vitc/Tune/Session.h"

namespace vitc::tune {

/// The best multiply-add rate that was seen during trials, in FLOP/s.
double peakOf(llvm::ArrayRef<TrialRow> trials);

/// Counts the trials and adds up the kernels' times, before and now.
void updateState(SessionState &state, llvm::ArrayRef<KernelRow> kernels,
                 llvm::ArrayRef<TrialRow> trials);

} // namespace vitc::tune

#endif // VITC_LIB_TUNE_STATISTICS_H
