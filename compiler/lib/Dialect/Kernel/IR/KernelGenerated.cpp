// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What TableGen has generated for the kernel dialect, apart from what is
/// written by hand: builds with sanitizers leave it alone.
#include "vitc/Dialect/Kernel/IR/Kernel.h"

#include "mlir/IR/Builders.h"

#include "vitc/Dialect/Kernel/IR/KernelDialect.cpp.inc"
#include "vitc/Dialect/Kernel/IR/KernelEnums.cpp.inc"
#include "vitc/Dialect/Kernel/IR/KernelLayoutInterfaces.cpp.inc"

#define GET_OP_CLASSES
#include "vitc/Dialect/Kernel/IR/KernelOps.cpp.inc"

void vitc::kernel::KernelDialect::initialize() {
  registerSpecs();
  addOperations<
#define GET_OP_LIST
#include "vitc/Dialect/Kernel/IR/KernelOps.cpp.inc"
      >();
}
