// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/runtime/device.h"

#include "launches.h"
#include "shared.h"

#include "vitc/runtime/device_abi.h"
#include "vitc/runtime/engine.h"

#include <cstdlib>
#include <new>

namespace vitc::rt {

namespace {

/// Host memory and its twin on the device.
struct Range {
  const unsigned char *host;
  size_t bytes;
  driver::Memory memory;
  size_t offset; ///< of the twin in its block
};

/// Between two buffers of the arena.
constexpr size_t arenaAlignment = 256;

/// The caller's thread has the device for as long as this lives.
class Entered {
public:
  Entered() { driver::enter(); }
  ~Entered() { driver::leave(); }
  Entered(const Entered &) = delete;
  Entered &operator=(const Entered &) = delete;
};

} // namespace

/// The arena is one block: an image's workspace, then an image's outputs.
struct Device {
  const Model *model = nullptr;
  driver::Queue queue = nullptr;
  driver::Memory weights = 0, arena = 0;
  bool hasWeights = false, hasArena = false, entered = false;
  const unsigned char *weightsHost = nullptr;
  Launches launches;
  Range *ranges = nullptr; ///< pixels, outputs, workspace, weights
  int32_t rangeCount = 0;
  bool failed = false; ///< since the last finish
  const Invocation *observed = nullptr;
};

static Device *deviceOf(void *context) {
  return static_cast<Device *>(context);
}

static size_t aligned(size_t bytes) {
  return (bytes + arenaAlignment - 1) / arenaAlignment * arenaAlignment;
}

static size_t pixelBytes(const Model &model) {
  const vitc_model_v2 &table = model.table;
  return size_t(table.channels) * size_t(table.height) * size_t(table.width) *
         sizeof(float);
}

/// Where the host's pointers of this run have their twins.
static void mapRanges(Device &device, const Invocation &run) {
  const Model &model = *device.model;
  int32_t count = 0;
  auto add = [&](const void *host, size_t bytes, driver::Memory memory,
                 size_t offset) {
    device.ranges[count++] = {static_cast<const unsigned char *>(host), bytes,
                              memory, offset};
  };
  add(run.pixels, pixelBytes(model), device.arena, model.pixelsOffset);
  size_t offset = aligned(model.imageWorkspaceBytes);
  for (int32_t i = 0; i < model.table.output_count; ++i) {
    add(output<unsigned char>(run, i, 0), outputBytes(model, i), device.arena,
        offset);
    offset += aligned(outputBytes(model, i));
  }
  add(run.workspace, model.imageWorkspaceBytes, device.arena, 0);
  add(run.weights, model.table.weights_bytes, device.weights, 0);
  device.rangeCount = count;
}

HalideBuffer deviceBuffer(void *context, const float *host,
                          HalideDimension *dim, int32_t dimensions) {
  Device &device = *deviceOf(context);
  const auto *address = reinterpret_cast<const unsigned char *>(host);
  HalideBuffer buffer = halideBuffer<float>(nullptr, dim, dimensions);
  for (int32_t i = 0; i < device.rangeCount; ++i) {
    const Range &range = device.ranges[i];
    if (address < range.host || address >= range.host + range.bytes)
      continue;
    driver::place(buffer, dim[0], range.memory,
                  range.offset + size_t(address - range.host));
    return buffer;
  }
  device.failed = true; // the generated code is wrong
  return buffer;
}

/// The caller's observer wants to see the step's result in the host's
/// workspace.
static void showStep(void *user, int32_t index, const void *workspace) {
  Device &device = *deviceOf(user);
  const Invocation &run = *device.observed;
  const vitc_step_v2 &step = device.model->table.steps[index];
  if (step.buffer_rows > 0) {
    size_t bytes = size_t((step.buffer_rows - 1) * step.buffer_stride) +
                   size_t(step.buffer_columns) * vitc_element_bytes(step.type);
    device.failed |=
        !driver::copyOut(device.queue, run.workspace + step.buffer_offset,
                         device.arena, size_t(step.buffer_offset), bytes);
  }
  device.failed |= !driver::finish(device.queue);
  run.observer(run.observerUser, index, workspace);
}

static void forward(const Invocation &run,
                    void (*kernels)(const Invocation &)) {
  Device &device = *deviceOf(run.threads);
  const Model &model = *device.model;
  Entered entered;
  mapRanges(device, run);
  device.launches.restart();
  device.failed |=
      !driver::copyIn(device.queue, device.arena, model.pixelsOffset,
                      run.pixels, pixelBytes(model));
  if (run.observer) {
    Invocation shown = run;
    shown.observer = showStep;
    shown.observerUser = &device;
    device.observed = &run;
    kernels(shown);
    device.observed = nullptr;
  } else {
    kernels(run);
  }
  for (int32_t i = 0; i < model.table.output_count; ++i) {
    const Range &range = device.ranges[1 + i];
    device.failed |=
        !driver::copyOut(device.queue, output<unsigned char>(run, i, 0),
                         range.memory, range.offset, range.bytes);
  }
}

static vitc_status finish(Device *device) {
  Entered entered;
  bool done = driver::finish(device->queue);
  bool failed = device->failed || !done || device->launches.failed();
  device->failed = false;
  device->launches.forgetFailure();
  return failed ? VITC_ERROR_DEVICE_FAILED : VITC_OK;
}

/// Loads every kernel and runs it once, on whatever the arena holds: drivers
/// put off a part of their work until then.
static vitc_status prepare(Device &device, const unsigned char *weights,
                           unsigned char *workspace) {
  const Model &model = *device.model;
  int32_t outputs = model.table.output_count;
  size_t bytes = aligned(size_t(outputs) * sizeof(void *));
  for (int32_t i = 0; i < outputs; ++i)
    bytes += aligned(outputBytes(model, i));
  void *memory = std::malloc(bytes);
  if (!memory)
    return VITC_ERROR_MEMORY;
  auto **pointers = static_cast<void **>(memory);
  auto *next = static_cast<unsigned char *>(memory) +
               aligned(size_t(outputs) * sizeof(void *));
  for (int32_t i = 0; i < outputs; ++i) {
    pointers[i] = next;
    next += aligned(outputBytes(model, i));
  }
  const auto *pixels =
      reinterpret_cast<const float *>(workspace + model.pixelsOffset);
  Invocation run{model,   0,         1,        &device, pixels,
                 weights, workspace, pointers, nullptr, nullptr};
  mapRanges(device, run);
  device.launches.beginRecording(device.queue);
  model.variants[0].forward(run);
  device.failed |= !driver::finish(device.queue);
  std::free(memory);
  vitc_status status = device.launches.endRecording();
  return status == VITC_OK && device.failed ? VITC_ERROR_DEVICE_FAILED : status;
}

static vitc_status fill(Device &device, const unsigned char *weights,
                        unsigned char *workspace) {
  const Model &model = *device.model;
  vitc_status status = driver::openQueue(&device.queue);
  if (status != VITC_OK)
    return status;
  status = acquireDeviceWeights(device.queue, weights,
                                model.table.weights_bytes, &device.weights);
  if (status != VITC_OK)
    return status;
  device.hasWeights = true;
  size_t bytes = aligned(model.imageWorkspaceBytes);
  for (int32_t i = 0; i < model.table.output_count; ++i)
    bytes += aligned(outputBytes(model, i));
  status = driver::allocate(bytes, &device.arena);
  if (status != VITC_OK)
    return status;
  device.hasArena = true;
  size_t ranges = size_t(model.table.output_count) + 3;
  device.ranges = static_cast<Range *>(std::malloc(ranges * sizeof(Range)));
  return device.ranges ? prepare(device, weights, workspace)
                       : VITC_ERROR_MEMORY;
}

static void close(Device *device) {
  if (!device)
    return;
  {
    Entered entered;
    if (device->queue)
      driver::finish(device->queue);
    device->launches.release();
    if (device->hasArena)
      driver::release(device->arena);
    if (device->hasWeights)
      releaseDeviceWeights(device->weightsHost);
    if (device->queue)
      driver::closeQueue(device->queue);
  }
  releaseDriver();
  std::free(device->ranges);
  std::free(device);
}

static vitc_status open(const Model &model, const unsigned char *weights,
                        unsigned char *workspace, Device **result) {
  *result = nullptr;
  if (vitc_status status = acquireDriver(model.deviceLevel))
    return status;
  void *memory = std::malloc(sizeof(Device));
  if (!memory) {
    releaseDriver();
    return VITC_ERROR_MEMORY;
  }
  auto *device = new (memory) Device;
  device->model = &model;
  device->weightsHost = weights;
  vitc_status status;
  {
    Entered entered;
    status = fill(*device, weights, workspace);
  }
  if (status != VITC_OK) {
    close(device);
    return status;
  }
  *result = device;
  return VITC_OK;
}

const DeviceApi deviceApi = {driver::noDriver, driver::noDevice, open,
                             forward,          finish,           close};

Launches &launchesOf(void *context) { return deviceOf(context)->launches; }

} // namespace vitc::rt
