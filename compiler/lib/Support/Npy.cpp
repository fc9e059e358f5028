// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Support/Npy.h"

#include "vitc/Support/File.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <cassert>
#include <optional>

using namespace llvm;

namespace vitc {

static constexpr StringLiteral magic = "\x93NUMPY";
/// NumPy's own limit.
static constexpr size_t maxRank = 64;

int64_t NpyArray::elements() const {
  int64_t result = 1;
  for (int64_t extent : shape)
    result *= extent;
  return result;
}

static unsigned bytesOf(NpyArray::Type type) {
  switch (type) {
  case NpyArray::Type::U8:
    return 1;
  case NpyArray::Type::F32:
    return 4;
  case NpyArray::Type::F64:
  case NpyArray::Type::I64:
    return 8;
  }
  llvm_unreachable("covered switch");
}

namespace {
/// The head is a Python literal: `{'descr': '<f4', 'fortran_order': False,
/// 'shape': (2, 3), }`. Only what NumPy itself writes is read.
class HeadParser {
public:
  HeadParser(StringRef path, StringRef text) : path(path), rest(text) {}
  Error parse(NpyHead &head);

private:
  Error bad(const Twine &message) {
    return userError(path, "not a valid .npy head: " + message);
  }
  bool take(char c) {
    rest = rest.ltrim(" \t\r\n");
    return rest.consume_front(StringRef(&c, 1));
  }
  std::optional<StringRef> string();
  Error type(NpyHead &head);
  Error order(NpyHead &head);
  Error shape(NpyHead &head);

