// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "elements.h"

using namespace Halide;

namespace vitc::halide {

/// Enough warps to hide some latency, few enough that small maps still give
/// every multiprocessor a block.
constexpr int defaultThreads = 128;

int readThreads(Schedule &schedule) {
  return schedule.get("threads", "threads of a block", defaultThreads,
                      Values(1, 1024).multipleOf(32, "a warp of 32"));
}

LoopLevel scheduleElements(Func out, int threads,
                           const std::vector<Var> &together) {
  auto isTogether = [&](const Var &var) {
    for (const Var &other : together)
      if (var.name() == other.name())
        return true;
    return false;
  };
  std::vector<Var> shared;
  std::vector<VarOrRVar> order(together.begin(), together.end());
  for (const Var &var : out.args())
    if (!isTogether(var)) {
      shared.push_back(var);
      order.push_back(var);
    }
  Var all = shared[0], block("block"), thread("thread");
  out.reorder(order);
  for (size_t i = 1; i < shared.size(); ++i)
    out.fuse(all, shared[i], all);
  out.split(all, block, thread, threads, TailStrategy::GuardWithIf)
      .gpu_blocks(block)
      .gpu_threads(thread);
  for (const Var &var : together)
    out.unroll(var);
  return LoopLevel(out, thread);
}

void scheduleInThread(Func func, LoopLevel thread) {
  func.compute_at(thread).store_in(MemoryType::Register);
}

} // namespace vitc::halide
