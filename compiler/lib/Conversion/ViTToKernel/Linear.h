// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The forms of linear layers.
#ifndef VITC_CONVERSION_VITTOKERNEL_LINEAR_H
#define VITC_CONVERSION_VITTOKERNEL_LINEAR_H

#include "Lowering.h"

namespace vitc::lowering {

/// Rows, outputs and inputs of a layer.
struct LinearSizes {
  explicit LinearSizes(vit::LinearOp op);
  int64_t m, n, k;
};

/// What all calls of a layer say, the strides and k apart.
families::GemmSpec linearSpec(const Lowering &state, vit::LinearOp op,
                              bool bias, bool residual);

/// The words of a kernel's name: sizes, activation and what is added.
std::string linearWords(vit::LinearOp op, int64_t k, bool residual);

/// Where a layer's rows go: the sum may stand where the residual stood, so that
/// one buffer carries the sequence through all blocks. `a` is read meanwhile.
mlir::Value linearOutput(Lowering &state, vit::LinearOp op, mlir::Value a,
                         mlir::Value residual);

/// What a layer reads and writes in the workspace.
struct LinearBuffers {
  mlir::Value a;
  mlir::Value residual; ///< null for none
  mlir::Value out;
};

/// The layer by one level of Strassen's algorithm.
void lowerStrassen(Lowering &state, vit::LinearOp op,
                   const LinearBuffers &buffers);

} // namespace vitc::lowering

#endif // VITC_CONVERSION_VITTOKERNEL_LINEAR_H
