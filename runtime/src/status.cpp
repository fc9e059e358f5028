// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/runtime/engine.h"

namespace vitc::rt {

const char *statusText(vitc_status status) {
  switch (status) {
  case VITC_OK:
    return "ok";
  case VITC_ERROR_ARGUMENT:
    return "an argument is null, out of its range, overlaps another, or is a "
           "pixel format that the model cannot take";
  case VITC_ERROR_MEMORY:
    return "out of memory";
  case VITC_ERROR_WORKSPACE:
    return "the workspace is too small or not aligned to 64 bytes";
  case VITC_ERROR_WEIGHTS_OPEN:
    return "the weights file is missing or cannot be read";
  case VITC_ERROR_WEIGHTS_FORMAT:
    return "the weights file is not a weights file, or is cut short";
  case VITC_ERROR_WEIGHTS_MISMATCH:
    return "the weights file belongs to another model or another compile";
  case VITC_ERROR_WEIGHTS_CORRUPT:
    return "the weights file is damaged: its checksum does not match";
  case VITC_ERROR_CPU:
    return "this CPU lacks instructions that the library was compiled for";
  case VITC_ERROR_THREADS:
    return "the threads could not be started";
  case VITC_ERROR_IMAGE_SIZE:
    return "after preprocessing the image does not have the size that the "
           "model takes";
  case VITC_ERROR_DRIVER:
    return "the GPU's driver is missing or cannot be used";
  case VITC_ERROR_DEVICE:
    return "the driver has no device that the library's kernels run on";
  case VITC_ERROR_DEVICE_MEMORY:
    return "the device has too little memory left";
  case VITC_ERROR_DEVICE_FAILED:
    return "the device or its driver reported an error";
  }
  return "unknown status";
}

const char *statusText(const Model &model, vitc_status status) {
  if (model.device && status == VITC_ERROR_DRIVER)
    return model.device->noDriver;
  if (model.device && status == VITC_ERROR_DEVICE)
    return model.device->noDevice;
  return statusText(status);
}

} // namespace vitc::rt
