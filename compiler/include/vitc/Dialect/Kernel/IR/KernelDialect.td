// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel dialect: calls of compiled kernels on placed buffers.

#ifndef VITC_DIALECT_KERNEL_IR_KERNELDIALECT_TD
#define VITC_DIALECT_KERNEL_IR_KERNELDIALECT_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/BuiltinAttributes.td"

def Kernel_Dialect : Dialect {
  let name = "kernel";
  let cppNamespace = "::vitc::kernel";
  let extraClassDeclaration = [{
    /// Adds the attributes of all kernel families: KernelSpecs.cpp.
    void registerSpecs();
  }];
  let useDefaultAttributePrinterParser = 1;
  let summary = "Kernels on buffers";
  let description = [{
    The model as a list of kernel calls. Buffers are memrefs with static shapes and strides: parts of one workspace
    (`kernel.alloc`), packed weights (`kernel.constant`), or the function's arguments. After `kernel-plan-workspace` and
    `kernel-plan-weights` every byte has its place.

    A `kernel.spec` is what a backend program compiles: see docs/KernelProtocol.md. Calls of the same spec share one kernel.
  }];
}

def Kernel_Buffer : Type<CPred<"::vitc::kernel::isBuffer($_self)">,
                         "memref of an element type of the runtime with static shape and strides and no empty dimension", "::mlir::MemRefType">;

#endif // VITC_DIALECT_KERNEL_IR_KERNELDIALECT_TD
