// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launches.h"

#include "shared.h"

#include <cstdlib>

namespace vitc::rt {

void Launches::beginRecording(driver::Queue where) {
  queue = where;
  recording = true;
}

vitc_status Launches::endRecording() {
  recording = false;
  vitc_status result = status;
  status = VITC_OK;
  return result;
}

void Launches::release() {
  for (int32_t i = 0; i < count; ++i)
    driver::releaseKernel(kernels[i]);
  std::free(kernels);
  kernels = nullptr;
  count = capacity = 0;
}

void Launches::use(const char *source, size_t bytes) {
  if (!recording || failed())
    return;
  status = findProgram(source, bytes, &program);
}

/// Finds the next launch's kernel, and makes room for it.
bool Launches::record(const char *name) {
  if (count == capacity) {
    int32_t larger = capacity ? 2 * capacity : 64;
    void *memory =
        std::realloc(kernels, size_t(larger) * sizeof(driver::Kernel));
    if (!memory) {
      status = VITC_ERROR_MEMORY;
      return false;
    }
    kernels = static_cast<driver::Kernel *>(memory);
    capacity = larger;
  }
  status = driver::findKernel(program, name, &kernels[count]);
  if (status != VITC_OK)
    return false;
  ++count;
  return true;
}

void Launches::launch(const char *name, const driver::Launch &launch) {
  if (failed() || (recording && !record(name)))
    return;
  int32_t index = recording ? count - 1 : next++;
  if (index >= count || !driver::launch(queue, kernels[index], launch))
    status = VITC_ERROR_DEVICE_FAILED;
}

} // namespace vitc::rt
