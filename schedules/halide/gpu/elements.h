// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The schedule of every small kernel on a GPU: a thread for each element.
#ifndef VITC_SCHEDULES_HALIDE_GPU_ELEMENTS_H
#define VITC_SCHEDULES_HALIDE_GPU_ELEMENTS_H

#include "../kernel.h"

namespace vitc::halide {

/// The schedule parameter threads, of a block.
int readThreads(Schedule &schedule);

/// Gives each element of `out` a thread; neighbours in the innermost dimension
/// are neighbours in a block of `threads`.
/// `together` are innermost dimensions of which a thread takes all; they are
/// unrolled. Returns the level of a thread, where sums can be computed in
/// registers.
Halide::LoopLevel
scheduleElements(Halide::Func out, int threads,
                 const std::vector<Halide::Var> &together = {});

/// A sum or maximum of one element, in a thread's registers.
void scheduleInThread(Halide::Func func, Halide::LoopLevel thread);

} // namespace vitc::halide

#endif // VITC_SCHEDULES_HALIDE_GPU_ELEMENTS_H
