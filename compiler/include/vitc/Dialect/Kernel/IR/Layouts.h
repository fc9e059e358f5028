// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What layouts of parameters in the weights file have in common (see
/// KernelLayouts.td). Each has a file of its own in lib/Dialect/Kernel/Layouts.
#ifndef VITC_DIALECT_KERNEL_IR_LAYOUTS_H
#define VITC_DIALECT_KERNEL_IR_LAYOUTS_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"

namespace vitc::kernel {

/// The values of a parameter, wherever they come from.
class ParameterReader {
public:
  explicit ParameterReader(mlir::RankedTensorType type) : type(type) {}
  virtual ~ParameterReader() = default;

  /// Elements in row-major order, from `first` on.
  virtual void read(int64_t first, llvm::MutableArrayRef<float> out) const = 0;

  mlir::RankedTensorType getType() const { return type; }

private:
  mlir::RankedTensorType type;
};

/// A parameter as a matrix [n, k]: k is all dimensions but the first.
struct MatrixShape {
  explicit MatrixShape(mlir::RankedTensorType type)
      : n(type.getDimSize(0)), k(type.getNumElements() / n) {}
  int64_t n, k;
};

/// The memory of a buffer as elements of a type.
template <typename T>
llvm::MutableArrayRef<T> elementsOf(llvm::MutableArrayRef<char> bytes) {
  return {reinterpret_cast<T *>(bytes.data()), bytes.size() / sizeof(T)};
}

/// Stores numbers of a row of a parameter, which all have the parameter's
/// format: `at(i)` is the place of the i-th, in elements of `out`.
void storeRow(mlir::Type elementType, llvm::ArrayRef<float> row,
              llvm::MutableArrayRef<char> out,
              llvm::function_ref<int64_t(int64_t)> at);

/// Widths of panels and lengths of rows are at most this, so that sizes of
/// buffers fit in 64 bits.
constexpr int64_t longestRow = int64_t(1) << 20;

/// Fails unless a width or a stride is between 1 and `longestRow`.
llvm::LogicalResult
verifyExtent(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
             llvm::StringRef name, int64_t extent);

} // namespace vitc::kernel

#include "vitc/Dialect/Kernel/IR/KernelLayoutInterfaces.h.inc"

#endif // VITC_DIALECT_KERNEL_IR_LAYOUTS_H
