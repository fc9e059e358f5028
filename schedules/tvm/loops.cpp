// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loops.h"

namespace vitc::tvm_backend {

/// Of the function inside its module, until the lowering names it.
static const char *const functionName = "kernel";

static std::vector<Node> toVector(const ffi::Any &array) {
  std::vector<Node> result;
  for (const ffi::Any &item : array.cast<Nodes>())
    result.push_back(item.cast<Node>());
  return result;
}

static Nodes toArray(const std::vector<Node> &items) {
  Nodes result;
  for (const Node &item : items)
    result.push_back(item);
  return result;
}

Loops::Loops(const std::vector<Tensor> &arguments) {
  Nodes tensors;
  for (const Tensor &tensor : arguments)
    tensors.push_back(tensor.node);
  Node function = make("te.CreatePrimFunc", tensors, nullptr);
  function =
      make("ir.BaseFuncWithAttr", ffi::RValueRef<Node>(std::move(function)),
           "global_symbol", ffi::String(functionName));
  ffi::Map<ffi::Any, ffi::Any> functions;
  functions.Set(make("ir.GlobalVar", functionName), function);
  Node module =
      make("ir.IRModule", functions, nullptr, ffi::Map<ffi::Any, ffi::Any>());
  // Not traced: seed -1, no debug checks, errors in detail, checks on.
  schedule = make("s_tir.schedule.ConcreteSchedule", module, -1, 0, 1, true);
}

Block Loops::block(const Tensor &tensor) {
  return make("s_tir.schedule.ScheduleGetSBlock", schedule, tensor.name,
              functionName);
}

std::vector<Loop> Loops::around(const Block &block) {
  return toVector(call("s_tir.schedule.ScheduleGetLoops", schedule, block));
}

std::vector<Loop> Loops::split(const Loop &loop,
                               const std::vector<int> &factors) {
  Nodes array;
  for (int factor : factors)
    if (factor == 0)
      array.push_back(nullptr);
    else
      array.push_back(Expr(factor).node);
  return toVector(call("s_tir.schedule.ScheduleSplit", schedule, loop, array,
                       /*preserve_unit_iters=*/true,
                       /*disable_predication=*/false));
}

Loop Loops::fuse(const std::vector<Loop> &loops) {
  return make("s_tir.schedule.ScheduleFuse", schedule, toArray(loops),
              /*preserve_unit_iters=*/true);
}

void Loops::reorder(const std::vector<Loop> &loops) {
  call("s_tir.schedule.ScheduleReorder", schedule, toArray(loops));
}

void Loops::vectorize(const Loop &loop) {
  call("s_tir.schedule.ScheduleVectorize", schedule, loop);
}

void Loops::unroll(const Loop &loop) {
  call("s_tir.schedule.ScheduleUnroll", schedule, loop);
}

void Loops::tasks(const Loop &loop) {
  call("s_tir.schedule.ScheduleParallel", schedule, loop);
}

void Loops::computeAt(const Tensor &tensor, const Loop &loop) {
  call("s_tir.schedule.ScheduleComputeAt", schedule, block(tensor), loop,
       /*preserve_unit_loops=*/true, /*index=*/-1);
}

void Loops::inlineInto(const Tensor &tensor) {
  call("s_tir.schedule.ScheduleComputeInline", schedule, block(tensor));
}

void Loops::keepLocal(const Tensor &tensor) {
  call("s_tir.schedule.ScheduleSetScope", schedule, block(tensor), 0, "local");
}

void Loops::decompose(const Tensor &tensor, const Loop &loop) {
  call("s_tir.schedule.ScheduleDecomposeReduction", schedule, block(tensor),
       loop);
}

void Loops::annotate(const Loop &loop, const char *key, int value) {
  call("s_tir.schedule.ScheduleAnnotate", schedule, loop, key,
       Expr(value).node);
}

Node Loops::module() const {
  return make("s_tir.schedule.ScheduleGetMod", schedule);
}

} // namespace vitc::tvm_backend
