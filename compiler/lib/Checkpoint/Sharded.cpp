// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// `model.safetensors.index.json` and `pytorch_model.bin.index.json`:
/// `weight_map` says for each tensor which file beside the index holds it.
#include "vitc/Checkpoint/Checkpoint.h"
#include "vitc/Support/Json.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Path.h"

#include <map>

using namespace llvm;

namespace vitc {

namespace {
class ShardedCheckpoint : public Checkpoint {
public:
  ShardedCheckpoint(StringRef path,
                    std::vector<std::unique_ptr<Checkpoint>> files);

  ArrayRef<TensorInfo> tensors() const override { return infos; }
  void read(const TensorInfo &tensor, int64_t first,
            MutableArrayRef<float> out) const override {
    shardOf(tensor).read(tensor, first, out);
  }
  void read(const TensorInfo &tensor, int64_t first,
            MutableArrayRef<double> out) const override {
    shardOf(tensor).read(tensor, first, out);
  }
  void read(const TensorInfo &tensor, int64_t first,
            MutableArrayRef<int64_t> out) const override {
    shardOf(tensor).read(tensor, first, out);
  }
  std::string describe() const override { return path; }

private:
  const Checkpoint &shardOf(const TensorInfo &tensor) const {
    const TensorInfo *mine = find(tensor.name);
    if (!mine)
      report_fatal_error(Twine("read of a tensor that is not in the index: ") +
                         tensor.name);
    return *shards[shardIndex[mine - infos.data()]];
  }

  std::string path;
  std::vector<std::unique_ptr<Checkpoint>> shards;
  std::vector<TensorInfo> infos;
  std::vector<unsigned> shardIndex; ///< parallel to infos
};
} // namespace

ShardedCheckpoint::ShardedCheckpoint(
    StringRef path, std::vector<std::unique_ptr<Checkpoint>> files)
    : path(path), shards(std::move(files)) {
  std::vector<std::pair<const TensorInfo *, unsigned>> all;
  for (unsigned shard = 0; shard < shards.size(); ++shard)
    for (const TensorInfo &tensor : shards[shard]->tensors())
      all.emplace_back(&tensor, shard);
  llvm::sort(all, [](const auto &a, const auto &b) {
    return a.first->name < b.first->name;
  });
  for (auto [tensor, shard] : all) {
    infos.push_back(*tensor);
    shardIndex.push_back(shard);
  }
}

/// A shard stands beside its index: its name is a file name and nothing else.
static bool isPlainFileName(StringRef name) {
  return !name.empty() && name != "." && name != ".." &&
         name.find_first_of("/\\") == StringRef::npos &&
         none_of(name, [](char c) { return uint8_t(c) < 0x20 || c == 0x7f; });
}

static Expected<std::unique_ptr<Checkpoint>> openSharded(
    StringRef indexPath,
    function_ref<Expected<std::unique_ptr<Checkpoint>>(StringRef)> open) {
  Expected<JsonObject> index = readJson(indexPath);
  if (!index)
    return index.takeError();
  Expected<JsonObject> weightMap = index->getObject("weight_map");
  if (!weightMap)
    return weightMap.takeError();

  // Shards in the order of their names, with the tensors that each must have.
  std::map<std::string, std::vector<std::string>> wanted;
  StringMap<std::string> shardOf;
  for (std::string &name : weightMap->keys()) {
    Expected<std::string> shard = weightMap->getString(name);
    if (!shard)
      return shard.takeError();
    if (!isPlainFileName(*shard))
      return weightMap->error(name, "the shard " + inQuotes(*shard) +
                                        " must be the name of a file beside "
                                        "the index");
    shardOf[name] = *shard;
    wanted[*shard].push_back(std::move(name));
  }
  if (wanted.empty())
    return index->error("weight_map", "weight_map is empty, expected the file "
                                      "of each tensor");

  std::vector<std::unique_ptr<Checkpoint>> shards;
  for (const auto &[shard, names] : wanted) {
    SmallString<256> path = sys::path::parent_path(indexPath);
    sys::path::append(path, shard);
    Expected<std::unique_ptr<Checkpoint>> file = open(path);
    if (!file)
      return file.takeError();
    for (const std::string &name : names)
      if (!(*file)->find(name))
        return weightMap->error(name, "the tensor " + inQuotes(name) +
                                          " is not in " + path);
    for (const TensorInfo &tensor : (*file)->tensors()) {
      auto it = shardOf.find(tensor.name);
      if (it == shardOf.end())
        return userError(path, "the tensor " + inQuotes(tensor.name) +
                                   " is not in the index " + indexPath);
      if (it->second != shard)
        return userError(path, "the tensor " + inQuotes(tensor.name) +
                                   " is here too, but the index " + indexPath +
                                   " says it is in " + inQuotes(it->second));
    }
    shards.push_back(std::move(*file));
  }
  return std::make_unique<ShardedCheckpoint>(indexPath, std::move(shards));
}

Expected<std::unique_ptr<Checkpoint>>
openShardedSafetensors(StringRef indexPath) {
  return openSharded(indexPath, openSafetensors);
}

Expected<std::unique_ptr<Checkpoint>> openShardedTorch(StringRef indexPath) {
  return openSharded(indexPath, openTorch);
}

} // namespace vitc
