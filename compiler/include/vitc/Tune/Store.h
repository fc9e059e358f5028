// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What a tuning session has planned, measured and found, in a database. Every
/// call is one transaction: whoever is killed in the middle of anything loses
/// no trial and counts none twice.
#ifndef VITC_TUNE_STORE_H
#define VITC_TUNE_STORE_H

#include "vitc/Records/RecordStore.h"
#include "vitc/Tune/Rows.h"

namespace vitc::tune {

/// What a worker can measure.
struct Capabilities {
  std::string cpu;
  std::vector<std::string> backends; ///< that are installed with it
  std::vector<std::string> targets;  ///< whose instructions the CPU has
};

class Store {
public:
  /// See RecordStore::open.
  static llvm::Expected<Store> open(llvm::StringRef place, bool create,
                                    WarningHandler warn);

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
  /// Whether every schedule of every kernel has been tried is kept with it.
  llvm::Error finish(int64_t session, bool exhausted);

  /// Those that can be read; the rest is warned about.
  llvm::Expected<std::vector<KernelRow>> getKernels(int64_t session);
  /// The row's complaint says whether it can be used.
  llvm::Expected<KernelRow> getKernel(int64_t id);
  /// All of them; `complaint` says which cannot be read.
  llvm::Expected<std::vector<TrialRow>> getTrials(int64_t session);
  /// The fastest correct trial of a kernel by one of these backends, and the
  /// first one, whose time all scores are relative to.
  llvm::Expected<std::optional<TrialRow>>
  getBest(int64_t kernel, llvm::ArrayRef<std::string> backends);
  llvm::Expected<std::optional<TrialRow>>
  getAnchor(int64_t kernel, llvm::ArrayRef<std::string> backends);

  /// Queues trials; those that the kernel has had already are left out, unless
  /// they were cancelled. Returns how many are new.
  llvm::Expected<unsigned> addTrials(int64_t kernel,
                                     std::vector<TrialRow> trials);
  /// Takes up to `count` queued trials of unfinished sessions (of `session`
  /// only, unless 0), all of one kernel, for `leaseSeconds`: what `worker` can
  /// do. Rows that cannot be read become `invalid`. A trial during which a
  /// worker was lost is taken alone.
  llvm::Expected<std::vector<TrialRow>> claim(llvm::StringRef worker,
                                              const Capabilities &capabilities,
                                              int64_t session, unsigned count,
                                              double leaseSeconds);
  /// Says that all that the worker has is compiled: those that wait for their
  /// turn from now on are not to blame for the worker's end. Renews the lease.
  llvm::Error setCompiled(llvm::StringRef worker, double leaseSeconds);
  /// Says that the worker measures the trial from now on, which counts as an
  /// attempt; false if it has lost the lease.
  llvm::Expected<bool> begin(const TrialRow &trial, llvm::StringRef worker,
                             double leaseSeconds);
  /// Renews the lease of all that a worker has.
  llvm::Error renew(llvm::StringRef worker, double leaseSeconds);
  /// Puts all that a worker has, and has not begun, back into the queue.
  llvm::Error giveBack(llvm::StringRef worker);
  /// False if the lease was lost meanwhile: the trial is another's then, and
  /// the result is dropped.
  llvm::Expected<bool> complete(const TrialRow &trial, llvm::StringRef worker);
  /// Queues again what workers have lost: leases that are over or further ahead
  /// than any worker may ask for, and those of processes on this host that are
  /// no more. A trial during which that happened twice is counted as a crash.
  /// `leaseSeconds` is for rows that do not say. Returns how many were lost.
  llvm::Expected<unsigned> reclaim(int64_t session, double leaseSeconds);
  /// Takes back what nobody has started on.
  llvm::Error cancelQueued(int64_t session);
  /// Takes back what is queued, and nobody with these capabilities can measure.
  /// Returns how many.
  llvm::Expected<unsigned> cancelUnfit(int64_t session,
                                       const Capabilities &capabilities);
  /// Trials that are queued or running.
  llvm::Expected<unsigned> countOpen(int64_t session);

  RecordStore &getRecords() { return records; }
  const std::string &getPlace() const { return records.getPlace(); }
  llvm::Expected<double> now();
  void warn(const llvm::Twine &message) { database().warn(message); }

private:
  explicit Store(RecordStore records) : records(std::move(records)) {}
  Database &database() { return records.getDatabase(); }
  llvm::Error createTables();
  llvm::Expected<std::optional<SessionRow>>
  findSession(llvm::StringRef condition, llvm::ArrayRef<Field> parameters);
  llvm::Expected<std::optional<TrialRow>>
  getOk(int64_t kernel, llvm::ArrayRef<std::string> backends,
        llvm::StringRef order);

  RecordStore records;
};

} // namespace vitc::tune

#endif // VITC_TUNE_STORE_H
