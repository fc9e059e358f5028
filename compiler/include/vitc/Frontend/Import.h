// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// From a published model to the vit dialect.
#ifndef VITC_FRONTEND_IMPORT_H
#define VITC_FRONTEND_IMPORT_H

#include "vitc/Checkpoint/Checkpoint.h"
#include "vitc/Preprocess/ImageProcessor.h"
#include "vitc/Support/Json.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <optional>

namespace vitc {

struct ImportOptions {
  int64_t batch = 1;
  std::optional<std::pair<int64_t, int64_t>>
      imageSize;                    ///< height, width; the config's if absent
  std::vector<std::string> outputs; ///< the model's main output if empty
};

struct ImportedModel {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  ImageProcessor processor;
  std::vector<std::string>
      labels; ///< of the classes, by index; empty if the config has none
  std::vector<std::string> warnings;
};

/// A model as the user names it, opened but not yet read through.
struct ModelSource {
  std::string name;                 ///< the folder's, file's or preset's
  std::optional<JsonObject> config; ///< always set
  std::string processorPath;        ///< empty if there is none
  std::unique_ptr<Checkpoint>
      checkpoint; ///< null until importModel() makes random weights
  std::optional<uint64_t> seed; ///< of the random weights
};

/// `model` is a folder, a weights file (with `configPath`), or a name from
/// models/ or of timm's (with `seed`).
llvm::Expected<ModelSource> openModel(llvm::StringRef model,
                                      llvm::StringRef configPath,
                                      std::optional<uint64_t> seed,
                                      llvm::StringRef modelsFolder);

/// Imports the model with the frontend of its `model_type`. With random weights
/// it fills in `source.checkpoint`.
llvm::Expected<ImportedModel> importModel(mlir::MLIRContext *context,
                                          ModelSource &source,
                                          const ImportOptions &options);

/// Names that timm's configs may have as `architecture`, sorted, each with the
/// class that it stands for.
std::vector<std::pair<std::string, std::string>> listTimmArchitectures();

/// Elements of all parameters that the module reads from the checkpoint.
int64_t countParameters(mlir::ModuleOp module);

} // namespace vitc

#endif // VITC_FRONTEND_IMPORT_H
