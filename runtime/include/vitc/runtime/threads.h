// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The threads behind a context: a pool of the library's own, or a loop that
/// the caller lends.
#ifndef VITC_RUNTIME_THREADS_H
#define VITC_RUNTIME_THREADS_H

#include "vitc/runtime/model.h"

#include <cstdint>

namespace vitc::rt {

struct Threads;

/// `count` 0 means one per core that the process may use. The calling thread
/// takes part, so count - 1 threads are started. Each has stack for bodies that
/// need `stackBytes`.
vitc_status startThreads(int32_t count, vitc_parallel_for lent, void *lentUser,
                         size_t stackBytes, Threads **threads);
void stopThreads(Threads *threads);
/// How many threads take part in a loop, the caller's among them; 1 for a loop
/// that the caller lends, since nobody knows how many threads it has.
int32_t threadCount(const Threads *threads);

/// Calls body(task, i) once for each i in [0, count) and returns when all are
/// done. Never allocates or locks. A call from inside a body runs serially.
void parallelFor(Threads *threads, int32_t count,
                 void (*body)(void *task, int32_t index), void *task);

} // namespace vitc::rt

#endif // VITC_RUNTIME_THREADS_H
