// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// TVM's lowering passes, in the order of its own pipeline
/// (s_tir/pipeline.py in the wheel), without those for GPUs and for its
/// runtime's calling convention.
#ifndef VITC_SCHEDULES_TVM_PASSES_H
#define VITC_SCHEDULES_TVM_PASSES_H

#include "ir.h"

namespace vitc::tvm_backend {

/// From blocks with their iteration domains to plain loops.
Node lowerBlocks(Node module);

/// From plain loops to what the code generator takes: flat memory, vectors,
/// unrolled bodies.
Node lowerLoops(Node module, const Node &target);

/// The statements of a GPU kernel, as its code generator takes them.
Node lowerDevice(Node module);

} // namespace vitc::tvm_backend

#endif // VITC_SCHEDULES_TVM_PASSES_H
