// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The C++ compiler and the binutils for an architecture, this machine's own
/// or another.
#ifndef VITC_DRIVER_TOOLCHAIN_H
#define VITC_DRIVER_TOOLCHAIN_H

#include "vitc/TargetInfo/Targets.h"

#include <string>
#include <vector>

namespace vitc {

/// What a user may say about it.
struct ToolchainOptions {
  std::string cxx;     ///< --cxx: a program; chosen by findToolchain if empty
  std::string sysroot; ///< --sysroot: the other machine's headers and
                       ///< libraries; the compiler's own if empty
};

struct Toolchain {
  std::string compiler, objcopy, ar; ///< paths
  std::vector<std::string> flags;    ///< that every call of the compiler takes
};

/// For this machine's own architecture $CXX, c++, g++ or clang++; for another
/// one the distribution's cross compiler. A compiler that was named must
/// compile for the architecture. Errors say which package is missing.
llvm::Expected<Toolchain> findToolchain(const Architecture &architecture,
                                        const ToolchainOptions &options);

} // namespace vitc

#endif // VITC_DRIVER_TOOLCHAIN_H
