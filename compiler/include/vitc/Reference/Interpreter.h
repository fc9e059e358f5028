// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The truth: the vit dialect in double precision, written to be read.
///
/// Every pass, kernel, target and precision is compared with this. Speed comes
/// from plain loops on all cores, nothing else.
#ifndef VITC_REFERENCE_INTERPRETER_H
#define VITC_REFERENCE_INTERPRETER_H

#include "vitc/Checkpoint/Checkpoint.h"
#include "vitc/Dialect/ViT/IR/ViT.h"

#include <functional>
#include <vector>

namespace vitc {

/// A tensor of doubles, row-major.
struct Tensor {
  std::vector<int64_t> shape;
  std::vector<double> data;

  Tensor() = default;
  explicit Tensor(llvm::ArrayRef<int64_t> shape);
  int64_t dim(int64_t i) const { return shape[i < 0 ? shape.size() + i : i]; }
  /// All dimensions but the last, flattened.
  int64_t rows() const { return data.size() / shape.back(); }
  double *row(int64_t i) { return data.data() + i * shape.back(); }
  const double *row(int64_t i) const { return data.data() + i * shape.back(); }
};

/// Called with every value that the function computes, under its layer's name.
using TensorObserver =
    std::function<void(llvm::StringRef layer, const Tensor &value)>;

/// Runs `forward` of the module on an image tensor; the results are its
/// outputs, in order.
std::vector<Tensor> interpret(mlir::ModuleOp module,
                              const Checkpoint &checkpoint, const Tensor &image,
                              const TensorObserver &observer = nullptr);

/// A parameter's value: the checkpoint's tensor, or what the body of a derived
/// one computes.
Tensor evaluateParameter(vit::ParameterOp parameter,
                         const Checkpoint &checkpoint);

} // namespace vitc

#endif // VITC_REFERENCE_INTERPRETER_H
