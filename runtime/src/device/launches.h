// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The kernel launches of a model, in their order.
#ifndef VITC_RUNTIME_SRC_DEVICE_LAUNCHES_H
#define VITC_RUNTIME_SRC_DEVICE_LAUNCHES_H

#include "driver.h"

namespace vitc::rt {

/// A model always makes the same launches. They are recorded once, with their
/// kernels; from then on the n-th launch takes the n-th kernel, and nothing is
/// looked up, locked or allocated.
class Launches {
public:
  void beginRecording(driver::Queue queue);
  vitc_status endRecording();
  void restart() { next = 0; }
  void release();

  /// What Halide's code calls: the kernels of `source` are about to be used.
  void use(const char *source, size_t bytes);
  void launch(const char *name, const driver::Launch &launch);

  bool failed() const { return status != VITC_OK; }
  void forgetFailure() { status = VITC_OK; }

private:
  bool record(const char *name);

  driver::Queue queue = nullptr;
  driver::Kernel *kernels = nullptr;
  int32_t count = 0, capacity = 0, next = 0;
  bool recording = false;
  driver::Program program = nullptr; ///< while recording
  vitc_status status = VITC_OK;      ///< the first failure
};

/// Those of a context's Device.
Launches &launchesOf(void *context);

} // namespace vitc::rt

#endif // VITC_RUNTIME_SRC_DEVICE_LAUNCHES_H
