// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What all contexts of the process share on the device: the driver, the
/// weights, the loaded programs. Only creating and destroying contexts comes
/// here; one lock guards all of it.
#ifndef VITC_RUNTIME_SRC_DEVICE_SHARED_H
#define VITC_RUNTIME_SRC_DEVICE_SHARED_H

#include "driver.h"

namespace vitc::rt {

/// The first call opens the driver, the last release closes it.
vitc_status acquireDriver(int32_t leastLevel);
void releaseDriver();

/// The device's copy of the host's weights, uploaded by the first context that
/// asks.
vitc_status acquireDeviceWeights(driver::Queue queue, const void *host,
                                 size_t bytes, driver::Memory *memory);
void releaseDeviceWeights(const void *host);

/// The program of this source, which is told by its address. It stays loaded
/// until the driver closes.
vitc_status findProgram(const char *source, size_t bytes,
                        driver::Program *program);

} // namespace vitc::rt

#endif // VITC_RUNTIME_SRC_DEVICE_SHARED_H
