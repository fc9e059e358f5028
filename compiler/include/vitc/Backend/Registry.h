// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The backends that vitc knows, and their programs.
#ifndef VITC_BACKEND_REGISTRY_H
#define VITC_BACKEND_REGISTRY_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <map>
#include <string>
#include <vector>

namespace vitc {

/// The backend that compiles whatever the others lack, and TVM's.
inline constexpr llvm::StringLiteral defaultBackend = "halide",
                                     tvmBackend = "tvm";
/// What `--backend` takes besides names: the faster one, kernel by kernel.
inline constexpr llvm::StringLiteral everyBackend = "auto";

/// All names, the default one first.
llvm::ArrayRef<llvm::StringRef> backendNames();

/// What `--backend` takes.
std::vector<llvm::StringRef> backendChoices();

/// A backend's program in the folder that holds them all.
std::string backendProgram(llvm::StringRef folder, llvm::StringRef backend);

/// Every backend's program, by the backend's name, installed or not.
std::map<std::string, std::string> backendPrograms(llvm::StringRef folder);

} // namespace vitc

#endif // VITC_BACKEND_REGISTRY_H
