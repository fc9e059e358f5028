// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "LibraryFiles.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"

using namespace vitc;

llvm::Error vitc::writeKernels(const Staging &staging, const KernelSet &set) {
  for (auto [request, kernel] : llvm::zip(set.requests, set.kernels)) {
    if (llvm::Error error = staging.write(
            "kernels/" + kernel.name + ".spec.json", request.toText() + "\n"))
      return error;
    if (llvm::Error error =
            staging.write("kernels/" + kernel.name + ".cpp", kernel.adapter))
      return error;
    if (llvm::Error error = staging.write(
            "kernels/" + kernel.name + ".json",
            llvm::formatv("{0:2}\n",
                          llvm::json::Value(llvm::json::Object(kernel.report)))
                .str()))
      return error;
    if (std::error_code code = llvm::sys::fs::copy_file(
            kernel.objectPath, staging.path("kernels/" + kernel.name + ".o")))
      return userError(kernel.objectPath,
                       "cannot be copied: " + code.message());
  }
  return llvm::Error::success();
}

llvm::Error vitc::writeLibraryFiles(const Staging &staging,
                                    const LibraryDescription &library,
                                    const Target &target,
                                    const std::string &manifest) {
  const std::string &id = library.name;
  std::vector<std::pair<std::string, std::string>> files = {
      {"include/" + id + ".h", emitHeader(library)},
      {"share/" + id + "/manifest.json", manifest},
      {"lib/cmake/" + id + "/" + id + "Config.cmake", emitCMakeConfig(library)},
      {"lib/pkgconfig/" + id + ".pc", emitPkgConfig(library)},
      {"example/main.cpp", emitExample(library)},
      {"example/CMakeLists.txt", emitExampleCMake(library)}};
  if (const Architecture &foreign = *target.architecture; !isHost(foreign))
    files.push_back(
        {"example/toolchain.cmake",
         emitToolchainFile(foreign.triple, foreign.name, foreign.emulator)});
  for (auto &[name, text] : files)
    if (llvm::Error error = staging.write(name, text))
      return error;
  return llvm::Error::success();
}
