// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What torch.save writes, `.pth`, `.pt` and `.bin`: since PyTorch 1.6 a zip
/// archive with a pickle (`NAME/data.pkl`) and the elements of each storage
/// (`NAME/data/KEY`); before that five pickles, then the storages.
#include "StateDict.h"
#include "ZipArchive.h"
#include "vitc/Support/File.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Endian.h"

using namespace llvm;

namespace vitc {

/// A ViT with its optimizer has one of less than 1 MB.
static constexpr uint64_t maxPickleBytes = 16 << 20;

/// The folder in the archive that everything stands in.
static Expected<std::string> findRoot(StringRef path,
                                      const ZipArchive &archive) {
  std::vector<StringRef> roots;
  for (const ZipMember &member : archive.members()) {
    StringRef name = member.name;
    if (name.consume_back("/data.pkl") && !name.contains('/'))
      roots.push_back(name);
  }
  if (roots.size() != 1)
    return userError(path, "not a PyTorch checkpoint: the archive has " +
                               Twine(roots.size()) +
                               " members NAME/data.pkl, expected one");
  if (archive.find((roots[0] + "/constants.pkl").str()))
    return userError(path, "it holds a TorchScript program, expected tensors; "
                           "save model.state_dict() instead");
  return roots[0].str();
}

static Expected<std::unique_ptr<Checkpoint>> openArchive(StringRef path) {
  Expected<ZipArchive> archive = ZipArchive::open(path);
  if (!archive)
    return archive.takeError();
  Expected<std::string> root = findRoot(path, *archive);
  if (!root)
    return root.takeError();
  if (const ZipMember *order = archive->find(*root + "/byteorder")) {
    Expected<std::string> text = archive->head(*order, 16);
    if (!text)
      return text.takeError();
    if (*text != "little")
      return userError(path, "its byteorder is " + inQuotes(*text) +
                                 ", expected \"little\"");
  }

  const ZipMember *member = archive->find(*root + "/data.pkl");
  if (member->size > maxPickleBytes)
    return userError(path, "its data.pkl has " + Twine(member->size) +
                               " bytes, expected at most " +
                               Twine(maxPickleBytes));
  Expected<StringRef> pickled = archive->data(*member);
  if (!pickled)
    return pickled.takeError();
  Expected<Pickle> pickle = readPickle(path.str() + ": " + *root + "/data.pkl",
                                       *pickled, isTorchGlobal);
  if (!pickle)
    return pickle.takeError();
  if (pickle->bytes != pickled->size())
    return userError(path, Twine(pickled->size() - pickle->bytes) +
                               " bytes follow the pickle in data.pkl");

  // Tensors share storages: each is checked, or inflated, once.
  StringMap<StringRef> opened;
  auto storage = [&](StringRef key) -> Expected<StringRef> {
    if (auto it = opened.find(key); it != opened.end())
      return it->second;
    const ZipMember *member = archive->find((*root + "/data/" + key).str());
    if (!member)
      return userError(path, "the storage " + inQuotes(key) +
                                 " is missing: the archive has no " +
                                 inQuotes((*root + "/data/" + key).str()));
    Expected<StringRef> data = archive->data(*member);
    if (data)
      opened[key] = *data;
    return data;
  };
  Expected<std::vector<StoredTensor>> tensors =
      readTorchStateDict(path, *pickle->value, storage);
  if (!tensors)
    return tensors.takeError();
  return std::make_unique<StoredCheckpoint>(path, archive->takeMemory(),
                                            std::move(*tensors));
}

//===----------------------------------------------------------------------===//
// Before PyTorch 1.6
//===----------------------------------------------------------------------===//

/// The number 0x1950a86a20f9469cfc6c as a pickle of protocol 2.
static constexpr StringLiteral oldMagic =
    "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.";

/// Where each storage stands after the pickles: in the order of `keys`, eight
/// bytes with its number of elements before it. Only the pickle knows their
/// types.
static Expected<StringMap<StringRef>>
findOldStorages(StringRef path, StringRef bytes, size_t at,
                const Pickle &pickle, const PickleValue &keys) {
  StringMap<TorchStorage> described;
  for (const PickleValue &value : pickle.values)
    if (value.kind == PickleValue::Kind::Persistent) {
      Expected<TorchStorage> storage = readTorchStorage(path, value);
      if (!storage)
        return storage.takeError();
      described[storage->key] = *storage;
    }
  StringMap<StringRef> storages;
  for (const PickleValue *key : keys.items) {
    auto it = key->kind == PickleValue::Kind::String ? described.find(key->text)
                                                     : described.end();
    if (it == described.end())
      return userError(path, "it lists a storage that no tensor has");
    constexpr size_t countBytes = 8;
    if (bytes.size() - at < countBytes)
      return userError(path, "the file is cut off before the storage " +
                                 inQuotes(key->text));
    int64_t count = support::endian::read64le(bytes.data() + at);
    at += countBytes;
    if (count != it->second.elements)
      return userError(path, "the storage " + inQuotes(key->text) + " has " +
                                 Twine(count) + " elements, expected " +
                                 Twine(it->second.elements));
    unsigned elementBytes = storedTypeBytes(it->second.type);
    if (uint64_t(count) > (bytes.size() - at) / elementBytes)
      return userError(path, "the file is cut off in the storage " +
                                 inQuotes(key->text) + " of " + Twine(count) +
                                 " elements");
    if (!storages.try_emplace(key->text, bytes.substr(at, count * elementBytes))
             .second)
      return userError(path,
                       "the storage " + inQuotes(key->text) + " comes twice");
    at += count * elementBytes;
  }
  if (at != bytes.size())
    return userError(path, Twine(bytes.size() - at) +
                               " bytes follow the last storage");
  return storages;
}

static Expected<std::unique_ptr<Checkpoint>>
openOld(StringRef path, std::unique_ptr<MemoryBuffer> buffer) {
  StringRef bytes = buffer->getBuffer();
  size_t at = oldMagic.size();
  auto next = [&]() -> Expected<Pickle> {
    Expected<Pickle> pickle =
        readPickle(path.str() + ": the pickle at byte " + std::to_string(at),
                   bytes.substr(at, maxPickleBytes), isTorchGlobal);
    if (pickle)
      at += pickle->bytes;
    return pickle;
  };
  Expected<Pickle> version = next();
  if (!version)
    return version.takeError();
  constexpr int64_t onlyVersion = 1001;
  if (version->value->kind != PickleValue::Kind::Int ||
      version->value->integer != onlyVersion)
    return userError(path, "its version is not 1001, the only one there was");
  Expected<Pickle> system = next();
  if (!system)
    return system.takeError();
  ArrayRef<const PickleValue *> facts = system->value->items;
  for (size_t i = 0; i + 1 < facts.size(); i += 2)
    if (facts[i]->text == "little_endian" && facts[i + 1]->integer != 1)
      return userError(path, "it was saved on a big-endian machine, expected "
                             "little-endian data");
  Expected<Pickle> pickle = next();
  if (!pickle)
    return pickle.takeError();
  Expected<Pickle> keys = next();
  if (!keys)
    return keys.takeError();
  if (keys->value->kind != PickleValue::Kind::List)
    return userError(path, "it has no list of storages after its pickles");

  Expected<StringMap<StringRef>> storages =
      findOldStorages(path, bytes, at, *pickle, *keys->value);
  if (!storages)
    return storages.takeError();
  auto storage = [&](StringRef key) -> Expected<StringRef> {
    if (auto it = storages->find(key); it != storages->end())
      return it->second;
    return userError(path, "the storage " + inQuotes(key) + " is missing");
  };
  Expected<std::vector<StoredTensor>> tensors =
      readTorchStateDict(path, *pickle->value, storage);
  if (!tensors)
    return tensors.takeError();
  std::vector<std::unique_ptr<MemoryBuffer>> owned;
  owned.push_back(std::move(buffer));
  return std::make_unique<StoredCheckpoint>(path, std::move(owned),
                                            std::move(*tensors));
}

Expected<std::unique_ptr<Checkpoint>> openTorch(StringRef path) {
  Expected<std::unique_ptr<MemoryBuffer>> buffer = mapFile(path);
  if (!buffer)
    return buffer.takeError();
  StringRef bytes = (*buffer)->getBuffer();
  if (bytes.starts_with("PK")) {
    buffer->reset(); // the archive maps the file for itself
    return openArchive(path);
  }
  if (bytes.starts_with(oldMagic))
    return openOld(path, std::move(*buffer));
  if (bytes.starts_with("\x80"))
    return userError(path, "it is a pickle that torch.save did not write; save "
                           "the tensors with torch.save or as safetensors");
  return userError(path, "not a PyTorch checkpoint: it is neither a zip "
                         "archive nor a pickle");
}

} // namespace vitc
