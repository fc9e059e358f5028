// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "StoredData.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/ErrorHandling.h"

#include <cstring>

using namespace llvm;

namespace vitc {

StringRef storedTypeName(StoredType type) {
  switch (type) {
  case StoredType::F64:
    return "F64";
  case StoredType::F32:
    return "F32";
  case StoredType::F16:
    return "F16";
  case StoredType::BF16:
    return "BF16";
  case StoredType::I64:
    return "I64";
  case StoredType::I32:
    return "I32";
  case StoredType::I16:
    return "I16";
  case StoredType::I8:
    return "I8";
  case StoredType::U8:
    return "U8";
  case StoredType::Bool:
    return "BOOL";
  }
  llvm_unreachable("covered switch");
}

unsigned storedTypeBytes(StoredType type) {
  switch (type) {
  case StoredType::F64:
  case StoredType::I64:
    return 8;
  case StoredType::F32:
  case StoredType::I32:
    return 4;
  case StoredType::F16:
  case StoredType::BF16:
  case StoredType::I16:
    return 2;
  case StoredType::I8:
  case StoredType::U8:
  case StoredType::Bool:
    return 1;
  }
  llvm_unreachable("covered switch");
}

bool isFloatingPoint(StoredType type) {
  switch (type) {
  case StoredType::F64:
  case StoredType::F32:
  case StoredType::F16:
  case StoredType::BF16:
    return true;
  default:
    return false;
  }
}

std::optional<StoredType> storedTypeFromName(StringRef name) {
  for (StoredType type :
       {StoredType::F64, StoredType::F32, StoredType::F16, StoredType::BF16,
        StoredType::I64, StoredType::I32, StoredType::I16, StoredType::I8,
        StoredType::U8, StoredType::Bool})
    if (storedTypeName(type) == name)
      return type;
  return std::nullopt;
}

static float floatFromBits(uint32_t bits) {
  float result;
  memcpy(&result, &bits, sizeof(result));
  return result;
}

/// Branch-free, so that the loop below becomes vector code; exact for all
/// 65536 values.
static float halfToFloat(uint16_t half) {
  constexpr uint32_t rebias = (127 - 15) << 23;
  uint32_t magnitude = half & 0x7fff;
  uint32_t normal = (magnitude << 13) + rebias;
  // Infinities and NaNs have the largest exponent in both formats.
  normal += magnitude >= 0x7c00 ? rebias : 0;
  // Below 2^-14 the value counts steps of 2^-24.
  uint32_t small = 0;
  float steps = float(int32_t(magnitude)) * 0x1p-24f;
  memcpy(&small, &steps, sizeof(small));
  uint32_t bits = magnitude < 0x400 ? small : normal;
  return floatFromBits(bits | uint32_t(half & 0x8000) << 16);
}

template <typename Stored, typename Out, typename Convert>
static void convertEach(const char *data, MutableArrayRef<Out> out,
                        Convert convert) {
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = Out(convert(support::endian::read<Stored, endianness::little>(
        data + i * sizeof(Stored))));
}

template <typename Out>
static void convertAny(StoredType type, const char *data,
                       MutableArrayRef<Out> out) {
  auto same = [](auto value) { return value; };
  switch (type) {
  case StoredType::F64:
    return convertEach<double>(data, out, same);
  case StoredType::F32:
    return convertEach<float>(data, out, same);
  case StoredType::F16:
    return convertEach<uint16_t>(data, out, halfToFloat);
  case StoredType::BF16:
    return convertEach<uint16_t>(data, out, [](uint16_t value) {
      return floatFromBits(uint32_t(value) << 16);
    });
  case StoredType::I64:
    return convertEach<int64_t>(data, out, same);
  case StoredType::I32:
    return convertEach<int32_t>(data, out, same);
  case StoredType::I16:
    return convertEach<int16_t>(data, out, same);
  case StoredType::I8:
    return convertEach<int8_t>(data, out, same);
  case StoredType::U8:
    return convertEach<uint8_t>(data, out, same);
  case StoredType::Bool:
    return convertEach<uint8_t>(data, out,
                                [](uint8_t value) { return value != 0; });
  }
  llvm_unreachable("covered switch");
}

void convertStored(StoredType type, const char *data,
                   MutableArrayRef<float> out) {
  if (out.empty())
    return;
  if (type == StoredType::F32 && sys::IsLittleEndianHost)
    memcpy(out.data(), data, out.size() * sizeof(float));
  else
    convertAny(type, data, out);
}

void convertStored(StoredType type, const char *data,
                   MutableArrayRef<double> out) {
  if (out.empty())
    return;
  if (type == StoredType::F64 && sys::IsLittleEndianHost)
    memcpy(out.data(), data, out.size() * sizeof(double));
  else
    convertAny(type, data, out);
}

void convertStored(StoredType type, const char *data,
                   MutableArrayRef<int64_t> out) {
  if (isFloatingPoint(type))
    report_fatal_error("read of floating-point numbers as integers");
  convertAny(type, data, out);
}

std::optional<int64_t> checkedBytes(unsigned elementBytes,
                                    ArrayRef<int64_t> shape) {
  std::optional<int64_t> bytes = elementBytes;
  for (int64_t extent : shape)
    if (bytes)
      bytes = checkedMul(*bytes, std::max<int64_t>(extent, 1));
  if (bytes && is_contained(shape, 0))
    bytes = 0;
  return bytes;
}

std::string shownShape(ArrayRef<int64_t> shape) {
  std::string result = "[";
  for (size_t i = 0; i < shape.size(); ++i)
    result += (i ? "," : "") + std::to_string(shape[i]);
  return result + "]";
}

void checkReadRange(const TensorInfo &tensor, int64_t first, size_t count) {
  int64_t elements = tensor.elements();
  if (first < 0 || first > elements || count > uint64_t(elements - first))
    report_fatal_error(Twine("read of elements outside the tensor ") +
                       tensor.name);
}

} // namespace vitc
