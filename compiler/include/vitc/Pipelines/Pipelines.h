/// The way of a model through the passes, as named stages.
#ifndef VITC_PIPELINES_PIPELINES_H
#define VITC_PIPELINES_PIPELINES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>

namespace mlir {
class DialectRegistry;
class OpPassManager;
} // namespace mlir

namespace vitc {

/// Every dialect that a model passes through.
void registerDialects(mlir::DialectRegistry &registry);
/// Every pass of the project, and the pipeline `vitc-lower` that runs them all.
void registerPasses();

struct PipelineOptions {
  int64_t panel = 16;             ///< columns in a panel of packed weights: the target's
  std::string cppNamespace = "model"; ///< of the emitted C++
};

/// One stage: its passes, in order.
struct Stage {
  llvm::StringLiteral name;
  llvm::StringLiteral summary;
  void (*populate)(mlir::OpPassManager &manager, const PipelineOptions &options);
};

/// import, simplify, fuse, kernels, plan: from the imported model to placed kernel calls.
llvm::ArrayRef<Stage> stages();

} // namespace vitc

#endif // VITC_PIPELINES_PIPELINES_H
