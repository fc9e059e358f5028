// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The end of a session: what the search found is compared with the defaults,
/// and what beats them is kept.
#ifndef VITC_LIB_TUNE_CONFIRMATION_H
#define VITC_LIB_TUNE_CONFIRMATION_H

#include "vitc/Records/Records.h"
#include "vitc/Tune/Rows.h"

namespace vitc::tune {

/// The best few schedules of a kernel that may beat the default, and what a
/// record says does. Where the search has timed the default, and nothing beat
/// it, there are none. `baseline` is the backend whose default is used where
/// there is no record.
std::vector<const TrialRow *> finalists(const KernelRow &kernel,
                                        llvm::ArrayRef<TrialRow> trials,
                                        llvm::StringRef baseline);

/// The trial that compares one of them with the default.
TrialRow comparisonOf(const TrialRow &finalist, llvm::StringRef baseline);

/// What comparisons say about records.
struct Verdict {
  std::vector<Record> kept;
  std::vector<Record> lost; ///< of what was compared, and is not faster
};

/// A record for each backend's best schedule that beat the default. `peak` is
/// the machine's, `now` the database's time.
Verdict judgeComparisons(const SessionRow &session,
                         llvm::ArrayRef<KernelRow> kernels,
                         llvm::ArrayRef<TrialRow> trials,
                         llvm::StringRef baseline, double peak, double now);

} // namespace vitc::tune

#endif // VITC_LIB_TUNE_CONFIRMATION_H
