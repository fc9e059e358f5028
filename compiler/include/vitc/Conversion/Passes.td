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

    Expects what `vit-hoist-parameters` leaves; an op that no kernel computes is an error.
  }];
  let dependentDialects = ["::vitc::kernel::KernelDialect"];
  let options = [Option<"panel", "panel", "int64_t", "16", "columns in a panel of packed weights">,
                 Option<"fastMatmul", "fast-matmul", "bool", "false",
                        "one level of Strassen's algorithm for the linear layers that gain by it">,
                 Option<"pairs", "pairs", "bool", "false",
                        "what paired products need for the linear layers that gain by them">,
                 Option<"tensorCores", "tensor-cores", "bool", "false",
                        "an NVIDIA GPU's tensor cores for the linear layers that fill them">];
}

def ConvertKernelToEmitCPass : Pass<"convert-kernel-to-emitc", "::mlir::ModuleOp"> {
  let summary = "turn the placed kernel calls into C++";
  let description = [{
    The function becomes `void forward(const Invocation &run)` with one call a line, and `finish` with those for all images of a batch, ready for MLIR's C++ emitter; everything else in the
    module is dropped. Expects planned workspace and weights.
  }];
  let dependentDialects = ["::mlir::emitc::EmitCDialect"];
  let options = [Option<"cppNamespace", "namespace", "std::string", "\"model\"", "the C++ namespace of the function">,
                 Option<"kernelSuffix", "kernel-suffix", "std::string", "\"\"", "what the kernels' symbols end in">];
}

#endif // VITC_CONVERSION_PASSES_TD
