// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Statistics.h"

#include <algorithm>

using namespace vitc::tune;

double vitc::tune::peakOf(llvm::ArrayRef<TrialRow> trials) {
  double peak = 0;
  for (const TrialRow &trial : trials)
    if (trial.isDone())
      peak = std::max(peak, trial.result.peak);
  return peak;
}

void vitc::tune::updateState(SessionState &state,
                             llvm::ArrayRef<KernelRow> kernels,
                             llvm::ArrayRef<TrialRow> trials) {
  state.done = state.measured = 0;
  state.outcomes = {};
  std::map<int64_t, double> first, best;
  for (const TrialRow &trial : trials) {
    if (!trial.isDone() || !trial.isSearch())
      continue;
    ++state.done;
    ++state.outcomes[size_t(trial.result.outcome)];
    if (!trial.isOk())
      continue;
    ++state.measured;
    first.try_emplace(trial.kernel, trial.score);
    double &known = best.try_emplace(trial.kernel, trial.score).first->second;
    known = std::min(known, trial.score);
  }
  state.startSeconds = state.bestSeconds = state.share = 0;
  double flops = 0;
  for (const KernelRow &kernel : kernels) {
    if (!best.count(kernel.id)) {
      state.startSeconds = state.bestSeconds = 0;
      return;
    }
    state.startSeconds += first[kernel.id] * double(kernel.calls);
    state.bestSeconds += best[kernel.id] * double(kernel.calls);
    flops += kernel.flops * double(kernel.calls);
  }
  double peak = peakOf(trials);
  if (peak > 0 && state.bestSeconds > 0)
    state.share = flops / state.bestSeconds / peak;
}
