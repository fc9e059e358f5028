// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Takes queued trials from a store, measures them and reports.
#ifndef VITC_TUNE_WORKER_H
#define VITC_TUNE_WORKER_H

#include "vitc/Tune/Measurer.h"
#include "vitc/Tune/WorkerIdentity.h"

#include <functional>

namespace vitc::tune {

class Worker {
public:
  Worker(Store &store, Measurer &measurer, double leaseSeconds)
      : store(store), measurer(measurer),
        capabilities(measurer.getCapabilities()), leaseSeconds(leaseSeconds),
        name(workerName()) {}

  /// Claims some trials (of one session, or of any if 0) and sees them through.
  /// Only such as can be measured here are claimed, and no row of the database
  /// is an error: one that cannot be used becomes `invalid`. Returns how many;
  /// 0 if there was nothing to do. Stops early, giving the rest back, when
  /// `stop` says so.
  llvm::Expected<unsigned> step(int64_t session, unsigned count,
                                llvm::function_ref<bool()> stop);

private:
  llvm::Expected<Build> buildOne(const KernelRow &kernel,
                                 llvm::StringRef backend,
                                 const llvm::json::Object &schedule);
  llvm::Error compete(const KernelRow &kernel, TrialRow &trial,
                      const Build &build);
  llvm::Error confirm(const KernelRow &kernel, TrialRow &trial,
                      const Build &build);
  llvm::Error measure(const KernelRow &kernel, TrialRow &trial,
                      const Build &build);
  llvm::Error buildAll(const KernelRow &kernel,
                       llvm::ArrayRef<TrialRow> trials);
  llvm::Error refuse(llvm::StringRef complaint,
                     llvm::MutableArrayRef<TrialRow> trials);

  Store &store;
  Measurer &measurer;
  Capabilities capabilities;
  double leaseSeconds;
  std::string name;
};

} // namespace vitc::tune

#endif // VITC_TUNE_WORKER_H
