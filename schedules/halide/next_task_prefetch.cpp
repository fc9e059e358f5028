// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "next_task_prefetch.h"

using namespace Halide;
using namespace Halide::Internal;

namespace vitc::halide {

namespace {

class PrefetchNextTask : public IRMutator {
public:
  PrefetchNextTask(const std::string &taskLoop, const std::string &innerLoop,
                   const std::vector<PrefetchedLines> &lines)
      : taskLoop(taskLoop), innerLoop(innerLoop), lines(lines) {}

private:
  using IRMutator::visit;

  Stmt visit(const For *op) override {
    const For *outerTask = task;
    std::vector<const For *> outerLoops = loops;
    if (ends_with(op->name, taskLoop)) {
      task = op;
      loops.clear();
    } else {
      loops.push_back(op);
    }
    Stmt result = IRMutator::visit(op);
    if (task && op->name == innerLoop)
      result = withPrefetches(result.as<For>());
    task = outerTask;
    loops = outerLoops;
    return result;
  }

  Stmt withPrefetches(const For *loop) const {
    // Which of all visits in this task it is.
    Expr visit = 0, visits = 1;
    for (const For *outer : loops) {
      visit = visit * outer->extent +
              (Variable::make(Int(32), outer->name) - outer->min);
      visits = visits * outer->extent;
    }
    auto constantVisits = as_const_int(simplify(visits));
    if (!constantVisits)
      return loop;
    Expr number = Variable::make(Int(32), task->name);
    Stmt body = loop->body;
    for (const PrefetchedLines &fetched : lines) {
      int perVisit =
          int((fetched.count + *constantVisits - 1) / *constantVisits);
      for (int i = 0; i < perVisit; ++i) {
        Expr line = min(visit * perVisit + i, fetched.count - 1);
        Expr call = Call::make(Float(32), Call::prefetch,
                               {Variable::make(Handle(), fetched.buffer),
                                simplify(fetched.start(number, line)), 1, 1},
                               Call::Intrinsic);
        body = Block::make(Evaluate::make(call), body);
      }
    }
    return For::make(loop->name, loop->min, loop->extent, loop->for_type,
                     loop->partition_policy, loop->device_api, body);
  }

  const std::string taskLoop, innerLoop;
  const std::vector<PrefetchedLines> lines;
  const For *task = nullptr;
  std::vector<const For *> loops; ///< inside the task
};

} // namespace

IRMutator *prefetchNextTask(const std::string &taskLoop,
                            const std::string &innerLoop,
                            const std::vector<PrefetchedLines> &lines) {
  return new PrefetchNextTask(taskLoop, innerLoop, lines);
}

} // namespace vitc::halide
