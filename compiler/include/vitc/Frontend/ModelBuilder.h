/// The building blocks that frontends share: parameters checked against the
/// checkpoint, and the layers made of them.
#ifndef VITC_FRONTEND_MODELBUILDER_H
#define VITC_FRONTEND_MODELBUILDER_H

#include "vitc/Dialect/ViT/IR/ViT.h"
#include "vitc/Frontend/Checkpoint.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/MapVector.h"

namespace vitc {

/// Names of the layers of one pre-norm encoder block, without `.weight` and
/// `.bias`.
struct BlockNames {
  std::string block; ///< of the block as a whole, for messages and reports
  std::string normBeforeAttention, query, key, value, attentionOutput,
      normBeforeMlp, mlpUp, mlpDown;
};

struct BlockShape {
  int64_t heads, hidden;
  double eps;
  vit::Activation activation;
  bool qkvBias;
};

/// Grows one model. An error (a tensor that is missing or has another shape) is
/// kept and reported by finish(), so that layers read like formulas.
class ModelBuilder {
public:
  /// `checkpoint` may be null: then parameters are only declared (random
  /// weights).
  ModelBuilder(mlir::MLIRContext *context, const Checkpoint *checkpoint,
               llvm::ArrayRef<int64_t> imageShape);

  mlir::Value image() { return function.getArgument(0); }
  /// The checkpoint's tensor of that name.
  mlir::Value parameter(const llvm::Twine &name, llvm::ArrayRef<int64_t> shape);
  /// True if the checkpoint has the tensor (or there is no checkpoint, and
  /// every tensor is as good as there).
  bool hasTensor(llvm::StringRef name) const;

  mlir::Value patchEmbed(const llvm::Twine &name, int64_t width,
                         int64_t patchHeight, int64_t patchWidth, bool bias);
  mlir::Value concatTokens(llvm::StringRef name, mlir::Value tokens,
                           mlir::Value sequence);
  /// Adds the table, resized first if its grid is another one. `prefix` tokens
  /// stand in front of the grid.
  mlir::Value addPosition(llvm::StringRef name, mlir::Value sequence,
                          int64_t prefix, std::pair<int64_t, int64_t> tableGrid,
                          std::pair<int64_t, int64_t> imageGrid);
  mlir::Value layerNorm(const llvm::Twine &name, mlir::Value x, double eps);
  mlir::Value linear(const llvm::Twine &name, mlir::Value x, int64_t outputs,
                     bool bias);
  mlir::Value head(const llvm::Twine &name, mlir::Value pooled, int64_t outputs,
                   vit::Activation activation);
  mlir::Value pool(const llvm::Twine &name, mlir::Value sequence,
                   vit::PoolKind kind, int64_t first);
  mlir::Value softmax(const llvm::Twine &name, mlir::Value x);
  mlir::Value stack(const llvm::Twine &name,
                    llvm::ArrayRef<mlir::Value> layers);

  struct BlockResult {
    mlir::Value sequence, probabilities;
  };
  /// x + attention(norm(x)), then x + mlp(norm(x)).
  BlockResult encoderBlock(const BlockNames &names, const BlockShape &shape,
                           mlir::Value x);

  /// Offers an output; which ones are computed is decided in finish().
  void output(llvm::StringRef name, mlir::Value value) {
    available[name] = value;
  }

  /// The module with the outputs asked for (`fallback` if none is), nothing
  /// that they do not need, and every tensor of the checkpoint either used by
  /// the family or accepted by `mayIgnore`.
  llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
  finish(llvm::ArrayRef<std::string> outputs, llvm::StringRef fallback,
         llvm::function_ref<bool(llvm::StringRef)> mayIgnore);

  /// Keeps the first error.
  void fail(llvm::Error error);

private:
  mlir::Location named(const llvm::Twine &name);
  llvm::Error
  checkForExtraTensors(llvm::function_ref<bool(llvm::StringRef)> mayIgnore);

  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp function;
  mlir::OpBuilder builder;
  const Checkpoint *checkpoint;
  llvm::MapVector<llvm::StringRef, mlir::Value> available;
  llvm::StringMap<mlir::Value> parameters;
  std::string firstError;
};

} // namespace vitc

#endif // VITC_FRONTEND_MODELBUILDER_H
