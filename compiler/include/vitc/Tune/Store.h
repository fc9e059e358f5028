// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What a tuning session has planned, measured and found, in a database. Every
/// call is one transaction: whoever is killed in the middle of anything loses
/// no trial and counts none twice.
#ifndef VITC_TUNE_STORE_H
#define VITC_TUNE_STORE_H

#include "vitc/Tune/Database.h"
#include "vitc/Tune/Records.h"

namespace vitc::tune {

/// One run of `vitc tune`, resumed ones included.
struct SessionRow {
  int64_t id = 0;
  std::string model, target, cpu, machine, command;
  llvm::json::Object options; ///< those that a resumed session must keep
  int64_t threads = 1;
  bool finished = false;
  double created = 0; ///< seconds since 1970, by the database's clock
  double seconds = 0; ///< spent so far
};

/// A distinct kernel of the model.
struct KernelRow {
  int64_t id = 0;
  std::string key, name, family, target;
  llvm::json::Object spec;
  int64_t calls = 0;   ///< in one run of the model
  double flops = 0;    ///< of one call
  int64_t threads = 1; ///< that it is timed with
};

/// What became of a candidate.
enum class Outcome { Ok, Wrong, Crash, Timeout, Memory, Spill, Invalid };
constexpr unsigned outcomeCount = 7;
llvm::StringRef outcomeName(Outcome outcome);

struct Measurement {
  Outcome outcome = Outcome::Invalid;
  std::string detail;      ///< what went wrong, in a few words
  double seconds = 0;      ///< of a call with cold weights, the least
  double warmSeconds = 0;  ///< the same with warm weights
  double rivalSeconds = 0; ///< the rival's, timed in turn; 0: there was none
  /// Of a call to the rival's next to it, the median. Shifts of the machine's
  /// speed meet both; a lucky least time does not count here.
  double pairedRatio = 0;
  double noise = 0;          ///< how far the median is above the least
  double compileSeconds = 0; ///< of the backend
  double peak = 0;           ///< FLOP/s that the core could do meanwhile
  std::string backendVersion;
  llvm::json::Object schedule; ///< as the backend reports it, complete
  std::string code;            ///< of the machine code: see hashCode
  /// The rival. For a comparison at the end its backend is known beforehand.
  std::string rivalBackend, rivalBackendVersion, rivalCode;
  llvm::json::Object rivalSchedule;
};

/// What a trial is for: finding a good schedule, or comparing the best one with
/// the default at the end.
enum class TrialKind { Search, Confirm };

struct TrialRow {
  int64_t id = 0, kernel = 0;
  TrialKind kind = TrialKind::Search;
  std::string backend;
  llvm::json::Object schedule; ///< may be partial; empty is the default
  std::string proposer;        ///< default, record, random, evolution …
  std::string state;           ///< queued, running, done, cancelled
  std::string worker;
  int64_t attempts = 0; ///< how often it was begun
  double finished = 0;  ///< by the database's clock
  /// Seconds that compare across trials: the first trial's, times the ratio of
  /// the two as they were timed in turn.
  double score = 0;
  Measurement result;
};

class Store {
public:
  /// `place` is a file or a server's URL; `create` makes the file and the
  /// tables if they are missing.
  static llvm::Expected<Store> open(llvm::StringRef place, bool create);

  llvm::Expected<int64_t> addSession(const SessionRow &session,
                                     std::vector<KernelRow> kernels);
  /// The latest session of a model that is not finished, or of any model if
  /// `model` is empty; nothing if there is none.
  llvm::Expected<std::optional<SessionRow>>
  findUnfinished(llvm::StringRef model, llvm::StringRef cpu);
  /// The latest session; nothing if there is none.
  llvm::Expected<std::optional<SessionRow>> findLatest();
  llvm::Expected<SessionRow> getSession(int64_t id);
  llvm::Error spend(int64_t session, double seconds);
  llvm::Error finish(int64_t session);

  llvm::Expected<std::vector<KernelRow>> getKernels(int64_t session);
  llvm::Expected<KernelRow> getKernel(int64_t id);
  llvm::Expected<std::vector<TrialRow>> getTrials(int64_t session);
  /// The fastest correct trial of a kernel, and the first one, whose time all
  /// scores are relative to.
  llvm::Expected<std::optional<TrialRow>> getBest(int64_t kernel);
  llvm::Expected<std::optional<TrialRow>> getAnchor(int64_t kernel);

  /// Queues trials; those that the kernel has had already are left out. Returns
  /// how many are new.
  llvm::Expected<unsigned> addTrials(int64_t kernel, TrialKind kind,
                                     std::vector<TrialRow> trials);
  /// Takes up to `count` queued trials of unfinished sessions for `cpu` (of
  /// `session` only, unless 0), all of one kernel, for `leaseSeconds`.
  llvm::Expected<std::vector<TrialRow>> claim(llvm::StringRef worker,
                                              llvm::StringRef cpu,
                                              int64_t session, unsigned count,
                                              double leaseSeconds);
  /// Says that the worker measures the trial from now on, which counts as an
  /// attempt; false if it has lost the lease. Those that wait behind it are not
  /// to blame for the worker's end.
  llvm::Expected<bool> begin(const TrialRow &trial, llvm::StringRef worker,
                             double leaseSeconds);
  /// Renews the lease of all that a worker has.
  llvm::Error renew(llvm::StringRef worker, double leaseSeconds);
  /// Puts all that a worker has, and has not begun, back into the queue.
  llvm::Error giveBack(llvm::StringRef worker);
  /// False if the lease was lost meanwhile: the trial is another's then, and
  /// the result is dropped.
  llvm::Expected<bool> complete(const TrialRow &trial, llvm::StringRef worker);
  /// Queues again what workers have lost: leases that are over, and those of
  /// processes on this host that are no more. A trial during which that
  /// happened twice is counted as a crash. Returns how many were lost.
  llvm::Expected<unsigned> reclaim(int64_t session);
  /// Takes back what nobody has started on.
  llvm::Error cancelQueued(int64_t session);
  /// Trials that are queued or running.
  llvm::Expected<unsigned> countOpen(int64_t session);

  llvm::Error addRecords(llvm::ArrayRef<Record> records);
  /// Those about the same kernels, CPUs and backends.
  llvm::Error removeRecords(llvm::ArrayRef<Record> records);
  /// Those that can be read; each other one is left out with a warning.
  llvm::Expected<std::vector<Record>>
  getRecords(std::vector<std::string> &warnings);

  const std::string &getPlace() const { return database->getPlace(); }
  llvm::Expected<double> now();

private:
  explicit Store(std::unique_ptr<Database> database)
      : database(std::move(database)) {}
  llvm::Error createTables();
  llvm::Expected<std::optional<TrialRow>> getOk(int64_t kernel,
                                                llvm::StringRef order);

  std::unique_ptr<Database> database;
};

/// The name under which this process claims trials: "HOST:PID:START".
std::string workerName();
/// False if `worker` was a process on this host that is no more.
bool mayBeRunning(llvm::StringRef worker);

} // namespace vitc::tune

#endif // VITC_TUNE_STORE_H
