// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What tells two kernels' machine code apart.
#ifndef VITC_BACKEND_OBJECTCODE_H
#define VITC_BACKEND_OBJECTCODE_H

#include "vitc/Support/Error.h"

#include <string>

namespace vitc {

/// A hash of an object's instructions and constants. Its symbols do not count:
/// the same kernel has other names in other libraries.
llvm::Expected<std::string> hashCode(llvm::StringRef objectPath);

} // namespace vitc

#endif // VITC_BACKEND_OBJECTCODE_H
