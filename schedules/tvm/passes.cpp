// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes.h"

namespace vitc::tvm_backend {

template <class... Arguments>
static void run(Node &module, const char *pass, Arguments &&...arguments) {
  Node made = make(pass, std::forward<Arguments>(arguments)...);
  module =
      make("transform.RunPass", made, ffi::RValueRef<Node>(std::move(module)));
}

Node lowerBlocks(Node module) {
  run(module, "s_tir.transform.CanonicalizeLoop");
  run(module, "s_tir.transform.LowerInitBlock");
  run(module, "s_tir.transform.PlanAndUpdateBufferAllocationLocation");
  run(module, "s_tir.transform.ConvertBlocksToOpaque");
  run(module, "s_tir.transform.CompactBufferAllocation", /*is_strict=*/true);
  run(module, "s_tir.transform.LowerMatchBuffer");
  run(module, "s_tir.transform.StmtSimplify");
  run(module, "s_tir.transform.LowerOpaqueBlock");
  return module;
}

Node lowerLoops(Node module, const Node &target) {
  run(module, "tirx.transform.BindTarget", target);
  run(module, "tirx.transform.FlattenBuffer");
  run(module, "tirx.transform.NarrowDataType", 32);
  run(module, "tirx.transform.VectorizeLoop", /*enable=*/true);
  run(module, "tirx.transform.StorageRewrite");
  run(module, "tirx.transform.UnrollLoop");
  run(module, "s_tir.transform.RenormalizeSplitPattern");
  run(module, "tirx.transform.StmtSimplify");
  run(module, "tirx.transform.RemoveNoOp");
  run(module, "tirx.transform.CommonSubexprElim");
  run(module, "tirx.transform.LowerIntrin");
  return module;
}

Node lowerDevice(Node module) {
  run(module, "tirx.transform.FlattenBuffer");
  run(module, "tirx.transform.NarrowDataType", 32);
  run(module, "tirx.transform.StorageRewrite");
  run(module, "s_tir.transform.RenormalizeSplitPattern");
  run(module, "tirx.transform.StmtSimplify");
  run(module, "tirx.transform.RemoveNoOp");
  run(module, "tirx.transform.CommonSubexprElim");
  run(module, "s_tir.transform.InferFragment");
  run(module, "tirx.transform.LowerIntrin");
  return module;
}

} // namespace vitc::tvm_backend
