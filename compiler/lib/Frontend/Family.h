// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What the frontends of all families share.
#ifndef VITC_LIB_FRONTEND_FAMILY_H
#define VITC_LIB_FRONTEND_FAMILY_H

#include "vitc/Frontend/Builder/ModelBuilder.h"
#include "vitc/Frontend/Import.h"

namespace vitc {

/// What a family's frontend gets and gives.
struct FamilyImport {
  mlir::MLIRContext *context;
  const JsonObject &config;
  const Checkpoint *checkpoint; ///< null: declare the parameters only
  const ImportOptions &options;
  llvm::StringRef processorPath; ///< empty if there is none
  // Filled in by the frontend:
  int64_t channels = 0, height = 0, width = 0;
  std::vector<std::string> labels = {};
  /// How images are prepared, if the folder has no file that says so.
  std::optional<ImageProcessor> processor = std::nullopt;
};

/// The model, or what is wrong with its config or checkpoint.
using FamilyResult = llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>;

/// The grid of the patches of such an image; an error if there is none.
llvm::Expected<Grid> gridOfPatches(const FamilyImport &import, Grid image,
                                   Grid patch);

/// An empty model for images of that size, of which `import` is told.
ModelBuilder startModel(FamilyImport &import, int64_t channels, Grid image);

/// Rows and columns of the image for a model that takes any size: that of
/// --image-size, else what the image processor makes, else the config's.
llvm::Expected<std::pair<int64_t, int64_t>>
sizeOfImage(const FamilyImport &import, int64_t channels,
            std::pair<int64_t, int64_t> configSize);

} // namespace vitc

#endif // VITC_LIB_FRONTEND_FAMILY_H
