// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "functions.h"

#include <cstdlib>
#include <dlfcn.h>

namespace vitc::rt::driver {

void *loadFunctions(const char *library, const Function *functions,
                    size_t count) {
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return nullptr;
  for (size_t i = 0; i < count; ++i) {
    *functions[i].pointer = dlsym(handle, functions[i].name);
    if (!*functions[i].pointer) {
      dlclose(handle);
      return nullptr;
    }
  }
  return handle;
}

void unloadFunctions(void *library) { dlclose(library); }

int deviceNumber() {
  const char *text = std::getenv("VITC_DEVICE");
  if (!text || !*text)
    return 0;
  char *end = nullptr;
  long number = std::strtol(text, &end, 10);
  return *end == '\0' && number >= 0 && number < 1024 ? int(number) : -1;
}

} // namespace vitc::rt::driver
