// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What can be said of a model without compiling it.
#ifndef VITC_TOOLS_MODEL_FACTS_H
#define VITC_TOOLS_MODEL_FACTS_H

#include "vitc/Frontend/Import.h"

namespace vitc::tool {

/// Read off the imported IR, so that every family is described the same way.
struct ModelFacts {
  std::string name;
  int64_t channels = 0;
  std::pair<int64_t, int64_t> image, patch; ///< height, width
  int64_t width = 0, depth = 0, heads = 0;  ///< heads of the first block
  int64_t parameters = 0;
  double flops = 0; ///< nominal, for one image
};
ModelFacts factsOf(mlir::ModuleOp module);

/// One output that the model can give.
struct OutputFacts {
  std::string name;
  std::vector<int64_t> shape; ///< for one image
  bool isMain = false;        ///< computed if none is asked for
};

/// A model's folder, looked into.
struct FolderFacts {
  ModelFacts model;
  std::string modelType;
  std::vector<std::string> architectures;
  std::vector<OutputFacts> outputs;
  int64_t labels = 0;
  std::string preprocessing; ///< in words
  std::string weights;       ///< in words; empty without
  /// Tensors of the checkpoint that no output reads.
  std::vector<std::string> unusedTensors;
  std::vector<std::string> remarks; ///< what is unusual about it
};
llvm::Expected<FolderFacts> lookInto(mlir::MLIRContext *context,
                                     llvm::StringRef model,
                                     llvm::StringRef modelsFolder);

} // namespace vitc::tool

#endif // VITC_TOOLS_MODEL_FACTS_H
