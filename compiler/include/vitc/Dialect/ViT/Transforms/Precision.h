// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The precisions that a model can be compiled in.
#ifndef VITC_DIALECT_VIT_TRANSFORMS_PRECISION_H
#define VITC_DIALECT_VIT_TRANSFORMS_PRECISION_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <vector>

namespace vitc::vit {

enum class Precision { F32, Bf16, F16, Int8 };

/// A precision as users spell it, and what it is in a line.
struct PrecisionInfo {
  Precision precision;
  llvm::StringLiteral word;
  llvm::StringLiteral summary;
};
inline constexpr PrecisionInfo precisions[] = {
    {Precision::F32, "f32", "float32 throughout"},
    {Precision::Bf16, "bf16", "linear layers of bfloat16, sums in float32"},
    {Precision::F16, "f16", "weights stored as float16, computed in float32"},
    {Precision::Int8, "int8",
     "linear layers of 8-bit weights and rows, exact sums"},
};

/// The words, in that order.
inline std::vector<llvm::StringRef> precisionWords() {
  std::vector<llvm::StringRef> words;
  for (const PrecisionInfo &info : precisions)
    words.push_back(info.word);
  return words;
}

std::optional<Precision> toPrecision(llvm::StringRef word);

/// On the module: the word of its precision. Without it: f32.
constexpr llvm::StringLiteral precisionAttrName = "vit.precision";
Precision precisionOf(mlir::ModuleOp module);
/// On a module of int8 that is interpreted: its 8-bit rows have 7 bits, as on
/// levels whose products take no more. Kernels know that by themselves.
constexpr llvm::StringLiteral sevenBitsAttrName = "vit.seven_bit_rows";

} // namespace vitc::vit

#endif // VITC_DIALECT_VIT_TRANSFORMS_PRECISION_H
