// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The rows of a tuning database: sessions, their kernels, and the trials of
/// each kernel.
#ifndef VITC_TUNE_ROWS_H
#define VITC_TUNE_ROWS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"

#include <cstdint>
#include <string>

namespace vitc::tune {

/// One run of `vitc tune`, resumed ones included.
struct SessionRow {
  int64_t id = 0;
  std::string model, target, cpu, machine, command;
  llvm::json::Object options; ///< those that a resumed session must keep
  int64_t threads = 1;
  bool finished = false;
  bool exhausted = false; ///< every schedule of every kernel has been tried
  double created = 0;     ///< seconds since 1970, by the database's clock
  double seconds = 0;     ///< spent so far
};

/// The most threads that kernels are timed with.
constexpr int64_t mostThreads = 1024;

/// A distinct kernel of the model.
struct KernelRow {
  int64_t id = 0;
  std::string key, name, family, target;
  llvm::json::Object spec;
  int64_t calls = 0;   ///< in one run of the model
  double flops = 0;    ///< of one call
  int64_t threads = 1; ///< that it is timed with
  /// Why the row cannot be used; empty if it can. A database may hold rows that
  /// no vitc has written.
  std::string complaint;
};

/// What became of a candidate.
enum class Outcome { Ok, Wrong, Crash, Timeout, Memory, Spill, Invalid };
constexpr unsigned outcomeCount = 7;
llvm::StringRef nameOf(Outcome outcome);

struct Measurement {
  Outcome outcome = Outcome::Invalid;
  std::string detail;         ///< what went wrong, in a few words
  double seconds = 0;         ///< of a call with cold weights, the least
  double warmSeconds = 0;     ///< the same with warm weights
  double baselineSeconds = 0; ///< of the baseline, timed in turn; 0: none
  /// Of a call's time to that of the baseline's next to it, the median. Shifts
  /// of the machine's speed meet both; a lucky least time does not count here.
  double pairedRatio = 0;
  double noise = 0;          ///< how far the median is above the least
  double compileSeconds = 0; ///< of the backend
  double peak = 0;           ///< FLOP/s that the core could do meanwhile
  std::string backendVersion;
  llvm::json::Object schedule; ///< as the backend reports it, complete
  std::string code;            ///< of the machine code: see hashCode
  /// What it was timed in turn with. For a comparison at the end the backend is
  /// known beforehand.
  std::string baselineBackend, baselineBackendVersion, baselineCode;
  llvm::json::Object baselineSchedule;
};

/// What a trial is for: finding a good schedule, or comparing the best one with
/// the default at the end.
enum class TrialKind { Search, Confirm };
llvm::StringRef nameOf(TrialKind kind);

enum class TrialState { Queued, Running, Done, Cancelled };
llvm::StringRef nameOf(TrialState state);

struct TrialRow {
  int64_t id = 0, kernel = 0;
  TrialKind kind = TrialKind::Search;
  std::string backend;
  llvm::json::Object schedule; ///< may be partial; empty is the default
  std::string proposer;        ///< default, record, random, evolution, model …
  TrialState state = TrialState::Queued;
  std::string worker;
  int64_t attempts = 0; ///< how often its measuring was begun
  double finished = 0;  ///< by the database's clock
  /// Seconds that compare across trials: the first trial's, times the ratio of
  /// the two as they were timed in turn.
  double score = 0;
  Measurement result;
  /// Why the row cannot be read; empty if it can. Its outcome is `invalid`
  /// then.
  std::string complaint;

  bool isSearch() const { return kind == TrialKind::Search; }
  bool isDone() const { return state == TrialState::Done; }
  /// Queued or running.
  bool isOpen() const {
    return state == TrialState::Queued || state == TrialState::Running;
  }
  /// Measured, and right.
  bool isOk() const { return isDone() && result.outcome == Outcome::Ok; }
};

} // namespace vitc::tune

#endif // VITC_TUNE_ROWS_H
