// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Small models drawn from a seed: text of the vit dialect, weights and a
/// image.
#ifndef VITC_TEST_UNIT_REFERENCE_RANDOMMODEL_H
#define VITC_TEST_UNIT_REFERENCE_RANDOMMODEL_H

#include "vitc/Reference/Interpreter.h"

#include "mlir/IR/OwningOpRef.h"

#include <memory>
#include <string>

namespace vitc {

/// `forward` of a model with one to three blocks. The seed decides on sizes,
/// biases, activation, heads, pooling, a resized position embedding, pooler,
/// and which hidden states and attention maps are outputs too.
std::string randomModelText(uint64_t seed);

/// The module behind the text; the test fails if it does not parse.
mlir::OwningOpRef<mlir::ModuleOp> parse(llvm::StringRef text,
                                        mlir::MLIRContext &context);

/// Values for all parameters that are not derived.
std::unique_ptr<Checkpoint> randomWeights(mlir::ModuleOp module, uint64_t seed);

/// An image of the size that `forward` takes, with values from -1 to 1.
Tensor randomImage(mlir::ModuleOp module, uint64_t seed);

} // namespace vitc

#endif // VITC_TEST_UNIT_REFERENCE_RANDOMMODEL_H
