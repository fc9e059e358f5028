// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Helpers of the verifiers.
#ifndef VITC_LIB_DIALECT_VIT_IR_VERIFY_H
#define VITC_LIB_DIALECT_VIT_IR_VERIFY_H

#include "vitc/Dialect/ViT/IR/ViT.h"

namespace vitc::vit {
using namespace mlir;

inline ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}
inline int64_t lastDim(Value value) { return shapeOf(value).back(); }

/// "[1, 17, 48]".
inline std::string words(ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "[";
  llvm::interleaveComma(shape, os);
  os << "]";
  return text;
}

/// Fails unless `value`, if there is one, has exactly the shape.
inline LogicalResult expectShape(Operation *op, StringRef what, Value value,
                                 ArrayRef<int64_t> shape) {
  if (!value || shapeOf(value) == shape)
    return success();
  return op->emitOpError() << what << " has shape " << words(shapeOf(value))
                           << ", expected " << words(shape);
}

/// `shape` with another last dimension.
inline SmallVector<int64_t> withLastDim(ArrayRef<int64_t> shape, int64_t last) {
  SmallVector<int64_t> result(shape);
  result.back() = last;
  return result;
}

/// Rows and columns, one or more of each, within 32 bits so that products fit
/// in 64.
inline bool isGrid(ArrayRef<int64_t> grid) {
  return grid.size() == 2 && llvm::all_of(grid, [](int64_t extent) {
           return extent >= 1 && extent <= INT32_MAX;
         });
}

} // namespace vitc::vit

#endif // VITC_LIB_DIALECT_VIT_IR_VERIFY_H
