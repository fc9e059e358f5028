// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// One op of the vit dialect on tensors.
#ifndef VITC_LIB_REFERENCE_EXECUTE_H
#define VITC_LIB_REFERENCE_EXECUTE_H

#include "vitc/Reference/Interpreter.h"

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

/// Computes an op of the vit dialect, whose operands have values.
Results execute(mlir::Operation *op, const Values &values);

} // namespace vitc::reference

#endif // VITC_LIB_REFERENCE_EXECUTE_H
