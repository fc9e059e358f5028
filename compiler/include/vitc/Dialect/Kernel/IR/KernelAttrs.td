// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes of the kernel dialect.

#ifndef VITC_DIALECT_KERNEL_IR_KERNELATTRS_TD
#define VITC_DIALECT_KERNEL_IR_KERNELATTRS_TD

include "vitc/Dialect/Kernel/IR/KernelLayouts.td"
include "vitc/Dialect/Kernel/IR/KernelSpecs.td"
include "vitc/Dialect/Kernel/IR/KernelTarget.td"

#endif // VITC_DIALECT_KERNEL_IR_KERNELATTRS_TD
