// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What a session tunes, and what it tries first.
#ifndef VITC_LIB_TUNE_PLAN_H
#define VITC_LIB_TUNE_PLAN_H

#include "vitc/Tune/Measurer.h"
#include "vitc/Tune/Session.h"

namespace vitc::tune {

/// One kernel and the searches for it, one for each backend.
struct TunedKernel {
  const KernelRow *kernel;
  std::vector<std::unique_ptr<Search>> searches;
  bool isUsedUp = false; ///< every schedule has been proposed
};

/// A session that is to be made, with the reasons for kernels that are not
/// tuned among its options.
struct Plan {
  SessionRow session;
  std::vector<KernelRow> kernels;
};

llvm::Expected<Plan> planSession(const TuneOptions &options,
                                 const Installation &installation,
                                 const Tools &tools);

/// The searches for the kernels of a session of which `tried` trials are known.
/// The kernels stay where they are; one that no backend understands is warned
/// about and left out.
llvm::Expected<std::vector<TunedKernel>>
makeSearches(const SessionRow &session, llvm::ArrayRef<KernelRow> kernels,
             size_t tried, const Tools &tools, const WarningHandler &warn);

/// The default schedule and what records say; or one drawn at random, for a
/// search that must find everything itself. Nothing if the backend's turn at
/// the kernel has begun already.
llvm::Expected<std::vector<TrialRow>>
firstTrials(const SessionRow &session, const TunedKernel &target,
            Search &search, llvm::ArrayRef<TrialRow> trials,
            const RecordSet &records);

} // namespace vitc::tune

#endif // VITC_LIB_TUNE_PLAN_H
