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

/// Codes are 0 for integers, 1 for those without a sign, 2 for floats. The bits
/// of 16-bit floats go by as integers: kernels know what they are.
template <class T>
constexpr HalideType halideType = {T(-1) < T(0) ? uint8_t(0) : uint8_t(1),
                                   uint8_t(8 * sizeof(T)), 1};
template <>
inline constexpr HalideType halideType<float> = {2, 32, 1};

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
template <class T>
HalideBuffer halideBuffer(const T *host, const HalideDimension *dim,
                          int32_t dimensions) {
  return {
      0,   nullptr,       reinterpret_cast<uint8_t *>(const_cast<T *>(host)),
      0,   halideType<T>, dimensions,
      dim, nullptr};
}

} // namespace vitc::rt

#endif // VITC_RUNTIME_HALIDE_ABI_H
