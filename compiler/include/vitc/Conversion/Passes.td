// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions between dialects.

#ifndef VITC_CONVERSION_PASSES_TD
#define VITC_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertViTToKernelPass : Pass<"convert-vit-to-kernel", "::mlir::ModuleOp"> {
  let summary = "turn the model into calls of kernels on buffers";
  let description = [{
    Every op of the function becomes one kernel call (a view of a buffer where no data moves), every parameter it reads a constant in
    the layout the kernel wants. Outputs become arguments of the function. Kernels that are the same share one `kernel.spec`.

    The module's `kernel.target` says how wide panels of weights are, and `kernel.selected` of an op which algorithm its kernel has at each level
    (`vit-select-kernels`; plain without it). Where levels differ, the op has a call for each kind, of which a level runs its own.

    Expects what `vit-hoist-parameters` leaves; an op that no kernel computes is an error.
  }];
  let dependentDialects = ["::vitc::kernel::KernelDialect"];
}

def ConvertKernelToEmitCPass : Pass<"convert-kernel-to-emitc", "::mlir::ModuleOp"> {
  let summary = "turn the placed kernel calls into C++";
  let description = [{
    The function becomes `void forward(const Invocation &run)` with one call a line, and `finish` with those for several images of a batch, ready for MLIR's C++ emitter; everything else in the
    module is dropped. Expects planned workspace and weights.
  }];
  let dependentDialects = ["::mlir::emitc::EmitCDialect"];
  let options = [Option<"cppNamespace", "namespace", "std::string", "\"model\"", "the C++ namespace of the function">,
                 Option<"kernelSuffix", "kernel-suffix", "std::string", "\"\"", "what the kernels' symbols end in">,
                 Option<"level", "level", "std::string", "\"\"", "the level whose calls become code; all calls if empty">];
}

#endif // VITC_CONVERSION_PASSES_TD
