// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Confirmation.h"

#include "vitc/Records/Machine.h"
#include "vitc/Tune/Summary.h"

#include "llvm/ADT/STLExtras.h"

#include <limits>

using namespace vitc;
using namespace vitc::tune;

std::vector<const TrialRow *>
vitc::tune::finalists(const KernelRow &kernel, llvm::ArrayRef<TrialRow> trials,
                      llvm::StringRef baseline) {
  constexpr size_t perBackend = 2;
  double toBeat = std::numeric_limits<double>::infinity();
  std::vector<const TrialRow *> good, result;
  for (const TrialRow &trial : trials) {
    if (trial.kernel != kernel.id || !trial.isSearch() || !trial.isOk())
      continue;
    if (trial.schedule.empty() && trial.backend == baseline)
      toBeat = trial.score;
    else
      good.push_back(&trial);
  }
  llvm::stable_sort(good, [](const TrialRow *a, const TrialRow *b) {
    return a->score < b->score;
  });
  std::map<std::string, size_t> taken;
  for (const TrialRow *trial : good)
    if (trial->proposer == "record" ||
        (trial->score < toBeat && taken[trial->backend]++ < perBackend))
      result.push_back(trial);
  return result;
}

TrialRow vitc::tune::comparisonOf(const TrialRow &finalist,
                                  llvm::StringRef baseline) {
  TrialRow again;
  again.kind = TrialKind::Confirm;
  again.backend = finalist.backend;
  again.schedule = finalist.schedule;
  again.proposer = "confirm";
  again.result.baselineBackend = baseline.str();
  return again;
}

Verdict vitc::tune::judgeComparisons(const SessionRow &session,
                                     llvm::ArrayRef<KernelRow> kernels,
                                     llvm::ArrayRef<TrialRow> trials,
                                     llvm::StringRef baseline, double peak,
                                     double now) {
  // By kernel and backend; null where nothing beat the default.
  std::map<std::pair<int64_t, std::string>, const TrialRow *> winners;
  for (const TrialRow &trial : trials) {
    if (trial.isSearch() || !trial.isDone())
      continue;
    const TrialRow *&winner = winners[{trial.kernel, trial.backend}];
    if (!isWorthKeeping(trial.result))
      continue;
    auto ratio = [](const TrialRow &row) {
      return row.result.seconds / row.result.baselineSeconds;
    };
    if (!winner || ratio(trial) < ratio(*winner))
      winner = &trial;
  }
  Verdict verdict;
  for (const KernelRow &kernel : kernels)
    for (const auto &[place, trial] : winners) {
      if (place.first != kernel.id)
        continue;
      Record record;
      record.family = kernel.family;
      record.target = kernel.target;
      record.spec = kernel.spec;
      record.cpu = session.cpu;
      record.backend = place.second;
      record.baseline.backend = baseline.str();
      if (!trial) {
        verdict.lost.push_back(std::move(record));
        continue;
      }
      const Measurement &result = trial->result;
      record.machine = session.machine;
      record.backendVersion = result.backendVersion;
      record.vitcVersion = VITC_VERSION;
      record.schedule = result.schedule;
      record.code = result.code;
      record.baseline.backendVersion = result.baselineBackendVersion;
      record.baseline.schedule = result.baselineSchedule;
      record.baseline.code = result.baselineCode;
      record.baseline.seconds = result.baselineSeconds;
      record.threads = session.threads;
      record.seconds = result.seconds;
      record.share = peak > 0 ? kernel.flops / record.seconds / peak : 0;
      record.date = timestamp(now);
      record.command = session.command;
      verdict.kept.push_back(std::move(record));
    }
  return verdict;
}
