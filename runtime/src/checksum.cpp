// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/runtime/weights.h"

#include <cstring>
#include <initializer_list>

namespace vitc::rt {

static constexpr uint64_t multiplier = 0x9E3779B97F4A7C15;
static constexpr size_t blockBytes = 64;

static uint64_t step(uint64_t state, uint64_t word) {
  return (state ^ word) * multiplier;
}

static uint64_t loadWord(const unsigned char *bytes) {
  uint64_t word;
  std::memcpy(&word, bytes, sizeof(word));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  word = __builtin_bswap64(word);
#endif
  return word;
}

uint64_t checksum(const void *data, size_t bytes) {
  const auto *cursor = static_cast<const unsigned char *>(data);

  // Eight named variables instead of an array: each stays in a register, and
  // eight multiplications of three cycles latency keep the multiplier busy, so
  // a cycle takes in a word.
  uint64_t lane0 = 1, lane1 = 2, lane2 = 3, lane3 = 4;
  uint64_t lane4 = 5, lane5 = 6, lane6 = 7, lane7 = 8;
  auto takeBlock = [&](const unsigned char *block) {
    lane0 = step(lane0, loadWord(block));
    lane1 = step(lane1, loadWord(block + 8));
    lane2 = step(lane2, loadWord(block + 16));
    lane3 = step(lane3, loadWord(block + 24));
    lane4 = step(lane4, loadWord(block + 32));
    lane5 = step(lane5, loadWord(block + 40));
    lane6 = step(lane6, loadWord(block + 48));
    lane7 = step(lane7, loadWord(block + 56));
  };
  for (size_t block = 0; block < bytes / blockBytes; ++block) {
    takeBlock(cursor);
    cursor += blockBytes;
  }
  if (size_t rest = bytes % blockBytes) {
    unsigned char last[blockBytes] = {};
    std::memcpy(last, cursor, rest);
    takeBlock(last);
  }

  uint64_t folded = 0;
  for (uint64_t word : {lane0, lane1, lane2, lane3, lane4, lane5, lane6, lane7,
                        uint64_t(bytes)})
    folded = step(folded, word);
  return folded;
}

} // namespace vitc::rt
