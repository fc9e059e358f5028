// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What kernels call on the host. Halide's objects ask for it under the name of
/// their driver; whichever that is, the launches are ours.
#include "launches.h"

#include "vitc/runtime/device_abi.h"

using namespace vitc::rt;

void vitc::rt::launchOnDevice(void *context, const DeviceKernel &kernel,
                              const float *const *arguments, int32_t count) {
  constexpr int32_t most = mostDeviceArguments;
  HalideBuffer buffers[most];
  HalideDimension dimensions[most] = {};
  size_t sizes[most + 1] = {}; // a zero ends them
  void *args[most];
  int8_t isBuffer[most];
  for (int32_t i = 0; i < count; ++i) {
    buffers[i] = deviceBuffer(context, arguments[i], &dimensions[i], 1);
    sizes[i] = sizeof(buffers[i].device);
    args[i] = &buffers[i];
    isBuffer[i] = 1;
  }
  const int32_t *blocks = kernel.blocks, *threads = kernel.threads;
  Launches &launches = launchesOf(context);
  launches.use(kernel.source, size_t(kernel.sourceBytes));
  launches.launch(kernel.name, {{blocks[0], blocks[1], blocks[2]},
                                {threads[0], threads[1], threads[2]},
                                /*sharedBytes=*/0,
                                sizes,
                                args,
                                isBuffer});
}

/// Gives the function `other` a second name.
#define VITC_SAME_AS(other) __attribute__((alias(other)))

extern "C" {

/// Every buffer of ours is on the device already.
int halide_copy_to_device(void *, HalideBuffer *, const void *) { return 0; }

const void *halide_cuda_device_interface() { return nullptr; }
const void *halide_opencl_device_interface()
    VITC_SAME_AS("halide_cuda_device_interface");

// The objects keep a pointer for the runtime's use in a global variable, which
// contexts on several threads would share; it stays null.
int halide_cuda_initialize_kernels(void *context, void **, const char *source,
                                   int bytes) {
  launchesOf(context).use(source, size_t(bytes));
  return 0;
}
int halide_opencl_initialize_kernels(void *context, void **, const char *source,
                                     int bytes)
    VITC_SAME_AS("halide_cuda_initialize_kernels");

void halide_cuda_finalize_kernels(void *, void *) {}
void halide_opencl_finalize_kernels(void *, void *)
    VITC_SAME_AS("halide_cuda_finalize_kernels");

int halide_cuda_run(void *context, void *, const char *name, int blocksX,
                    int blocksY, int blocksZ, int threadsX, int threadsY,
                    int threadsZ, int sharedBytes, size_t sizes[], void *args[],
                    int8_t isBuffer[]) {
  launchesOf(context).launch(name, {{blocksX, blocksY, blocksZ},
                                    {threadsX, threadsY, threadsZ},
                                    sharedBytes,
                                    sizes,
                                    args,
                                    isBuffer});
  return 0;
}
int halide_opencl_run(void *context, void *, const char *name, int blocksX,
                      int blocksY, int blocksZ, int threadsX, int threadsY,
                      int threadsZ, int sharedBytes, size_t sizes[],
                      void *args[], int8_t isBuffer[])
    VITC_SAME_AS("halide_cuda_run");

} // extern "C"
