// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// A tuning session: proposes schedules for every kernel of a model, has them
/// measured here or by workers, and keeps what beats the defaults.
#ifndef VITC_TUNE_SESSION_H
#define VITC_TUNE_SESSION_H

#include "vitc/Driver/Compile.h"
#include "vitc/Tune/Search.h"
#include "vitc/Tune/Summary.h"

#include <functional>

namespace vitc::tune {

struct TuneOptions {
  CompileOptions model;             ///< which model, for which target
  std::vector<std::string> kernels; ///< parts of names; all kernels if empty
  std::optional<int64_t> trials;
  std::optional<double> minutes;
  bool resume = false;
  bool ignoreRecords = false;
  bool startRandom = false; ///< as if there were no default to start from
  Strategy strategy = Strategy::Evolution;
  uint64_t seed = 1;
  int64_t threads = 1;
  bool measuresHere = true; ///< otherwise workers do all of it
  double leaseSeconds = 120;
  std::string command; ///< as the user gave it
  std::string cpu;     ///< to tune for; this machine's if empty
};

/// What a display shows while a session runs.
struct SessionState {
  std::string stage = "starting"; ///< then "searching", "comparing …"
  unsigned done = 0, measured = 0;
  std::optional<int64_t> wanted; ///< trials
  double seconds = 0;
  std::optional<double> secondsWanted;
  std::array<unsigned, outcomeCount> outcomes = {};
  double startSeconds = 0, bestSeconds = 0; ///< of a run's tuned kernels
  double share = 0;                         ///< of the peak, with the best
  unsigned lost = 0;                        ///< by workers, and tried again
};

using Observer = std::function<void(const SessionState &state)>;

/// Runs a session to its end, or resumes one. Returns its number; `spaces` are
/// those of its kernels, for the summary.
llvm::Expected<int64_t>
runSession(const TuneOptions &options, const Installation &installation,
           Store &store, const Observer &observer,
           std::map<int64_t, std::vector<Space>> &spaces);

/// Measures what sessions elsewhere have queued, until there is nothing for
/// `idleSeconds` (for ever if 0).
llvm::Error runWorker(const Installation &installation, Store &store,
                      double leaseSeconds, double idleSeconds,
                      const std::function<void(unsigned done)> &observer);

} // namespace vitc::tune

#endif // VITC_TUNE_SESSION_H
