/// What the objects of Halide's kernels call. They ask for it under the name of
/// their driver; whichever that is, the launches are ours.
#include "launches.h"

using namespace vitc::rt;

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
                    int threadsZ, int sharedBytes, size_t sizes[],
                    void *args[], int8_t isBuffer[]) {
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
