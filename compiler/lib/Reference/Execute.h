// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// One op of the vit dialect on tensors.
#ifndef VITC_LIB_REFERENCE_EXECUTE_H
#define VITC_LIB_REFERENCE_EXECUTE_H

#include "vitc/Reference/Interpreter.h"

#include "llvm/ADT/SmallVectorExtras.h"

namespace vitc::reference {

/// The values that ops read.
using Values = llvm::DenseMap<mlir::Value, Tensor>;

/// The values of an op's results. Ops have one result; an attention may have
/// its probabilities too.
struct Results {
  Results(Tensor first) : first(std::move(first)) {}
  Results(Tensor first, Tensor second)
      : first(std::move(first)), second(std::move(second)) {}
  Tensor first, second;
};

/// The values of an op's operands.
class Operands {
public:
  explicit Operands(const Values &values) : values(values) {}

  const Tensor &operator[](mlir::Value value) const {
    return values.find(value)->second;
  }
  /// Null for an operand that the op lacks.
  const Tensor *optional(mlir::Value value) const {
    return value ? &(*this)[value] : nullptr;
  }
  llvm::SmallVector<const Tensor *> all(mlir::ValueRange range) const {
    return llvm::map_to_vector(
        range, [&](mlir::Value value) { return &(*this)[value]; });
  }

private:
  const Values &values;
};

/// The reference operation of each op with the op's attributes: Execute.cpp, or
/// beside the operation. The linker names an op that has none.
struct Executor {
#define VITC_VIT_OP(Name) Results operator()(vit::Name##Op op) const;
#include "vitc/Dialect/ViT/IR/ViTOpList.h.inc"

  Operands in;
};

/// Computes an op of the vit dialect, whose operands have values.
Results execute(mlir::Operation *op, const Values &values);

} // namespace vitc::reference

#endif // VITC_LIB_REFERENCE_EXECUTE_H
