// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// One function per model family; Import.cpp picks by `model_type`.
#ifndef VITC_LIB_FRONTEND_FAMILIES_H
#define VITC_LIB_FRONTEND_FAMILIES_H

#include "vitc/Dialect/ViT/IR/ViT.h"
#include "vitc/Frontend/Import.h"
#include "vitc/Frontend/ModelBuilder.h"
#include "vitc/Support/JsonReader.h"

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
  /// How pictures are prepared, if the folder has no file that says so.
  std::optional<ImageProcessor> processor = std::nullopt;
};

/// The model, or what is wrong with its config or checkpoint.
using FamilyResult = llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>;

FamilyResult importHuggingFaceBeit(FamilyImport &import);
FamilyResult importHuggingFaceClip(FamilyImport &import);
FamilyResult importHuggingFaceDeiT(FamilyImport &import);
FamilyResult importHuggingFaceDinov2(FamilyImport &import);
FamilyResult importHuggingFaceDinov3(FamilyImport &import);
FamilyResult importHuggingFaceSiglip(FamilyImport &import);
FamilyResult importHuggingFaceMobileViT(FamilyImport &import);
FamilyResult importHuggingFaceSwin(FamilyImport &import);
FamilyResult importHuggingFaceViT(FamilyImport &import);

FamilyResult importOpenViT(FamilyImport &import);

/// A config with `architecture`: the classes of timm.
FamilyResult importTimm(FamilyImport &import);

/// The grid of the patches of such a picture; an error if there is none.
llvm::Expected<Grid> gridOfPatches(const FamilyImport &import, Grid picture,
                                   Grid patch);

/// An empty model for pictures of that size, of which `import` is told.
ModelBuilder startModel(FamilyImport &import, int64_t channels, Grid picture);

/// Of a classifier. Every class has a name in memory, even if it is empty; the
/// largest public set of labels has 22 thousand.
constexpr int64_t mostClasses = 1'000'000;

/// `id2label`, or as many empty names as `num_labels` says; 2 where the config
/// has neither, as transformers assumes.
llvm::Expected<std::vector<std::string>> readLabels(const JsonObject &config);

/// The class that the model was saved from: the first of `architectures` that
/// is among `known`. Empty if the config does not say.
llvm::Expected<std::string>
readArchitecture(const JsonObject &config,
                 llvm::ArrayRef<llvm::StringRef> known);

/// Rows and columns of the picture for a model that takes any size: that of
/// --image-size, else what the image processor makes, else the config's.
llvm::Expected<std::pair<int64_t, int64_t>>
sizeOfPicture(const FamilyImport &import, int64_t channels,
              std::pair<int64_t, int64_t> configSize);

/// A strict reader of a config in transformers' words.
class ConfigReader : public JsonReader {
public:
  using JsonReader::JsonReader;
  /// An activation as transformers names it.
  vit::Activation activation(llvm::StringRef key, llvm::StringRef fallback);
};

} // namespace vitc

#endif // VITC_LIB_FRONTEND_FAMILIES_H
