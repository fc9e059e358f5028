// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Running a kernel's tasks, for adapters of kernels that are plain functions
/// of a task's number.
#ifndef VITC_RUNTIME_TASKS_H
#define VITC_RUNTIME_TASKS_H

#include <cstdint>

/// Runs task(context, i, closure) for each i in [min, min + size), on the
/// threads behind `context`.
extern "C" int halide_do_par_for(void *context,
                                 int (*task)(void *context, int index,
                                             uint8_t *closure),
                                 int min, int size, uint8_t *closure);

namespace vitc::rt {

/// run(0) … run(tasks - 1), in any order and on any thread of the context's,
/// which takes `together` of them at a time.
template <class Run>
void runParallel(void *context, int32_t tasks, int32_t together,
                 const Run &run) {
  struct Loop {
    int32_t tasks, together;
    const Run &run;
  } loop = {tasks, together, run};
  auto task = [](void *, int index, uint8_t *closure) {
    const Loop &loop = *reinterpret_cast<const Loop *>(closure);
    int32_t first = index * loop.together, rest = loop.tasks - first;
    int32_t count = rest < loop.together ? rest : loop.together;
    for (int32_t i = 0; i < count; ++i)
      loop.run(first + i);
    return 0;
  };
  halide_do_par_for(context, task, 0, (tasks + together - 1) / together,
                    reinterpret_cast<uint8_t *>(&loop));
}

/// The same, one after the other.
template <class Run>
void runSerially(int32_t tasks, const Run &run) {
  for (int32_t task = 0; task < tasks; ++task)
    run(task);
}

} // namespace vitc::rt

#endif // VITC_RUNTIME_TASKS_H
