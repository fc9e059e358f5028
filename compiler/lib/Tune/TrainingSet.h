// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The cost models of a session, and what they learn from.
#ifndef VITC_LIB_TUNE_TRAININGSET_H
#define VITC_LIB_TUNE_TRAININGSET_H

#include "Plan.h"

namespace vitc::tune {

/// One model serves all kernels of a family by one backend, whose parameters
/// are the same.
class TrainingSet {
public:
  /// The model for a kernel's search, trained anew if there is more to learn
  /// from.
  CostModel &modelFor(const KernelRow &kernel, const Search &search,
                      llvm::ArrayRef<TunedKernel> targets,
                      llvm::ArrayRef<TrialRow> trials);

private:
  struct Learnt {
    CostModel model;
    size_t samples = 0;
  };
  std::map<std::string, Learnt> models;
};

} // namespace vitc::tune

#endif // VITC_LIB_TUNE_TRAININGSET_H
