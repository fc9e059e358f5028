// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The identifier ID of a library: it names `ID.h`, `libID.a` and every
/// function of the API, and must not get into the way of anything else there.
#ifndef VITC_LIB_DRIVER_LIBRARYNAME_H
#define VITC_LIB_DRIVER_LIBRARYNAME_H

#include "vitc/Target/Cpp/Library.h"

namespace vitc {

/// `given` (--name) if a library can be called so, else an error that suggests
/// another; a name that is derived from the model's if `given` is empty.
llvm::Expected<std::string> chooseLibraryName(llvm::StringRef given,
                                              llvm::StringRef modelName);

/// The names that become identifiers of generated code. One that is none is a
/// bug of vitc, which must not become code.
llvm::Error checkNames(const LibraryDescription &library);

} // namespace vitc

#endif // VITC_LIB_DRIVER_LIBRARYNAME_H
