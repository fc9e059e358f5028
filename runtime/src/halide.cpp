// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The one function of Halide's runtime that kernels call.
#include "vitc/runtime/threads.h"

#include <atomic>

using namespace vitc::rt;

namespace {

using HalideTask = int (*)(void *context, int index, uint8_t *closure);

struct HalideLoop {
  void *context;
  HalideTask task;
  int min;
  uint8_t *closure;
  std::atomic<int> result; ///< 0, or what a failing task returned
};

} // namespace

/// Runs task(context, i, closure) for each i in [min, min + size). `context` is
/// the Threads behind the model's context; null runs serially. Returns 0, or
/// what a failing task returned.
extern "C" int halide_do_par_for(void *context, HalideTask task, int min,
                                 int size, uint8_t *closure) {
  HalideLoop loop{context, task, min, closure, {0}};
  auto body = [](void *argument, int32_t index) {
    auto *loop = static_cast<HalideLoop *>(argument);
    if (int result =
            loop->task(loop->context, loop->min + index, loop->closure))
      loop->result.store(result, std::memory_order_relaxed);
  };
  parallelFor(static_cast<Threads *>(context), size, body, &loop);
  return loop.result.load(std::memory_order_relaxed);
}
