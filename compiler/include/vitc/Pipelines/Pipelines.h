// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The life of a model as named stages of passes.
#ifndef VITC_PIPELINES_PIPELINES_H
#define VITC_PIPELINES_PIPELINES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>
#include <vector>

namespace mlir {
class DialectRegistry;
class OpPassManager;
} // namespace mlir

namespace vitc {

/// Every dialect that a model passes through.
void registerDialects(mlir::DialectRegistry &registry);
/// Every pass of the project, and the pipeline `vitc-lower` that runs them all.
void registerPasses();

/// What the module does not say itself: its `kernel.target` is the target.
struct PipelineOptions {
  std::vector<std::string> disabledRewrites; ///< some of rewriteNames()
  int64_t images = 1;   ///< of a batch, whose tail runs for several at once
  bool remarks = false; ///< tell how each layer is computed, and why
};

/// The exact rewrites that can be turned off, each the name of its pass without
/// `vit-` or `kernel-`; and `winograd`, Winograd inner products, which some
/// CPUs gain by, and which a target's description leaves out.
llvm::ArrayRef<llvm::StringLiteral> rewriteNames();
constexpr llvm::StringLiteral winogradName = "winograd";

/// One stage: its passes, in order.
struct Stage {
  llvm::StringLiteral name;
  llvm::StringLiteral summary;
  void (*populate)(mlir::OpPassManager &manager,
                   const PipelineOptions &options);
};

/// simplify, fuse, precision, kernels, plan: from the imported model to placed
/// kernel calls.
llvm::ArrayRef<Stage> stages();

} // namespace vitc

#endif // VITC_PIPELINES_PIPELINES_H
