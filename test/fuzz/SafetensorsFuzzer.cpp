// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// `model.safetensors`: the input is the file. Changes keep the head JSON and
/// its length right, most of the time.
#include "JsonMutator.h"
#include "Readers.h"

#include <cstring>

using namespace vitc;
using namespace vitc::fuzz;

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

static constexpr size_t lengthBytes = 8;

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned seed) {
  uint64_t length = 0;
  if (size >= lengthBytes)
    std::memcpy(&length, data, lengthBytes);
  if (size < lengthBytes || length > size - lengthBytes || seed % 8 == 0)
    return LLVMFuzzerMutate(data, size, maxSize);
  std::string head =
      mutateJson(textOf(data + lengthBytes, size_t(length)), seed);
  std::string rest =
      textOf(data + lengthBytes + length, size - lengthBytes - size_t(length));
  if (lengthBytes + head.size() + rest.size() > maxSize)
    return LLVMFuzzerMutate(data, size, maxSize);
  length = head.size();
  std::memcpy(data, &length, lengthBytes);
  std::memcpy(data + lengthBytes, head.data(), head.size());
  std::memcpy(data + lengthBytes + head.size(), rest.data(), rest.size());
  return lengthBytes + head.size() + rest.size();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static MemoryFile file;
  auto checkpoint = openSafetensors(file.write(textOf(data, size)));
  if (isValue(checkpoint))
    readEnds(**checkpoint);
  return 0;
}
