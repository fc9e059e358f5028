// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// NumPy's `.npz`: a zip archive with one `NAME.npy` for each array. Google's
/// vision_transformer and big_vision publish their weights so; slashes in the
/// names are part of them.
#include "StoredCheckpoint.h"
#include "StoredData.h"
#include "ZipArchive.h"
#include "vitc/Support/Npy.h"

using namespace llvm;

namespace vitc {

/// NumPy refuses to read longer heads by default, too.
static constexpr size_t maxNpyHead = 10'000;

static std::optional<StoredType> typeOf(StringRef descr) {
  static constexpr std::pair<StringLiteral, StoredType> known[] = {
      {"<f8", StoredType::F64},
      {"<f4", StoredType::F32},
      {"<f2", StoredType::F16},
      {"<i8", StoredType::I64},
      {"<i4", StoredType::I32},
      {"<i2", StoredType::I16},
      {"|i1", StoredType::I8},
      {"|u1", StoredType::U8},
      {"|b1", StoredType::Bool},
      // NumPy has no name for JAX's bfloat16 and writes two bytes of anything.
      {"|V2", StoredType::BF16},
      {"<V2", StoredType::BF16},
  };
  for (const auto &[name, type] : known)
    if (name == descr)
      return type;
  return std::nullopt;
}

static Expected<StoredTensor> readMember(StringRef path, ZipArchive &archive,
                                         const ZipMember &member) {
  StringRef name = member.name;
  if (!name.consume_back(".npy") || name.empty())
    return userError(path, "the member " + inQuotes(member.name) +
                               " is not an array, expected NAME.npy");
  std::string place = path.str() + ": the array " + inQuotes(name);
  Expected<std::string> start = archive.head(member, maxNpyHead);
  if (!start)
    return start.takeError();
  Expected<NpyHead> head = readNpyHead(place, *start);
  if (!head)
    return head.takeError();
  std::optional<StoredType> type = typeOf(head->descr);
  if (!type)
    return npyTypeError(place, head->descr,
                        "'<f8', '<f4', '<f2', '|V2' (bfloat16), '<i8', '<i4', "
                        "'<i2', '|i1', '|u1' or '|b1'");
  std::string shape = shownShape(head->shape);
  std::optional<int64_t> bytes =
      checkedBytes(storedTypeBytes(*type), head->shape);
  if (!bytes)
    return userError(place, "the shape " + shape + " overflows");
  // Before anything is inflated.
  if (uint64_t(*bytes) != member.size - head->bytes)
    return userError(place, "the shape " + shape + " of " +
                                storedTypeName(*type) + " needs " +
                                Twine(*bytes) + " bytes, but the member has " +
                                Twine(member.size - head->bytes));
  Expected<StringRef> data = archive.data(member);
  if (!data)
    return data.takeError();

  StoredTensor tensor;
  tensor.info = {name.str(), *type, head->shape, path.str()};
  tensor.data = data->data() + head->bytes;
  if (head->fortranOrder && head->shape.size() > 1 && *bytes != 0) {
    int64_t stride = 1;
    for (int64_t extent : head->shape) {
      tensor.strides.push_back(stride);
      stride *= extent;
    }
  }
  return tensor;
}

Expected<std::unique_ptr<Checkpoint>> openNpz(StringRef path) {
  Expected<ZipArchive> archive = ZipArchive::open(path);
  if (!archive)
    return archive.takeError();
  if (archive->members().empty())
    return userError(path, "the archive is empty, expected arrays");
  std::vector<StoredTensor> tensors;
  for (const ZipMember &member : archive->members()) {
    Expected<StoredTensor> tensor = readMember(path, *archive, member);
    if (!tensor)
      return tensor.takeError();
    tensors.push_back(std::move(*tensor));
  }
  return std::make_unique<StoredCheckpoint>(path, archive->takeMemory(),
                                            std::move(tensors));
}

} // namespace vitc
