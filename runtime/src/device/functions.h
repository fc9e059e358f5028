// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// A driver's library, loaded when it is needed.
#ifndef VITC_RUNTIME_SRC_DEVICE_FUNCTIONS_H
#define VITC_RUNTIME_SRC_DEVICE_FUNCTIONS_H

#include <cstddef>

namespace vitc::rt::driver {

/// A function by its name, and the pointer that it goes to.
struct Function {
  const char *name;
  void **pointer;
};

/// Loads `library` and finds all functions in it. Null, with nothing loaded, if
/// the library or one of them is missing.
void *loadFunctions(const char *library, const Function *functions,
                    size_t count);
void unloadFunctions(void *library);

/// The number in the environment variable VITC_DEVICE, 0 without one, -1 if it
/// is none.
int deviceNumber();

} // namespace vitc::rt::driver

#endif // VITC_RUNTIME_SRC_DEVICE_FUNCTIONS_H
