// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shared.h"

#include "../lock.h"

#include <cstdlib>
#include <new>

namespace vitc::rt {

namespace {

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

struct DeviceWeights {
  const void *host;
  driver::Memory memory;
  uint64_t users;
  DeviceWeights *next;
};

struct LoadedProgram {
  const char *source;
  driver::Program program;
  LoadedProgram *next;
};

uint64_t driverUsers = 0;
DeviceWeights *weightsInUse = nullptr;
LoadedProgram *programs = nullptr;

} // namespace

vitc_status acquireDriver(int32_t leastLevel) {
  Guard guard(mutex);
  if (driverUsers == 0)
    if (vitc_status status = driver::open(leastLevel))
      return status;
  ++driverUsers;
  return VITC_OK;
}

void releaseDriver() {
  Guard guard(mutex);
  if (--driverUsers > 0)
    return;
  driver::enter();
  while (programs) {
    LoadedProgram *next = programs->next;
    driver::unload(programs->program);
    std::free(programs);
    programs = next;
  }
  driver::leave();
  driver::close();
}

/// A new element in front of `list`.
template <typename T>
static vitc_status push(T *&list, const T &value) {
  void *memory = std::malloc(sizeof(T));
  if (!memory)
    return VITC_ERROR_MEMORY;
  list = new (memory) T(value);
  return VITC_OK;
}

vitc_status acquireDeviceWeights(driver::Queue queue, const void *host,
                                 size_t bytes, driver::Memory *memory) {
  Guard guard(mutex);
  for (DeviceWeights *known = weightsInUse; known; known = known->next) {
    if (known->host != host)
      continue;
    ++known->users;
    *memory = known->memory;
    return VITC_OK;
  }
  if (vitc_status status = driver::allocate(bytes, memory))
    return status;
  vitc_status status =
      driver::copyIn(queue, *memory, 0, host, bytes) && driver::finish(queue)
          ? VITC_OK
          : VITC_ERROR_DEVICE_FAILED;
  if (status == VITC_OK)
    status = push(weightsInUse, {host, *memory, 1, weightsInUse});
  if (status != VITC_OK)
    driver::release(*memory);
  return status;
}

void releaseDeviceWeights(const void *host) {
  Guard guard(mutex);
  DeviceWeights **link = &weightsInUse;
  while ((*link)->host != host)
    link = &(*link)->next;
  DeviceWeights *found = *link;
  if (--found->users > 0)
    return;
  *link = found->next;
  driver::release(found->memory);
  std::free(found);
}

vitc_status findProgram(const char *source, size_t bytes,
                        driver::Program *program) {
  Guard guard(mutex);
  for (LoadedProgram *known = programs; known; known = known->next) {
    if (known->source == source) {
      *program = known->program;
      return VITC_OK;
    }
  }
  if (vitc_status status = driver::load(source, bytes, program))
    return status;
  vitc_status status = push(programs, {source, *program, programs});
  if (status != VITC_OK)
    driver::unload(*program);
  return status;
}

} // namespace vitc::rt
