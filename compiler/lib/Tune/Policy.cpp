// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Policy.h"

#include "llvm/Support/Threading.h"

#include <algorithm>

using namespace vitc::tune;

/// Time that a kernel takes in a run, less the more it was tried already: the
/// gains of a search fall off.
static double priority(const TunedKernel &target,
                       llvm::ArrayRef<TrialRow> trials) {
  double best = 0;
  unsigned tried = 0, open = 0;
  for (const TrialRow &trial : trials) {
    if (trial.kernel != target.kernel->id || !trial.isSearch())
      continue;
    ++tried;
    open += trial.isOpen();
    if (trial.isOk())
      best = best > 0 ? std::min(best, trial.score) : trial.score;
  }
  // Unknown is urgent, unless it keeps failing; but the first result decides
  // what the next trials are compared with, and is waited for.
  if (best == 0)
    return open > 0 ? 0 : 1.0 / (1 + tried);
  constexpr double patience = 12;
  return best * double(target.kernel->calls) / (1 + tried / patience);
}

TunedKernel *
vitc::tune::mostPromising(llvm::MutableArrayRef<TunedKernel> targets,
                          llvm::ArrayRef<TrialRow> trials) {
  TunedKernel *best = nullptr;
  double most = 0;
  for (TunedKernel &target : targets) {
    double worth = target.isUsedUp ? 0 : priority(target, trials);
    if (worth > most) {
      best = &target;
      most = worth;
    }
  }
  return best;
}

/// Enough that no core waits for long, few enough that the search learns. The
/// last ones end in time.
unsigned vitc::tune::batchSize(double secondsLeft) {
  unsigned cores =
      llvm::heavyweight_hardware_concurrency().compute_thread_count();
  constexpr double nearTheEnd = 12;
  return secondsLeft < nearTheEnd ? cores : std::max(8u, 4 * cores);
}

double vitc::tune::comparisonSeconds(size_t comparisons) {
  constexpr double perComparison = 2.25, reserve = 3;
  return perComparison * double(comparisons) + reserve;
}
