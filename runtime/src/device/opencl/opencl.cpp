// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// OpenCL: the kernels' source is compiled by the device's driver when it is
/// loaded, every context has an in-order queue. A cl_mem cannot be pointed
/// into, so a buffer's place in it goes to the kernel as a number.
#include "../driver.h"
#include "../functions.h"

#include <initializer_list>

namespace vitc::rt::driver {

const char *const noDriver =
    "no OpenCL driver: libOpenCL.so.1 is missing or cannot be used";
const char *const noDevice =
    "no OpenCL device (VITC_DEVICE chooses among several)";

// The part of OpenCL's interface that is used, declared anew so that a product
// needs no file of OpenCL's.
namespace {

using Result = int32_t;
constexpr Result success = 0, allocationFailure = -4, outOfResources = -5,
                 outOfHostMemory = -6, invalidBufferSize = -61;
constexpr uint64_t deviceTypeGpu = 1 << 2, deviceTypeAll = 0xFFFFFFFF;
constexpr uint64_t memReadWrite = 1;
constexpr uint32_t nonBlocking = 0;

Result (*getPlatformIds)(uint32_t entries, void **platforms, uint32_t *count);
Result (*getDeviceIds)(void *platform, uint64_t type, uint32_t entries,
                       void **devices, uint32_t *count);
void *(*createContext)(const intptr_t *properties, uint32_t count,
                       void *const *devices, void *notify, void *user,
                       Result *result);
Result (*releaseContext)(void *context);
void *(*createQueue)(void *context, void *device, uint64_t properties,
                     Result *result);
Result (*releaseQueue)(void *queue);
void *(*createBuffer)(void *context, uint64_t flags, size_t bytes, void *host,
                      Result *result);
Result (*releaseBuffer)(void *buffer);
Result (*enqueueWrite)(void *queue, void *buffer, uint32_t blocking,
                       size_t offset, size_t bytes, const void *from,
                       uint32_t waits, void *const *waitList, void **event);
Result (*enqueueRead)(void *queue, void *buffer, uint32_t blocking,
                      size_t offset, size_t bytes, void *to, uint32_t waits,
                      void *const *waitList, void **event);
Result (*finishQueue)(void *queue);
void *(*createProgram)(void *context, uint32_t count, const char **strings,
                       const size_t *lengths, Result *result);
Result (*buildProgram)(void *program, uint32_t count, void *const *devices,
                       const char *options, void *notify, void *user);
Result (*releaseProgram)(void *program);
void *(*createKernel)(void *program, const char *name, Result *result);
Result (*releaseKernelObject)(void *kernel);
Result (*setArgument)(void *kernel, uint32_t index, size_t bytes,
                      const void *value);
Result (*enqueueKernel)(void *queue, void *kernel, uint32_t dimensions,
                        const size_t *offset, const size_t *global,
                        const size_t *local, uint32_t waits,
                        void *const *waitList, void **event);

template <typename T>
Function entry(const char *name, T *&pointer) {
  return {name, reinterpret_cast<void **>(&pointer)};
}

void *library, *context, *device;

/// Platforms and devices that are looked at.
constexpr uint32_t mostPlatforms = 16, mostDevices = 64;

} // namespace

static vitc_status loadLibrary() {
  const Function functions[] = {
      entry("clGetPlatformIDs", getPlatformIds),
      entry("clGetDeviceIDs", getDeviceIds),
      entry("clCreateContext", createContext),
      entry("clReleaseContext", releaseContext),
      entry("clCreateCommandQueue", createQueue),
      entry("clReleaseCommandQueue", releaseQueue),
      entry("clCreateBuffer", createBuffer),
      entry("clReleaseMemObject", releaseBuffer),
      entry("clEnqueueWriteBuffer", enqueueWrite),
      entry("clEnqueueReadBuffer", enqueueRead),
      entry("clFinish", finishQueue),
      entry("clCreateProgramWithSource", createProgram),
      entry("clBuildProgram", buildProgram),
      entry("clReleaseProgram", releaseProgram),
      entry("clCreateKernel", createKernel),
      entry("clReleaseKernel", releaseKernelObject),
      entry("clSetKernelArg", setArgument),
      entry("clEnqueueNDRangeKernel", enqueueKernel)};
  library = loadFunctions("libOpenCL.so.1", functions,
                          sizeof(functions) / sizeof(functions[0]));
  return library ? VITC_OK : VITC_ERROR_DRIVER;
}

/// GPUs of all platforms first, then every other device.
static vitc_status chooseDevice() {
  void *platforms[mostPlatforms], *devices[mostDevices];
  uint32_t platformCount = 0, found = 0;
  int number = deviceNumber();
  if (getPlatformIds(mostPlatforms, platforms, &platformCount) != success ||
      number < 0)
    return VITC_ERROR_DEVICE;
  if (platformCount > mostPlatforms)
    platformCount = mostPlatforms;
  for (uint64_t type : {deviceTypeGpu, deviceTypeAll & ~deviceTypeGpu})
    for (uint32_t i = 0; i < platformCount && found < mostDevices; ++i) {
      uint32_t count = 0, room = mostDevices - found;
      if (getDeviceIds(platforms[i], type, room, devices + found, &count) ==
          success)
        found += count < room ? count : room;
    }
  if (uint32_t(number) >= found)
    return VITC_ERROR_DEVICE;
  device = devices[number];
  Result result;
  context = createContext(nullptr, 1, &device, nullptr, nullptr, &result);
  return result == success ? VITC_OK : VITC_ERROR_DEVICE;
}

vitc_status open(int32_t) {
  if (vitc_status status = loadLibrary())
    return status;
  // The loader of OpenCL and some drivers do not bear being unloaded: they
  // leave threads and exit handlers behind.
  return chooseDevice();
}

void close() { releaseContext(context); }

void enter() {}
void leave() {}

vitc_status openQueue(Queue *queue) {
  Result result;
  *queue = createQueue(context, device, 0, &result);
  return result == success ? VITC_OK : VITC_ERROR_DEVICE_FAILED;
}

void closeQueue(Queue queue) { releaseQueue(queue); }

static void *memoryObject(Memory memory) {
  return reinterpret_cast<void *>(uintptr_t(memory));
}

vitc_status allocate(size_t bytes, Memory *memory) {
  Result result;
  *memory = uint64_t(reinterpret_cast<uintptr_t>(
      createBuffer(context, memReadWrite, bytes, nullptr, &result)));
  switch (result) {
  case success:
    return VITC_OK;
  case allocationFailure:
  case outOfResources:
  case outOfHostMemory:
  case invalidBufferSize:
    return VITC_ERROR_DEVICE_MEMORY;
  default:
    return VITC_ERROR_DEVICE_FAILED;
  }
}

void release(Memory memory) { releaseBuffer(memoryObject(memory)); }

bool copyIn(Queue queue, Memory to, size_t offset, const void *from,
            size_t bytes) {
  return enqueueWrite(queue, memoryObject(to), nonBlocking, offset, bytes, from,
                      0, nullptr, nullptr) == success;
}

bool copyOut(Queue queue, void *to, Memory from, size_t offset, size_t bytes) {
  return enqueueRead(queue, memoryObject(from), nonBlocking, offset, bytes, to,
                     0, nullptr, nullptr) == success;
}

bool finish(Queue queue) { return finishQueue(queue) == success; }

vitc_status load(const char *source, size_t bytes, Program *program) {
  Result result;
  *program = createProgram(context, 1, &source, &bytes, &result);
  if (result != success)
    return VITC_ERROR_DEVICE_FAILED;
  if (buildProgram(*program, 1, &device, "-cl-std=CL1.2", nullptr, nullptr) ==
      success)
    return VITC_OK;
  releaseProgram(*program);
  return VITC_ERROR_DEVICE_FAILED;
}

void unload(Program program) { releaseProgram(program); }

vitc_status findKernel(Program program, const char *name, Kernel *kernel) {
  Result result;
  *kernel = createKernel(program, name, &result);
  return result == success ? VITC_OK : VITC_ERROR_DEVICE_FAILED;
}

void releaseKernel(Kernel kernel) { releaseKernelObject(kernel); }

bool launch(Queue queue, Kernel kernel, const Launch &launch) {
  uint32_t index = 0;
  for (; launch.sizes[index] != 0; ++index) {
    const void *value = launch.args[index];
    size_t bytes = launch.sizes[index];
    void *memory;
    if (launch.isBuffer[index]) {
      memory = memoryObject(static_cast<const HalideBuffer *>(value)->device);
      value = &memory;
      bytes = sizeof(memory);
    }
    if (setArgument(kernel, index, bytes, value) != success)
      return false;
  }
  // The last argument is the shared memory, of which there must be some.
  size_t shared = launch.sharedBytes > 0 ? size_t(launch.sharedBytes) : 1;
  if (setArgument(kernel, index, shared, nullptr) != success)
    return false;
  size_t global[3], local[3];
  for (int i = 0; i < 3; ++i) {
    local[i] = size_t(launch.threads[i]);
    global[i] = local[i] * size_t(launch.blocks[i]);
  }
  return enqueueKernel(queue, kernel, 3, nullptr, global, local, 0, nullptr,
                       nullptr) == success;
}

void place(HalideBuffer &buffer, HalideDimension &first, Memory memory,
           size_t offset) {
  buffer.device = memory;
  first.min = int32_t(offset / sizeof(float));
}

} // namespace vitc::rt::driver
