// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What the adapters of GPU kernels need: buffers on the device instead of the
/// host's.
#ifndef VITC_RUNTIME_DEVICE_ABI_H
#define VITC_RUNTIME_DEVICE_ABI_H

#include "vitc/runtime/halide_abi.h"

#include <cstddef>

namespace vitc::rt {

/// The device's twin of the host memory at `host`, for the context's Device.
/// Where the driver's handles cannot point into the middle of an allocation,
/// the place in it goes to `dim[0].min`, in floats; the kernel adds it.
HalideBuffer deviceBuffer(void *context, const float *host,
                          HalideDimension *dim, int32_t dimensions);

/// A kernel whose parameters are pointers alone, and which needs no code of its
/// backend's on the host.
struct DeviceKernel {
  const char *source; ///< PTX
  int32_t sourceBytes;
  const char *name;
  int32_t blocks[3], threads[3];
};

inline constexpr int32_t mostDeviceArguments = 8;

/// Runs it on the device's twins of `arguments`, of which there are `count`.
void launchOnDevice(void *context, const DeviceKernel &kernel,
                    const float *const *arguments, int32_t count);

template <std::size_t count>
void launchOnDevice(void *context, const DeviceKernel &kernel,
                    const float *const (&arguments)[count]) {
  static_assert(count <= std::size_t(mostDeviceArguments));
  launchOnDevice(context, kernel, arguments, int32_t(count));
}

} // namespace vitc::rt

#endif // VITC_RUNTIME_DEVICE_ABI_H
