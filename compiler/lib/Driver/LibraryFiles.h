// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The text files of OUT.
#ifndef VITC_LIB_DRIVER_LIBRARYFILES_H
#define VITC_LIB_DRIVER_LIBRARYFILES_H

#include "RecordedKernels.h"
#include "Staging.h"

#include "vitc/Target/Cpp/Library.h"
#include "vitc/TargetInfo/Targets.h"

namespace vitc {

/// What `--emit kernels` asks for: specifications, objects, adapters, reports.
llvm::Error writeKernels(const Staging &staging, const KernelSet &kernels);

/// Header, manifest, the files for CMake and pkg-config, and the example.
llvm::Error writeLibraryFiles(const Staging &staging,
                              const LibraryDescription &library,
                              const Target &target,
                              const std::string &manifest);

} // namespace vitc

#endif // VITC_LIB_DRIVER_LIBRARYFILES_H
