// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// ID_STACK_BYTES: how much stack a thread needs that runs a library.
#ifndef VITC_LIB_DRIVER_STACKBYTES_H
#define VITC_LIB_DRIVER_STACKBYTES_H

#include "vitc/Backend/StackUse.h"
#include "vitc/Target/Cpp/Library.h"

namespace vitc {

/// A library's object files before they become one.
struct LibraryObjects {
  std::vector<std::string> runtime, forwards;
  std::vector<std::string> others; ///< kernels, their adapters, the weights
};

class StackBytes {
public:
  /// Sets `stackBytes` of the description from all objects but that of the
  /// functions of ID.h, which come with the header that has the figure.
  static llvm::Expected<StackBytes> measure(const LibraryObjects &objects,
                                            LibraryDescription &library);

  /// Of one kernel with the threads that run its tasks.
  llvm::Expected<uint64_t> ofKernel(llvm::StringRef name) {
    return use.ofFunction(name);
  }

  /// An error if the functions of ID.h need more than was counted on.
  llvm::Error check(const std::string &apiObject);

private:
  StackUse use;
  uint64_t runtime = 0, forApi = 0;
};

} // namespace vitc

#endif // VITC_LIB_DRIVER_STACKBYTES_H
