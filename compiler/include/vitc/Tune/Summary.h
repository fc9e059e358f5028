// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What a session has found, in figures: the one source of `vitc tune --json`,
/// of its text and of the report.
#ifndef VITC_TUNE_SUMMARY_H
#define VITC_TUNE_SUMMARY_H

#include "vitc/Tune/Space.h"

#include <array>

namespace vitc::tune {

struct Importance {
  std::string parameter, meaning;
  double share;
};

struct KernelSummary {
  KernelRow kernel;
  std::array<unsigned, outcomeCount> outcomes = {};
  unsigned trials = 0;
  /// Of one call, timed in turn; 0 while unknown.
  double defaultSeconds = 0, bestSeconds = 0;
  double shareBefore = 0, shareAfter = 0; ///< of the peak
  double noise = 0;                       ///< of the best one's timing
  std::string backend;                    ///< of the best schedule
  llvm::json::Object defaultSchedule, bestSchedule;
  bool kept = false; ///< as a record: it was compared with the default, and won
  std::vector<Importance> importance; ///< of the parameters, largest first

  double speedup() const {
    return bestSeconds > 0 ? defaultSeconds / bestSeconds : 0;
  }
  /// "tile_m 11 → 8, prefetch 1 → 2"; "the default" where nothing changed.
  std::string words() const;
};

struct Summary {
  SessionRow session;
  std::vector<KernelSummary> kernels; ///< most of the model's time first
  std::vector<std::pair<std::string, std::string>>
      notTuned; ///< kernel and reason
  std::array<unsigned, outcomeCount> outcomes = {};
  unsigned trials = 0, measured = 0; ///< finished ones; those with a time
  /// Of all tuned kernels of a run, by their default and best schedules.
  double defaultSeconds = 0, bestSeconds = 0;
  double shareBefore = 0, shareAfter = 0;
  double peak = 0; ///< the best multiply-add rate seen, in FLOP/s
  struct Point {
    double seconds; ///< since the session's first result
    unsigned trials;
    double modelSeconds; ///< all tuned kernels, each with its best so far
  };
  std::vector<Point> progress;

  double speedup() const {
    return bestSeconds > 0 ? defaultSeconds / bestSeconds : 0;
  }
  llvm::json::Object toJson() const;
};

/// From what the store has. With `spaces`, also the parameters' importance:
/// kernel id to spaces.
llvm::Expected<Summary>
summarize(Store &store, int64_t session,
          const std::map<int64_t, std::vector<Space>> &spaces = {});

/// Whether a schedule is so much faster than the default, in a comparison of
/// the two, that it is kept as a record.
bool isWorthKeeping(const Measurement &comparison);

/// The parameters by how much they matter, as a cost model sees it that has
/// learnt from `trials`.
std::vector<Importance> judgeImportance(const KernelRow &kernel,
                                        llvm::ArrayRef<Space> spaces,
                                        llvm::ArrayRef<const TrialRow *> trials,
                                        int64_t threads);

/// The standalone page.
std::string renderReport(const Summary &summary);

} // namespace vitc::tune

#endif // VITC_TUNE_SUMMARY_H
