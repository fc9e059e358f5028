// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What the values of buffers and outputs are made of, as generated code and
/// the library's users know it. The list is the runtime's.
#ifndef VITC_DIALECT_KERNEL_IR_ELEMENTTYPES_H
#define VITC_DIALECT_KERNEL_IR_ELEMENTTYPES_H

#include "mlir/IR/Types.h"

namespace vitc::kernel {

struct ElementTypeInfo {
  int64_t number;                 ///< in C
  int64_t bytes;                  ///< of one value
  llvm::StringLiteral enumerator; ///< in C: "VITC_F32"
  llvm::StringLiteral cType;      ///< "float"
  llvm::StringLiteral text;       ///< for people: "float32"
};

/// Whether the runtime knows the type.
bool isElementType(mlir::Type type);

/// `type` must be one that the runtime knows.
const ElementTypeInfo &elementTypeInfo(mlir::Type type);

/// Bytes of one value.
inline int64_t elementBytes(mlir::Type type) {
  return elementTypeInfo(type).bytes;
}

} // namespace vitc::kernel

#endif // VITC_DIALECT_KERNEL_IR_ELEMENTTYPES_H
