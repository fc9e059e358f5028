// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Prefetches of what a later task reads, spread over this one's inner loop.
#ifndef VITC_SCHEDULES_HALIDE_NEXT_TASK_PREFETCH_H
#define VITC_SCHEDULES_HALIDE_NEXT_TASK_PREFETCH_H

#include "Halide.h"

#include <functional>
#include <string>
#include <vector>

namespace vitc::halide {

/// Cache lines of a buffer that are fetched while a task runs.
struct PrefetchedLines {
  std::string buffer;
  int count; ///< lines that one task fetches
  /// Where line number `line` starts, for the task of the given number.
  std::function<Halide::Expr(Halide::Expr task, Halide::Expr line)> start;
};

/// A pass that fetches `lines` while each iteration of the loop `taskLoop` (the
/// end of its name) runs, a few in each visit of the loop `innerLoop` (its
/// name) inside it. Lines beyond a buffer's end do no harm.
Halide::Internal::IRMutator *
prefetchNextTask(const std::string &taskLoop, const std::string &innerLoop,
                 const std::vector<PrefetchedLines> &lines);

} // namespace vitc::halide

#endif // VITC_SCHEDULES_HALIDE_NEXT_TASK_PREFETCH_H
