// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// For targets whose inputs are JSON: libFuzzer's own changes break the syntax
/// nearly always, and a reader then sees nothing of the rest.
#include "Fuzz.h"
#include "JsonMutator.h"

#include <cstring>

using namespace vitc::fuzz;

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

/// `text` as the new input, if there is room.
static size_t give(const std::string &text, uint8_t *data, size_t maxSize) {
  if (text.size() > maxSize)
    return 0;
  std::memcpy(data, text.data(), text.size());
  return text.size();
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned seed) {
  std::string text = textOf(data, size);
  std::string changed = mutateJson(text, seed);
  // One in 32, and what is not JSON yet, goes on as bytes.
  if (changed == text || seed % 32 == 0)
    return LLVMFuzzerMutate(data, size, maxSize);
  size_t written = give(changed, data, maxSize);
  return written ? written : size;
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t *data1, size_t size1,
                                            const uint8_t *data2, size_t size2,
                                            uint8_t *out, size_t maxSize,
                                            unsigned seed) {
  return give(crossJson(textOf(data1, size1), textOf(data2, size2), seed), out,
              maxSize);
}
