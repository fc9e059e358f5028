// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The generated text of a library: header, glue, package files, example.
#ifndef VITC_TARGET_CPP_LIBRARY_H
#define VITC_TARGET_CPP_LIBRARY_H

#include "vitc/Dialect/Kernel/IR/ElementTypes.h"
#include "vitc/Preprocess/ImageProcessor.h"
#include "vitc/Target/Cpp/OutputForms.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace vitc {

struct OutputDescription {
  std::string name;
  std::vector<int64_t> shape; ///< of a full batch
  const kernel::ElementTypeInfo *type = nullptr;
  OutputForm form;

  int64_t elements() const;
  int64_t bytes() const { return elements() * type->bytes; }
};

/// One kernel call, for observers: see vitc_step_v2.
struct StepDescription {
  std::string layer, kernel;
  double flops, bytes;
  int64_t images; ///< that one call computes
  const kernel::ElementTypeInfo *type;
  int64_t bufferOffset, bufferRows, bufferColumns, bufferStride;
  /// That it is a step of; empty for all.
  std::vector<std::string> levels;
};

/// One instruction set.
struct VariantDescription {
  std::string level; ///< "avx2"
  std::string cpu;   ///< what it needs: an expression of vitc::rt::CpuFeatures
  std::string kernels; ///< the level whose kernels it runs: itself or an
                       ///< earlier one
};

/// Everything the texts say about one library.
struct LibraryDescription {
  std::string name;   ///< the identifier ID
  std::string model;  ///< the model's own name, for comments
  std::string target; ///< vitc's name of it
  std::vector<VariantDescription>
      variants; ///< from the least demanding to the most
  int64_t batch, channels, height, width;
  std::vector<OutputDescription> outputs;
  std::vector<StepDescription> steps;
  std::vector<std::string> labels; ///< of the classes, by index; may be empty
  ImageProcessor processor;
  int64_t workspaceBytes; ///< of the whole batch
  int64_t stackBytes;     ///< that a thread needs which runs it
  int64_t imageWorkspaceBytes, pixelsOffset, scratchOffset, scratchBytes;
  uint64_t weightsBytes, weightsIdentity;
  bool embedWeights;
  double flops;
  std::string device;  ///< "cuda" or "opencl"; empty for a CPU
  int64_t deviceLevel; ///< see vitc::rt::Model
};

/// How many images of the batch the calls at the end compute at once; 1 if
/// there are no such calls.
int64_t tailImages(const LibraryDescription &library);

/// Outputs, steps and sizes of a planned module, which computes one image, for
/// a batch of images. `forms` are those of its outputs.
LibraryDescription describeLibrary(mlir::ModuleOp module, int64_t batch,
                                   llvm::ArrayRef<OutputForm> forms);

/// The functions of the API, each after `ID_`: all that a library exports.
constexpr llvm::StringLiteral apiFunctions[] = {
    "create", "run", "run_tensor", "label", "destroy", "status_text", "model"};

/// include/ID.h.
std::string emitHeader(const LibraryDescription &library);
/// The C API and the table behind it.
std::string emitApi(const LibraryDescription &library);
/// lib/cmake/ID/IDConfig.cmake, lib/pkgconfig/ID.pc.
std::string emitCMakeConfig(const LibraryDescription &library);
std::string emitPkgConfig(const LibraryDescription &library);
/// example/main.cpp and example/CMakeLists.txt.
std::string emitExample(const LibraryDescription &library);
std::string emitExampleCMake(const LibraryDescription &library);
/// example/toolchain.cmake, for products that are built on another machine than
/// the library's; `triple` is what the cross tools start in, `processor` and
/// `emulator` are names.
std::string emitToolchainFile(llvm::StringRef triple, llvm::StringRef processor,
                              llvm::StringRef emulator);

/// The levels that have kernels and a forward function of their own.
std::vector<std::string> kernelLevels(const LibraryDescription &library);
/// What the symbols of a level's kernels end in; nothing where there is one
/// such level only.
std::string kernelSuffix(const LibraryDescription &library,
                         llvm::StringRef kernelLevel);
/// Whether a step calls the kernel of a level with that symbol.
bool isCallOf(const StepDescription &step, llvm::StringRef kernel,
              const LibraryDescription &library);
/// The forward function of one of the kernelLevels, and what finishes a batch,
/// through EmitC; `module` is a planned module.
llvm::Expected<std::string> emitForward(mlir::ModuleOp module,
                                        const LibraryDescription &library,
                                        llvm::StringRef kernelLevel);

} // namespace vitc

#endif // VITC_TARGET_CPP_LIBRARY_H
