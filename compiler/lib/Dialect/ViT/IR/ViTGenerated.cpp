// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What TableGen has generated for the vit dialect, apart from what is written
/// by hand: builds with sanitizers leave it alone.
#include "vitc/Dialect/ViT/IR/ViT.h"

#include "mlir/IR/Builders.h"

#include "vitc/Dialect/ViT/IR/ViTDialect.cpp.inc"
#include "vitc/Dialect/ViT/IR/ViTEnums.cpp.inc"
#include "vitc/Dialect/ViT/IR/ViTInterfaces.cpp.inc"

#define GET_OP_CLASSES
#include "vitc/Dialect/ViT/IR/ViTOps.cpp.inc"

void vitc::vit::ViTDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "vitc/Dialect/ViT/IR/ViTOps.cpp.inc"
      >();
}