  StringRef path, rest;
};
} // namespace

std::optional<StringRef> HeadParser::string() {
  rest = rest.ltrim(" \t\r\n");
  if (rest.empty() || (rest[0] != '\'' && rest[0] != '"'))
    return std::nullopt;
  size_t close = rest.find(rest[0], 1);
  if (close == StringRef::npos)
    return std::nullopt;
  StringRef result = rest.slice(1, close);
  rest = rest.substr(close + 1);
  return result;
}

Error HeadParser::type(NpyHead &head) {
  std::optional<StringRef> name = string();
  if (!name)
    return bad("descr is not a simple type, expected one such as '<f4'");
  head.descr = name->str();
  return Error::success();
}

Error HeadParser::order(NpyHead &head) {
  rest = rest.ltrim(" \t\r\n");
  head.fortranOrder = rest.consume_front("True");
  if (head.fortranOrder || rest.consume_front("False"))
    return Error::success();
  return bad("fortran_order is neither True nor False");
}

Error HeadParser::shape(NpyHead &head) {
  if (!take('('))
    return bad("shape is not a tuple");
  while (!take(')')) {
    int64_t extent = 0;
    rest = rest.ltrim(" \t\r\n");
    if (rest.empty() || !isDigit(rest[0]) || rest.consumeInteger(10, extent))
      return bad("shape holds something else than whole numbers");
    if (head.shape.size() == maxRank)
      return bad("shape has more than " + Twine(maxRank) + " axes");
    head.shape.push_back(extent);
    if (!take(',') && !rest.starts_with(")"))
      return bad("shape is not closed");
  }
  return Error::success();
}

Error HeadParser::parse(NpyHead &head) {
  bool hasType = false, hasOrder = false, hasShape = false;
  auto once = [&](bool &seen, Error result) -> Error {
    if (seen && !result)
      result = bad("a field comes twice");
    seen = true;
    return result;
  };
  if (!take('{'))
    return bad("expected a dictionary");
  while (!take('}')) {
    std::optional<StringRef> key = string();
    if (!key || !take(':'))
      return bad("expected a field in quotes");
    Error error = Error::success();
    if (*key == "descr")
      error = once(hasType, type(head));
    else if (*key == "fortran_order")
      error = once(hasOrder, order(head));
    else if (*key == "shape" && !hasShape)
      error = once(hasShape, shape(head));
    else
      error = bad("the field " + inQuotes(*key) + " was not expected");
    if (error)
      return error;
    if (!take(',') && !rest.starts_with("}"))
      return bad("the dictionary is not closed");
  }
  if (!hasType || !hasOrder || !hasShape)
    return bad("expected the fields descr, fortran_order and shape");
  if (!rest.trim(" \n").empty())
    return bad("text after the dictionary");
  return Error::success();
}

Expected<NpyHead> readNpyHead(StringRef place, StringRef start) {
  StringRef bytes = start;
  if (!bytes.consume_front(magic))
    return userError(place,
                     "not a .npy file: it does not start with \\x93NUMPY");
  if (bytes.size() < 4)
    return userError(place, "the .npy head is cut off");
  unsigned major = uint8_t(bytes[0]), minor = uint8_t(bytes[1]);
  if (major < 1 || major > 3 || minor != 0)
    return userError(place, "the .npy version is " + Twine(major) + "." +
                                Twine(minor) + ", expected 1.0, 2.0 or 3.0");
  size_t lengthBytes = major == 1 ? 2 : 4;
  if (bytes.size() < 2 + lengthBytes)
    return userError(place, "the .npy head is cut off");
  uint64_t headBytes = major == 1 ? support::endian::read16le(bytes.data() + 2)
                                  : support::endian::read32le(bytes.data() + 2);
  bytes = bytes.substr(2 + lengthBytes);
  if (headBytes > bytes.size())
    return userError(place, "the .npy head says it has " + Twine(headBytes) +
                                " bytes, but only " + Twine(bytes.size()) +
                                " follow");
  NpyHead head;
  if (Error error = HeadParser(place, bytes.take_front(headBytes)).parse(head))
    return error;
  head.bytes = start.size() - bytes.size() + headBytes;
  return head;
}

Error npyTypeError(StringRef place, StringRef descr, StringRef expected) {
  if (descr.starts_with(">"))
    return userError(place, "big-endian data (" + inQuotes(descr) +
                                ") is not read, expected " + expected);
  if (descr.ends_with("O"))
    return userError(place, "Python objects (" + inQuotes(descr) +
                                ") are not read, expected " + expected);
  return userError(place, "data of type " + inQuotes(descr) +
                              " is not read, expected " + expected);
}

static std::optional<NpyArray::Type> typeOf(StringRef descr) {
  if (descr == "|u1")
    return NpyArray::Type::U8;
  if (descr == "<f4")
    return NpyArray::Type::F32;
  if (descr == "<f8")
    return NpyArray::Type::F64;
  if (descr == "<i8")
    return NpyArray::Type::I64;
  return std::nullopt;
}

Expected<NpyArray> readNpy(StringRef path) {
  Expected<std::unique_ptr<MemoryBuffer>> buffer = mapFile(path);
  if (!buffer)
    return buffer.takeError();
  StringRef bytes = (*buffer)->getBuffer();
  Expected<NpyHead> head = readNpyHead(path, bytes);
  if (!head)
    return head.takeError();
  std::optional<NpyArray::Type> type = typeOf(head->descr);
  if (!type)
    return npyTypeError(path, head->descr, "'|u1', '<f4', '<f8' or '<i8'");
  if (head->fortranOrder)
    return userError(path, "the array is in Fortran order, expected C order "
                           "(numpy.ascontiguousarray makes it so)");
  NpyArray array;
  array.type = *type;
  array.shape = std::move(head->shape);
  bytes = bytes.substr(head->bytes);
  std::optional<int64_t> size = bytesOf(array.type);
  // An axis of length 0 empties the array; the others must not overflow before.
  for (int64_t extent : array.shape)
    if (size)
      size = checkedMul(*size, std::max<int64_t>(extent, 1));
  if (!size)
    return userError(path, "the shape has more elements than memory has bytes");
  if (is_contained(array.shape, 0))
    size = 0;
  if (uint64_t(*size) != bytes.size())
    return userError(path, "the array needs " + Twine(*size) + " bytes, but " +
                               Twine(bytes.size()) + " follow the head");
  array.data.assign(bytes.bytes_begin(), bytes.bytes_end());
  return array;
}

Error writeNpy(StringRef path, ArrayRef<int64_t> shape, ArrayRef<float> data) {
  std::string head = "{'descr': '<f4', 'fortran_order': False, 'shape': (";
  int64_t elements = 1;
  for (int64_t extent : shape) {
    head += std::to_string(extent) + (shape.size() == 1 ? "," : ", ");
    elements *= extent;
  }
  if (shape.size() > 1)
    head.resize(head.size() - 2);
  head += "), }";
  assert(elements == int64_t(data.size()) && "shape and data differ");
  (void)elements;
  // The data starts at a multiple of 64 bytes, after a line feed.
  size_t before = magic.size() + 4;
  head.resize(alignTo(before + head.size() + 1, 64) - before - 1, ' ');
  head += '\n';

  std::string start = (magic + StringRef("\x01\0", 2)).str();
  start += char(head.size() & 0xff);
  start += char(head.size() >> 8);
  static_assert(sys::IsLittleEndianHost, "the data is written as it stands");
  StringRef bytes(reinterpret_cast<const char *>(data.data()), data.size() * 4);
  if (std::error_code failed = replaceFile(path, {start, head, bytes}))
    return userError(path, "cannot write the file: " + failed.message());
  return Error::success();
}

} // namespace vitc
