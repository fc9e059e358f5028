// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The part of Halide's binary interface that ahead-of-time kernels use,
/// declared anew so that a product needs no file of Halide's. Layout as in
/// Halide 21 (`halide_buffer_t`, 64-bit).
#ifndef VITC_RUNTIME_HALIDE_ABI_H
#define VITC_RUNTIME_HALIDE_ABI_H

#include <cstdint>

namespace vitc::rt {

struct HalideDimension {
  int32_t min, extent, stride;
  uint32_t flags;
};

struct HalideType {
  uint8_t code, bits;
  uint16_t lanes;
};

constexpr HalideType halideFloat32{2, 32, 1};

struct HalideBuffer {
  uint64_t device;
  const void *deviceInterface;
  uint8_t *host;
  uint64_t flags;
  HalideType type;
  int32_t dimensions;
  const HalideDimension *dim;
  void *padding;
};

/// A buffer over the caller's memory. Kernels write through outputs only, so
/// dropping const on inputs is safe.
inline HalideBuffer halideBuffer(const float *host, const HalideDimension *dim,
                                 int32_t dimensions) {
  return {0,
          nullptr,
          reinterpret_cast<uint8_t *>(const_cast<float *>(host)),
          0,
          halideFloat32,
          dimensions,
          dim,
          nullptr};
}

} // namespace vitc::rt

#endif // VITC_RUNTIME_HALIDE_ABI_H
