// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef VITC_LIB_DRIVER_RESERVEDNAMES_H
#define VITC_LIB_DRIVER_RESERVEDNAMES_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace vitc {

/// Why a library must not be called `name`, which is a C identifier; empty if
/// it may.
std::string whyReserved(llvm::StringRef name);

} // namespace vitc

#endif // VITC_LIB_DRIVER_RESERVEDNAMES_H
