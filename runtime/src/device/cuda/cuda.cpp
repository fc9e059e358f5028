// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The CUDA driver: PTX is compiled for the device when it is loaded, every
/// context has a stream. The process's primary context is used, which other
/// users of CUDA in the program share.
#include "../driver.h"
#include "../functions.h"

#include <cstdlib>
#include <cstring>

namespace vitc::rt::driver {

const char *const noDriver =
    "no CUDA driver: libcuda.so.1 is missing, too old or cannot be used";
const char *const noDevice =
    "no CUDA device that has the compute capability which the library was "
    "compiled for (VITC_DEVICE chooses among several)";

// The part of CUDA's driver interface that is used, declared anew so that a
// product needs no file of CUDA's.
namespace {

using Result = int;
constexpr Result success = 0, outOfMemory = 2;
constexpr int computeCapabilityMajor = 75, computeCapabilityMinor = 76;
constexpr unsigned nonBlockingStream = 1;

Result (*init)(unsigned flags);
Result (*deviceGetCount)(int *count);
Result (*deviceGet)(int *device, int ordinal);
Result (*deviceGetAttribute)(int *value, int attribute, int device);
Result (*primaryRetain)(void **context, int device);
Result (*primaryRelease)(int device);
Result (*pushCurrent)(void *context);
Result (*popCurrent)(void **context);
Result (*memAlloc)(uint64_t *pointer, size_t bytes);
Result (*memFree)(uint64_t pointer);
Result (*toDevice)(uint64_t to, const void *from, size_t bytes, void *stream);
Result (*toHost)(void *to, uint64_t from, size_t bytes, void *stream);
Result (*streamCreate)(void **stream, unsigned flags);
Result (*streamDestroy)(void *stream);
Result (*streamSynchronize)(void *stream);
Result (*moduleLoad)(void **module, const void *image);
Result (*moduleUnload)(void *module);
Result (*moduleGetFunction)(void **function, void *module, const char *name);
Result (*launchFunction)(void *function, unsigned gridX, unsigned gridY,
                         unsigned gridZ, unsigned blockX, unsigned blockY,
                         unsigned blockZ, unsigned sharedBytes, void *stream,
                         void **parameters, void **extra);

template <typename T>
Function entry(const char *name, T *&pointer) {
  return {name, reinterpret_cast<void **>(&pointer)};
}

void *library, *context;
int device;

/// Parameters of one kernel; Halide's have one for each buffer and a few more.
constexpr int mostParameters = 64;

} // namespace

static vitc_status loadLibrary() {
  const Function functions[] = {
      entry("cuInit", init),
      entry("cuDeviceGetCount", deviceGetCount),
      entry("cuDeviceGet", deviceGet),
      entry("cuDeviceGetAttribute", deviceGetAttribute),
      entry("cuDevicePrimaryCtxRetain", primaryRetain),
      entry("cuDevicePrimaryCtxRelease_v2", primaryRelease),
      entry("cuCtxPushCurrent_v2", pushCurrent),
      entry("cuCtxPopCurrent_v2", popCurrent),
      entry("cuMemAlloc_v2", memAlloc),
      entry("cuMemFree_v2", memFree),
      entry("cuMemcpyHtoDAsync_v2", toDevice),
      entry("cuMemcpyDtoHAsync_v2", toHost),
      entry("cuStreamCreate", streamCreate),
      entry("cuStreamDestroy_v2", streamDestroy),
      entry("cuStreamSynchronize", streamSynchronize),
      entry("cuModuleLoadData", moduleLoad),
      entry("cuModuleUnload", moduleUnload),
      entry("cuModuleGetFunction", moduleGetFunction),
      entry("cuLaunchKernel", launchFunction)};
  library = loadFunctions("libcuda.so.1", functions,
                          sizeof(functions) / sizeof(functions[0]));
  if (!library)
    return VITC_ERROR_DRIVER;
  if (init(0) == success)
    return VITC_OK;
  unloadFunctions(library);
  return VITC_ERROR_DRIVER;
}

static vitc_status chooseDevice(int32_t leastLevel) {
  int count = 0, number = deviceNumber(), major = 0, minor = 0;
  bool fits =
      deviceGetCount(&count) == success && number >= 0 && number < count &&
      deviceGet(&device, number) == success &&
      deviceGetAttribute(&major, computeCapabilityMajor, device) == success &&
      deviceGetAttribute(&minor, computeCapabilityMinor, device) == success &&
      10 * major + minor >= leastLevel;
  if (!fits)
    return VITC_ERROR_DEVICE;
  return primaryRetain(&context, device) == success ? VITC_OK
                                                    : VITC_ERROR_DEVICE;
}

vitc_status open(int32_t leastLevel) {
  if (vitc_status status = loadLibrary())
    return status;
  vitc_status status = chooseDevice(leastLevel);
  if (status != VITC_OK)
    unloadFunctions(library);
  return status;
}

void close() {
  primaryRelease(device);
  unloadFunctions(library);
}

void enter() { pushCurrent(context); }

void leave() {
  void *ours;
  popCurrent(&ours);
}

vitc_status openQueue(Queue *queue) {
  return streamCreate(queue, nonBlockingStream) == success
             ? VITC_OK
             : VITC_ERROR_DEVICE_FAILED;
}

void closeQueue(Queue queue) { streamDestroy(queue); }

vitc_status allocate(size_t bytes, Memory *memory) {
  Result result = memAlloc(memory, bytes);
  return result == success       ? VITC_OK
         : result == outOfMemory ? VITC_ERROR_DEVICE_MEMORY
                                 : VITC_ERROR_DEVICE_FAILED;
}

void release(Memory memory) { memFree(memory); }

bool copyIn(Queue queue, Memory to, size_t offset, const void *from,
            size_t bytes) {
  return toDevice(to + offset, from, bytes, queue) == success;
}

bool copyOut(Queue queue, void *to, Memory from, size_t offset, size_t bytes) {
  return toHost(to, from + offset, bytes, queue) == success;
}

bool finish(Queue queue) { return streamSynchronize(queue) == success; }

/// The driver wants a zero behind the PTX, which Halide does not write.
vitc_status load(const char *source, size_t bytes, Program *program) {
  auto *text = static_cast<char *>(std::malloc(bytes + 1));
  if (!text)
    return VITC_ERROR_MEMORY;
  std::memcpy(text, source, bytes);
  text[bytes] = '\0';
  Result result = moduleLoad(program, text);
  std::free(text);
  return result == success ? VITC_OK : VITC_ERROR_DEVICE_FAILED;
}

void unload(Program program) { moduleUnload(program); }

vitc_status findKernel(Program program, const char *name, Kernel *kernel) {
  return moduleGetFunction(kernel, program, name) == success
             ? VITC_OK
             : VITC_ERROR_DEVICE_FAILED;
}

void releaseKernel(Kernel) {} // belongs to its module

bool launch(Queue queue, Kernel kernel, const Launch &launch) {
  void *parameters[mostParameters];
  int count = 0;
  for (; launch.sizes[count] != 0; ++count) {
    if (count == mostParameters)
      return false;
    // A buffer begins with its device address.
    static_assert(offsetof(HalideBuffer, device) == 0);
    parameters[count] = launch.args[count];
  }
  return launchFunction(
             kernel, unsigned(launch.blocks[0]), unsigned(launch.blocks[1]),
             unsigned(launch.blocks[2]), unsigned(launch.threads[0]),
             unsigned(launch.threads[1]), unsigned(launch.threads[2]),
             unsigned(launch.sharedBytes), queue, parameters,
             nullptr) == success;
}

void place(HalideBuffer &buffer, HalideDimension &, Memory memory,
           size_t offset) {
  buffer.device = memory + offset;
}

} // namespace vitc::rt::driver
