// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The safetensors format: eight bytes with the length of a JSON head, the
/// head, the data of all tensors without gaps.
#include "StoredCheckpoint.h"
#include "StoredData.h"
#include "vitc/Support/File.h"
#include "vitc/Support/JsonScanner.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/JSON.h"

using namespace llvm;

namespace vitc {

/// The limit that the format's own library sets.
static constexpr uint64_t maxSafetensorsHead = 100'000'000;
static constexpr size_t maxSafetensorsRank = 32;

namespace {
/// One tensor with its bytes, counted from the start of the data.
struct TensorEntry {
  TensorInfo info;
  uint64_t begin = 0, end = 0;
};

/// Walks the head without building a tree of it.
class HeadReader {
public:
  HeadReader(StringRef path, StringRef text)
      : path(path), text(text), scanner(text) {}
  Expected<std::vector<TensorEntry>> read();

private:
  bool metadata();
  bool tensor(StringRef name);
  bool readType(TensorEntry &entry, bool &seen);
  bool readIntegers(StringRef field, size_t maxCount,
                    std::vector<int64_t> &values, bool &seen);
  /// A failure that concerns a tensor: it needs no offset, it has a name.
  bool fail(const Twine &message) {
    if (tensorFailure.empty() && scanner.failure.empty())
      tensorFailure = message.str();
    return false;
  }

