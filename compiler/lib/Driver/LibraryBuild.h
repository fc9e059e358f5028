// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// From generated sources and kernel objects to libID.a and libID.so, with a
/// C++ compiler and binutils.
#ifndef VITC_LIB_DRIVER_LIBRARYBUILD_H
#define VITC_LIB_DRIVER_LIBRARYBUILD_H

#include "StackBytes.h"
#include "Staging.h"

#include "vitc/Backend/KernelCompiler.h"
#include "vitc/Driver/Compile.h"
#include "vitc/Target/Cpp/Library.h"

namespace vitc {

struct LibrarySources {
  std::vector<std::pair<std::string, std::string>>
      forwards; ///< file name and C++ text, one for each level
  llvm::ArrayRef<CompiledKernel> kernels; ///< objects and adapters
  std::string weightsPath; ///< embedded if the description says so
};

/// Writes lib/ of the staged folder, and src/ if the sources were asked for.
/// When all is compiled but the functions of ID.h, so that the library's stack
/// is known and stands in the description, `describe` writes the header and
/// returns these functions' C++ text.
llvm::Error buildLibrary(
    const Staging &staging, LibraryDescription &library,
    const LibrarySources &sources,
    llvm::function_ref<llvm::Expected<std::string>(StackBytes &stack)> describe,
    const Toolchain &toolchain, const CompileOptions &options,
    const Installation &installation, Cache &cache,
    llvm::function_ref<void(unsigned done, unsigned total)> progress);

} // namespace vitc

#endif // VITC_LIB_DRIVER_LIBRARYBUILD_H
