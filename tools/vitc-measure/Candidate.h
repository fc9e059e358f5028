// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Runs a candidate's code on a problem: is it right, and how long does it
/// take? To be called in a child process: the code may do anything.
#ifndef VITC_TOOLS_MEASURE_CANDIDATE_H
#define VITC_TOOLS_MEASURE_CANDIDATE_H

#include "Problem.h"

namespace vitc::measure {

/// Memory for every argument, laid out before any candidate runs. The weights
/// are there many times over, so that a run can find its own out of the cache,
/// as it does in a model where every layer has others.
class Memory {
public:
  explicit Memory(const Problem &problem);

  /// The arguments, with copy number `copy` of the weights.
  std::vector<float *> pointers(size_t copy) const;
  size_t copies() const { return weightCopies; }

private:
  float *allocate(size_t floats);

  const Problem &problem;
  size_t weightCopies = 1;
  std::vector<std::vector<float *>> places; ///< for each argument, its copies
  std::vector<std::unique_ptr<char[]>> blocks;
};

struct CandidateRequest {
  std::string library;  ///< a shared object
  std::string baseline; ///< another to time in turn with it, or empty
  std::string symbol;
  bool thorough = false;
};

/// {"outcome":"ok","seconds":…} or {"outcome":"wrong","detail":…}. `threads` is
/// the context that kernels get.
llvm::json::Object measureCandidate(const CandidateRequest &request,
                                    const Problem &problem,
                                    const Memory &memory, void *threads);

/// What a child exits with when it cannot get the memory it wants.
constexpr int outOfMemoryCode = 99;

} // namespace vitc::measure

#endif // VITC_TOOLS_MEASURE_CANDIDATE_H
