// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What the device's side needs of a driver. CUDA and OpenCL each implement it
/// in a folder of their own, and a library is linked with one of them. The
/// driver's library is loaded at run time: no toolkit is needed to link.
#ifndef VITC_RUNTIME_SRC_DEVICE_DRIVER_H
#define VITC_RUNTIME_SRC_DEVICE_DRIVER_H

#include "vitc/runtime/halide_abi.h"
#include "vitc/runtime/model.h"

#include <cstddef>
#include <cstdint>

namespace vitc::rt::driver {

/// A block of the device's memory: CUdeviceptr or cl_mem.
using Memory = uint64_t;

using Program = void *; ///< CUmodule or cl_program
using Kernel = void *;  ///< CUfunction or cl_kernel
using Queue = void *;   ///< CUstream or cl_command_queue

extern const char *const noDriver, *const noDevice;

/// Loads the driver and chooses a device: the one that VITC_DEVICE numbers, or
/// else the first. `leastLevel` is the model's deviceLevel.
vitc_status open(int32_t leastLevel);
void close();

/// Around every use on a thread: CUDA's context is a property of the thread,
/// which belongs to the caller.
void enter();
void leave();

vitc_status openQueue(Queue *queue);
void closeQueue(Queue queue);

vitc_status allocate(size_t bytes, Memory *memory);
void release(Memory memory);

/// Both are queued. The host's memory must stay as it is until finish.
bool copyIn(Queue queue, Memory to, size_t offset, const void *from,
            size_t bytes);
bool copyOut(Queue queue, void *to, Memory from, size_t offset, size_t bytes);
bool finish(Queue queue);

/// `source` is what Halide put into the kernel's object: PTX or OpenCL C.
vitc_status load(const char *source, size_t bytes, Program *program);
void unload(Program program);

/// Kernels are the context's own, since OpenCL's hold their arguments.
vitc_status findKernel(Program program, const char *name, Kernel *kernel);
void releaseKernel(Kernel kernel);

/// One launch, as Halide's kernels ask for it: `sizes` ends with 0, `args` are
/// HalideBuffers or values.
struct Launch {
  int32_t blocks[3], threads[3];
  int32_t sharedBytes;
  const size_t *sizes;
  void *const *args;
  const int8_t *isBuffer;
};
bool launch(Queue queue, Kernel kernel, const Launch &launch);

/// Makes `buffer` stand for what begins `offset` bytes into `memory`.
void place(HalideBuffer &buffer, HalideDimension &first, Memory memory,
           size_t offset);

} // namespace vitc::rt::driver

#endif // VITC_RUNTIME_SRC_DEVICE_DRIVER_H
