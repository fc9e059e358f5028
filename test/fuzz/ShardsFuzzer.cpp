// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Sharded checkpoints: the input is a JSON object with the `index` and the
/// heads of the shards `a` and `b`, whose data has as many bytes as
/// `bytes` says.
#include "Readers.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

#include <algorithm>

using namespace vitc;
using namespace vitc::fuzz;

static std::string printed(const llvm::json::Value *value) {
  return value ? llvm::formatv("{0}", *value).str() : "";
}

static std::string shardOf(const std::string &head, int64_t bytes) {
  uint64_t length = head.size();
  return std::string(reinterpret_cast<const char *>(&length), sizeof(length)) +
         head + std::string(size_t(bytes), '\1');
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static MemoryFolder folder;
  auto input = llvm::json::parse(textOf(data, size));
  if (!input) {
    llvm::consumeError(input.takeError());
    return -1;
  }
  const llvm::json::Object *parts = input->getAsObject();
  if (!parts)
    return -1;
  int64_t bytes =
      std::clamp<int64_t>(parts->getInteger("bytes").value_or(64), 0, 4096);
  for (const char *shard : {"a", "b"})
    folder.write(std::string(shard) + ".safetensors",
                 shardOf(printed(parts->get(shard)), bytes));
  auto checkpoint = openShardedSafetensors(folder.write(
      "model.safetensors.index.json", printed(parts->get("index"))));
  if (isValue(checkpoint))
    readEnds(**checkpoint);
  return 0;
}
