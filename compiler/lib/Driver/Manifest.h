// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// manifest.json: docs/Manifest.md.
#ifndef VITC_LIB_DRIVER_MANIFEST_H
#define VITC_LIB_DRIVER_MANIFEST_H

#include "StackBytes.h"

#include "vitc/Backend/KernelCompiler.h"
#include "vitc/Driver/Compile.h"
#include "vitc/Frontend/Import.h"
#include "vitc/Records/Records.h"
#include "vitc/Target/Cpp/Library.h"

namespace vitc {

struct ManifestInputs {
  const CompileOptions &options;
  const ModelSource &source;
  const ImportedModel &model;
  const LibraryDescription &library;
  llvm::ArrayRef<KernelRequest> requests;
  llvm::ArrayRef<CompiledKernel> kernels;
  llvm::ArrayRef<const tune::Record *> records; ///< null: default schedules
  int64_t parameters;
  bool winograd; ///< a level's products are Winograd's
  StackBytes &stack;
};

llvm::Expected<std::string> makeManifest(const ManifestInputs &inputs);

} // namespace vitc

#endif // VITC_LIB_DRIVER_MANIFEST_H