  StringRef path, text;
  JsonScanner scanner;
  std::string current, tensorFailure;
  std::vector<TensorEntry> entries;
};
} // namespace

bool HeadReader::metadata() {
  std::string value;
  if (scanner.peek() != '{')
    return fail("__metadata__ must be an object");
  return scanner.object([&](StringRef key) {
    if (scanner.peek() != '"')
      return fail("__metadata__ must hold strings only, but " + inQuotes(key) +
                  " is none");
    return scanner.string(value);
  });
}

bool HeadReader::readType(TensorEntry &entry, bool &seen) {
  std::string name;
  if (scanner.peek() != '"')
    return fail(current + "dtype must be a string");
  if (!scanner.string(name))
    return false;
  std::optional<StoredType> type = storedTypeFromName(name);
  if (!type)
    return fail(current + "the dtype " + inQuotes(name) +
                " is not read, expected F64, F32, F16, BF16, I64, I32, I16, "
                "I8, U8 or BOOL");
  entry.info.type = *type;
  return seen = true;
}

bool HeadReader::readIntegers(StringRef field, size_t maxCount,
                              std::vector<int64_t> &values, bool &seen) {
  if (scanner.peek() != '[')
    return fail(current + field + " must be a list");
  seen = true;
  return scanner.array([&] {
    char first = scanner.peek();
    if (first != '-' && (first < '0' || first > '9'))
      return fail(current + field + " must hold whole numbers only");
    StringRef spelling;
    if (!scanner.number(spelling))
      return false;
    int64_t value = 0;
    if (spelling.getAsInteger(10, value) || value < 0)
      return fail(current + field + " holds " + spelling.take_front(40) +
                  ", expected whole numbers from 0 to 2^63-1");
    if (values.size() == maxCount)
      return fail(current + field + " has more than " + Twine(maxCount) +
                  " numbers");
    values.push_back(value);
    return true;
  });
}

bool HeadReader::tensor(StringRef name) {
  current = "the tensor " + inQuotes(name) + ": ";
  TensorEntry entry;
  entry.info.name = name.str();
  entry.info.place = path.str();
  std::vector<int64_t> offsets;
  bool hasType = false, hasShape = false, hasOffsets = false;
  if (scanner.peek() != '{')
    return fail(current + "expected an object with dtype, shape and "
                          "data_offsets");
  bool good = scanner.object([&](StringRef key) {
    if (key == "dtype")
      return readType(entry, hasType);
    if (key == "shape")
      return readIntegers("shape", maxSafetensorsRank, entry.info.shape,
                          hasShape);
    if (key == "data_offsets")
      return readIntegers("data_offsets", 2, offsets, hasOffsets);
    return fail(current + "the field " + inQuotes(key) +
                " was not expected, only dtype, shape and data_offsets");
  });
  if (!good)
    return false;
  for (auto [has, field] :
       {std::pair(hasType, "dtype"), std::pair(hasShape, "shape"),
        std::pair(hasOffsets, "data_offsets")})
    if (!has)
      return fail(current + field + " is missing");
  if (offsets.size() != 2)
    return fail(current + "data_offsets must hold two numbers, found " +
                Twine(offsets.size()));
  entry.begin = offsets[0];
  entry.end = offsets[1];
  if (entry.begin > entry.end)
    return fail(current + "data_offsets [" + Twine(entry.begin) + "," +
                Twine(entry.end) + "] end before they begin");

  std::optional<int64_t> bytes =
      checkedBytes(storedTypeBytes(entry.info.type), entry.info.shape);
  std::string shape = shownShape(entry.info.shape);
  if (!bytes)
    return fail(current + "the shape " + shape + " overflows");
  if (uint64_t(*bytes) != entry.end - entry.begin)
    return fail(current + "the shape " + shape + " of " +
                storedTypeName(entry.info.type) + " needs " + Twine(*bytes) +
                " bytes, but data_offsets span " +
                Twine(entry.end - entry.begin));
  entries.push_back(std::move(entry));
  return true;
}

Expected<std::vector<TensorEntry>> HeadReader::read() {
  size_t badByte = 0;
  if (!json::isUTF8(text, &badByte))
    return userError(path, "the head is not UTF-8 at byte " + Twine(badByte));
  if (!text.starts_with("{"))
    return userError(path, "the head must be a JSON object that starts with "
                           "'{' at once");
  bool good = scanner.object([&](StringRef name) {
    return name == "__metadata__" ? metadata() : tensor(name);
  });
  if (!tensorFailure.empty())
    return userError(path, tensorFailure);
  if (!good || !scanner.end())
    return userError(path, "the head is not valid JSON at byte " +
                               Twine(scanner.failureOffset) + ": " +
                               scanner.failure);
  return entries;
}

/// The tensors must cover the data exactly: no overlap, no hole, no rest.
static Error checkLayout(StringRef path, ArrayRef<TensorEntry> entries,
                         uint64_t dataBytes) {
  std::vector<const TensorEntry *> order;
  for (const TensorEntry &entry : entries)
    order.push_back(&entry);
  llvm::sort(order, [](const TensorEntry *a, const TensorEntry *b) {
    return std::tie(a->begin, a->end, a->info.name) <
           std::tie(b->begin, b->end, b->info.name);
  });
  uint64_t covered = 0;
  const TensorEntry *before = nullptr;
  for (const TensorEntry *entry : order) {
    auto bad = [&](const Twine &message) {
      return userError(path, "the tensor " + inQuotes(entry->info.name) + ": " +
                                 message);
    };
    if (entry->end > dataBytes)
      return bad("data_offsets [" + Twine(entry->begin) + "," +
                 Twine(entry->end) + "] lie outside the file, which has " +
                 Twine(dataBytes) + " bytes of data");
    if (entry->begin < covered)
      return bad("its data overlaps that of " + inQuotes(before->info.name));
    if (entry->begin > covered)
      return bad("a hole of " + Twine(entry->begin - covered) +
                 " bytes before its data");
    covered = entry->end;
    before = entry;
  }
  if (covered != dataBytes)
    return userError(path, Twine(dataBytes - covered) +
                               " bytes follow the data of the last tensor");
  return Error::success();
}

Expected<std::unique_ptr<Checkpoint>> openSafetensors(StringRef path) {
  Expected<std::unique_ptr<MemoryBuffer>> buffer = mapFile(path);
  if (!buffer)
    return buffer.takeError();
  StringRef bytes = (*buffer)->getBuffer();
  constexpr size_t lengthBytes = 8;
  if (bytes.size() < lengthBytes)
    return userError(path, "not a safetensors file: it has " +
                               Twine(bytes.size()) +
                               " bytes, expected at least 8");
  uint64_t headBytes = support::endian::read64le(bytes.data());
  bytes = bytes.substr(lengthBytes);
  if (headBytes > maxSafetensorsHead)
    return userError(path, "not a safetensors file: the head would have " +
                               Twine(headBytes) + " bytes, at most " +
                               Twine(maxSafetensorsHead) + " are allowed");
  if (headBytes > bytes.size())
    return userError(path, "the file is cut off: the head has " +
                               Twine(headBytes) + " bytes, but only " +
                               Twine(bytes.size()) + " follow");

  Expected<std::vector<TensorEntry>> entries =
      HeadReader(path, bytes.take_front(headBytes)).read();
  if (!entries)
    return entries.takeError();
  StringRef data = bytes.substr(headBytes);
  if (Error error = checkLayout(path, *entries, data.size()))
    return error;
  std::vector<StoredTensor> tensors;
  for (TensorEntry &entry : *entries)
    tensors.push_back({std::move(entry.info), data.data() + entry.begin, {}});
  std::vector<std::unique_ptr<MemoryBuffer>> owned;
  owned.push_back(std::move(*buffer));
  return std::make_unique<StoredCheckpoint>(path, std::move(owned),
                                            std::move(tensors));
}

} // namespace vitc
