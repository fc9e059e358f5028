/// One function per model family; Import.cpp picks by `model_type`.
#ifndef VITC_LIB_FRONTEND_FAMILIES_H
#define VITC_LIB_FRONTEND_FAMILIES_H

#include "vitc/Dialect/ViT/IR/ViT.h"
#include "vitc/Frontend/Import.h"

namespace vitc {

/// What a family's frontend gets and gives.
struct FamilyImport {
  mlir::MLIRContext *context;
  const JsonObject &config;
  const Checkpoint *checkpoint; ///< null: declare the parameters only
  const ImportOptions &options;
  // Filled in by the frontend:
  int64_t channels = 0, height = 0, width = 0;
  std::vector<std::string> labels;
};

llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
importHuggingFaceViT(FamilyImport &import);

/// An activation as transformers names it; the error lists the known names.
llvm::Expected<vit::Activation> readActivation(const JsonObject &config,
                                               llvm::StringRef key,
                                               llvm::StringRef fallback);

/// `id2label`, or as many empty names as `num_labels` says; 2 where the config
/// has neither, as transformers assumes.
llvm::Expected<std::vector<std::string>> readLabels(const JsonObject &config);

} // namespace vitc

#endif // VITC_LIB_FRONTEND_FAMILIES_H
