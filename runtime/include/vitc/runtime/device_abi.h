/// What the adapters of GPU kernels need: buffers on the device instead of the
/// host's.
#ifndef VITC_RUNTIME_DEVICE_ABI_H
#define VITC_RUNTIME_DEVICE_ABI_H

#include "vitc/runtime/halide_abi.h"

namespace vitc::rt {

/// The device's twin of the host memory at `host`, for the context's Device.
/// Where the driver's handles cannot point into the middle of an allocation,
/// the place in it goes to `dim[0].min`, in floats; the kernel adds it.
HalideBuffer deviceBuffer(void *context, const float *host,
                          HalideDimension *dim, int32_t dimensions);

} // namespace vitc::rt

#endif // VITC_RUNTIME_DEVICE_ABI_H
