// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The element types of tensors that have fewer bits than float32, and the rule
/// by which numbers are rounded to each.
#ifndef VITC_DIALECT_VIT_IR_FORMATS_H
#define VITC_DIALECT_VIT_IR_FORMATS_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/ArrayRef.h"

#include <optional>

namespace vitc::vit {

/// What the numbers of a tensor are.
enum class Format {
  F32,
  F16,
  Bf16,
  /// Activations: a byte, of which each row has a scale and an offset.
  U8Rows,
  /// The same in 7 bits, for processors whose products take no more.
  U7Rows,
  /// Weights: a signed byte, of which each row has a scale.
  I8Rows,
};

/// Whether the format is one of activations alone.
constexpr bool isRowFormat(Format format) {
  return format == Format::U8Rows || format == Format::U7Rows;
}

/// The element type of a format.
mlir::Type elementType(mlir::MLIRContext *context, Format format);

/// The format of an element type; nothing for other types.
std::optional<Format> formatOf(mlir::Type elementType);

/// The integer or float that a number of the format is stored as.
mlir::Type storageType(mlir::Type elementType);

/// The largest magnitude of a byte of weights.
constexpr int mostWeight = 127;

/// The scale of a row of weights as bytes: its largest magnitude becomes
/// `mostWeight`. 0 for a row of zeros.
double weightScale(llvm::ArrayRef<float> row);

/// Rounds each number of a row to the nearest one that the format has.
void roundRow(llvm::MutableArrayRef<double> row, Format format);

} // namespace vitc::vit

#endif // VITC_DIALECT_VIT_IR_FORMATS_H
