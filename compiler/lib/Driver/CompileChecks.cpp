// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CompileChecks.h"

#include "DeviceCode.h"

#include "vitc/Backend/Registry.h"
#include "vitc/Dialect/ViT/Transforms/Precision.h"
#include "vitc/Pipelines/Pipelines.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

using namespace vitc;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::StringRef;
using llvm::Twine;

llvm::Error vitc::checkOptions(const CompileOptions &options) {
  auto isOneOf = [](StringRef option, StringRef value,
                    ArrayRef<StringRef> known) -> llvm::Error {
    if (llvm::is_contained(known, value))
      return llvm::Error::success();
    return userError(option + " " + value + ": known are " +
                     llvm::join(known, ", "));
  };
  if (options.batch < 1 || options.batch > 1024)
    return userError("--batch " + Twine(options.batch) +
                     " is not between 1 and 1024");
  if (llvm::Error error =
          isOneOf("--precision", options.precision, vit::precisionWords()))
    return error;
  if (llvm::Error error =
          isOneOf("--backend", options.backend, backendChoices()))
    return error;
  for (const std::string &rewrite : options.disabledRewrites)
    if (llvm::Error error = isOneOf("--disable-rewrite", rewrite,
                                    SmallVector<StringRef>(rewriteNames())))
      return error;
  if (!options.untilAfter.empty()) {
    std::vector<StringRef> names = {"import"};
    for (const Stage &stage : stages())
      names.push_back(stage.name);
    return isOneOf("--until-after", options.untilAfter, names);
  }
  return isOneOf("--emit", options.emit,
                 {"library", "source", "mlir", "kernels"});
}

/// TVM is optional: a vitc that was built without it says how to get it.
static llvm::Error requireTvm(const Twine &option,
                              const Installation &installation) {
  std::string program = backendProgram(installation.backendFolder, tvmBackend);
  if (llvm::sys::fs::exists(program))
    return llvm::Error::success();
  return userError(
      option + ": there is no " + program +
      ", since vitc was built without TVM; tools/setup --tests installs "
      "it, then build vitc again");
}

static llvm::Error checkTensorCores(const Target &target,
                                    const Installation &installation) {
  const std::string option = "--tensor-cores";
  if (target.device != "cuda")
    return userError(option + ": --target " + target.name +
                     " has none; those called cuda-… have");
  if (llvm::Error error = requireTvm(option, installation))
    return error;
  if (findDeviceCompiler(target).empty())
    return userError(option +
                     ": nvcc was not found as $NVCC, or without that in the "
                     "PATH, $CUDA_HOME/bin or /usr/local/cuda/bin");
  return llvm::Error::success();
}

llvm::Error vitc::checkTarget(const CompileOptions &options,
                              const Target &target,
                              const Installation &installation) {
  if (!target.device.empty() && options.fastMatmul)
    return userError("--fast-matmul: there is none for --target " +
                     target.name);
  if (options.precision != "f32" &&
      (!target.device.empty() || options.backend == tvmBackend))
    return userError(
        "--precision " + options.precision +
        ": Halide's kernels for CPUs have it (targets called "
        "x86-64… and arm-64…), not " +
        (target.device.empty() ? "--backend tvm" : "--target " + target.name) +
        "; leave it out for f32");
  if (options.precision != "f32" && options.fastMatmul)
    return userError("--fast-matmul: it is for --precision f32, not for " +
                     options.precision);
  if (!target.device.empty() && options.backend == tvmBackend)
    return userError("--backend tvm: it lacks kernels for --target " +
                     target.name);
  if (options.backend == tvmBackend)
    if (llvm::Error error = requireTvm("--backend tvm", installation))
      return error;
  return options.tensorCores ? checkTensorCores(target, installation)
                             : llvm::Error::success();
}
