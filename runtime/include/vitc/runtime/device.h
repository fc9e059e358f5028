// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// A device beside the CPU, as the engine sees it. Libraries for a GPU carry
/// runtime/src/device and the part of it that speaks to their driver; libraries
/// for a CPU carry neither.
#ifndef VITC_RUNTIME_DEVICE_H
#define VITC_RUNTIME_DEVICE_H

#include "vitc/runtime/model.h"

namespace vitc::rt {

struct Invocation;
struct Model;

/// What one context has on the device: a queue of its own, its workspace, and a
/// share in the weights.
struct Device;

struct DeviceApi {
  const char *noDriver; ///< texts of VITC_ERROR_DRIVER and VITC_ERROR_DEVICE
  const char *noDevice;

  /// Loads the driver, uploads `weights` unless another context has, loads
  /// every kernel and runs each once, so that nothing is left to do for the
  /// first image. `workspace` is the first image's part of the host's.
  vitc_status (*open)(const Model &model, const unsigned char *weights,
                      unsigned char *workspace, Device **device);
  /// Queues one image: its pixels to the device, the kernels, its outputs back.
  /// `run.threads` is the device.
  void (*forward)(const Invocation &run, void (*kernels)(const Invocation &));
  /// Waits for everything that is queued and says whether all of it worked.
  vitc_status (*finish)(Device *device);
  void (*close)(Device *device);
};

/// The one that a library carries.
extern const DeviceApi deviceApi;

} // namespace vitc::rt

#endif // VITC_RUNTIME_DEVICE_H
