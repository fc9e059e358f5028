// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Support/Json.h"

#include "vitc/Support/File.h"
#include "vitc/Support/JsonScanner.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace llvm;

namespace vitc {

static constexpr uint64_t maxFileBytes = 64 << 20;
/// A value takes about 40 bytes in LLVM's tree, twice that while a list grows.
static constexpr uint64_t maxValues = 4 << 20;

static JsonFile::Position positionOf(StringRef text, size_t offset) {
  StringRef before = text.take_front(offset);
  size_t lineStart = before.rfind('\n') + 1; // npos + 1 is 0
  return {unsigned(before.count('\n') + 1), unsigned(offset - lineStart + 1)};
}

static std::string placeOf(StringRef path, JsonFile::Position position) {
  return (path + ":" + Twine(position.line) + ":" + Twine(position.column))
      .str();
}

/// Moves `scanner` to the value at `keys`; false if there is none.
static bool descend(JsonScanner &scanner, ArrayRef<std::string> keys,
                    size_t &result) {
  if (keys.empty()) {
    result = scanner.offset();
    return true;
  }
  bool found = false;
  // Once found, the callbacks return false to stop the scan.
  if (scanner.peek() == '{') {
    scanner.object([&](StringRef key) {
      if (key != keys.front())
        return scanner.skip();
      found = descend(scanner, keys.drop_front(), result);
      return false;
    });
  } else if (scanner.peek() == '[') {
    size_t wanted = 0, index = 0;
    if (StringRef(keys.front()).getAsInteger(10, wanted))
      return false;
    scanner.array([&] {
      if (index++ != wanted)
        return scanner.skip();
      found = descend(scanner, keys.drop_front(), result);
      return false;
    });
  }
  return found;
}

JsonFile::Position JsonFile::locate(ArrayRef<std::string> keys) const {
  JsonScanner scanner(text);
  size_t offset = 0;
  if (!descend(scanner, keys, offset))
    offset = 0;
  Position position = positionOf(text, offset);
  position.line += firstLine - 1;
  return position;
}

namespace {
/// What is wrong with a text, and where.
struct JsonFault {
  size_t offset;
  std::string message;
};
} // namespace

/// Everything that LLVM's parser would not survive, or would let through.
static std::optional<JsonFault> findFault(StringRef text) {
  if (text.size() > maxFileBytes)
    return JsonFault{0, ("the text has " + Twine(text.size()) +
                         " bytes, expected at most " + Twine(maxFileBytes))
                            .str()};
  size_t badByte = 0;
  if (!json::isUTF8(text, &badByte))
    return JsonFault{badByte, "the text is not UTF-8"};
  JsonScanner scanner(text);
  if (!scanner.skip() || !scanner.end())
    return JsonFault{scanner.failureOffset,
                     "not valid JSON: " + scanner.failure};
  if (scanner.valuesSkipped > maxValues)
    return JsonFault{0, ("the text has " + Twine(scanner.valuesSkipped) +
                         " values, expected at most " + Twine(maxValues))
                            .str()};
  return std::nullopt;
}

/// Makes 0 of -0.0, which is written as -0 and then read as the integer 0: what
/// is read stays the same when it is written and read again, and so does a hash
/// of its text.
static void dropNegativeZeros(json::Value &value) {
  if (json::Object *object = value.getAsObject()) {
    for (auto &entry : *object)
      dropNegativeZeros(entry.second);
  } else if (json::Array *array = value.getAsArray()) {
    for (json::Value &element : *array)
      dropNegativeZeros(element);
  } else if (value.getAsNumber() == 0.0) {
    value = 0;
  }
}

/// The tree of a text without faults. The only call of LLVM's parser, which
/// recurses as deep as the text is nested.
static Expected<json::Value> makeTree(StringRef place, StringRef text) {
  Expected<json::Value> value = json::parse(text);
  if (!value)
    return userError(place, "not valid JSON: " + toString(value.takeError()));
  dropNegativeZeros(*value);
  return value;
}

Expected<json::Value> parseJsonValue(StringRef place, StringRef text) {
  text = text.trim(" \t\r\n");
  if (std::optional<JsonFault> fault = findFault(text)) {
    JsonFile::Position position = positionOf(text, fault->offset);
    if (text.contains('\n'))
      return userError(placeOf(place, position), fault->message);
    return userError((place + ":" + Twine(position.column)).str(),
                     fault->message);
  }
  return makeTree(place, text);
}

Expected<json::Object> parseJsonObject(StringRef place, StringRef text) {
  Expected<json::Value> value = parseJsonValue(place, text);
  if (!value)
    return value.takeError();
  if (json::Object *object = value->getAsObject())
    return std::move(*object);
  return userError(place, "expected a JSON object");
}

Expected<JsonObject> parseJson(StringRef path, std::string text,
                               unsigned firstLine) {
  if (StringRef(text).trim().empty())
    return userError(path, "the file is empty, expected a JSON object");
  auto errorAt = [&](size_t offset, const Twine &message) {
    JsonFile::Position position = positionOf(text, offset);
    position.line += firstLine - 1;
    return userError(placeOf(path, position), message);
  };
  if (std::optional<JsonFault> fault = findFault(text))
    return errorAt(fault->offset, fault->message);
  JsonScanner scanner(text);
  if (scanner.peek() != '{')
    return errorAt(scanner.offset(), "expected a JSON object");

  Expected<json::Value> root = makeTree(path, text);
  if (!root)
    return root.takeError();
  auto file = std::make_shared<JsonFile>();
  file->path = path.str();
  file->text = std::move(text);
  file->firstLine = firstLine;
  file->root = std::move(*root);
  const json::Object *object = file->root.getAsObject();
  return JsonObject(std::move(file), object, {});
}

Expected<JsonObject> readJson(StringRef path) {
  Expected<std::unique_ptr<MemoryBuffer>> buffer = mapFile(path, maxFileBytes);
  if (!buffer)
    return buffer.takeError();
  return parseJson(path, (*buffer)->getBuffer().str());
}

//===----------------------------------------------------------------------===//
// JsonObject
//===----------------------------------------------------------------------===//

/// The value as a message shows it: compact and short.
static std::string shown(const json::Value &value) {
  constexpr size_t maxShown = 60;
  if (const json::Object *object = value.getAsObject())
    return object->empty() ? "{}" : "an object";
  if (const json::Array *array = value.getAsArray())
    if (array->size() > 8)
      return "a list of " + std::to_string(array->size());
  std::string text;
  raw_string_ostream(text) << value;
  if (text.size() > maxShown)
    text = text.substr(0, maxShown) + "…";
  return text;
}

/// `size.height`: the field as people call it.
static std::string fieldName(ArrayRef<std::string> path, StringRef key) {
  std::string name = join(path, ".");
  return name.empty() ? key.str() : name + "." + key.str();
}

const json::Value *JsonObject::get(StringRef key) const {
  return object->get(key);
}

bool JsonObject::has(StringRef key) const {
  const json::Value *value = object->get(key);
  return value && value->kind() != json::Value::Null;
}

std::vector<std::string> JsonObject::keys() const {
  std::vector<std::string> result;
  for (const auto &entry : *object)
    result.push_back(entry.first.str());
  llvm::sort(result);
  return result;
}

std::string JsonObject::place(StringRef key) const {
  std::vector<std::string> keys = path;
  if (object->get(key))
    keys.push_back(key.str());
  return placeOf(file->path, file->locate(keys));
}

Error JsonObject::error(StringRef key, const Twine &message) const {
  return userError(place(key), message);
}

/// The one message for a field that is absent or of the wrong type.
static Error mismatch(const JsonObject &object, ArrayRef<std::string> path,
                      StringRef key, StringRef expected) {
  std::string name = fieldName(path, key);
  if (const json::Value *value = object.get(key))
    return object.error(key, name + " must be " + expected + ", found " +
                                 shown(*value));
  return object.error("", name + " is missing, expected " + expected);
}

Expected<int64_t> JsonObject::getInteger(StringRef key) const {
  if (const json::Value *value = object->get(key))
    if (std::optional<int64_t> integer = value->getAsInteger())
      return *integer;
  return mismatch(*this, path, key, "an integer");
}

Expected<int64_t> JsonObject::getInteger(StringRef key,
                                         int64_t fallback) const {
  return has(key) ? getInteger(key) : Expected<int64_t>(fallback);
}

Expected<double> JsonObject::getNumber(StringRef key) const {
  if (const json::Value *value = object->get(key))
    if (std::optional<double> number = value->getAsNumber())
      if (std::isfinite(*number))
        return *number;
  return mismatch(*this, path, key, "a number");
}

Expected<double> JsonObject::getNumber(StringRef key, double fallback) const {
  return has(key) ? getNumber(key) : Expected<double>(fallback);
}

Expected<bool> JsonObject::getBool(StringRef key) const {
  if (const json::Value *value = object->get(key))
    if (std::optional<bool> flag = value->getAsBoolean())
      return *flag;
  return mismatch(*this, path, key, "true or false");
}

Expected<bool> JsonObject::getBool(StringRef key, bool fallback) const {
  return has(key) ? getBool(key) : Expected<bool>(fallback);
}

Expected<std::string> JsonObject::getString(StringRef key) const {
  if (const json::Value *value = object->get(key))
    if (std::optional<StringRef> string = value->getAsString())
      return string->str();
  return mismatch(*this, path, key, "a string");
}

Expected<std::string> JsonObject::getString(StringRef key,
                                            StringRef fallback) const {
  return has(key) ? getString(key) : Expected<std::string>(fallback.str());
}

Expected<std::vector<double>> JsonObject::getNumbers(StringRef key) const {
  const json::Array *array = object->getArray(key);
  if (!array)
    return mismatch(*this, path, key, "a list of numbers");
  std::vector<double> result;
  for (const json::Value &element : *array) {
    std::optional<double> number = element.getAsNumber();
    if (!number || !std::isfinite(*number))
      return mismatch(*this, path, key, "a list of numbers");
    result.push_back(*number);
  }
  return result;
}

Expected<std::vector<std::string>> JsonObject::getStrings(StringRef key) const {
  const json::Array *array = object->getArray(key);
  if (!array)
    return mismatch(*this, path, key, "a list of strings");
  std::vector<std::string> result;
  for (const json::Value &element : *array) {
    std::optional<StringRef> string = element.getAsString();
    if (!string)
      return mismatch(*this, path, key, "a list of strings");
    result.push_back(string->str());
  }
  return result;
}

Expected<std::pair<int64_t, int64_t>> JsonObject::getPair(StringRef key) const {
  if (const json::Value *value = object->get(key)) {
    if (std::optional<int64_t> both = value->getAsInteger())
      return std::make_pair(*both, *both);
    if (const json::Array *array = value->getAsArray())
      if (array->size() == 2) {
        std::optional<int64_t> first = (*array)[0].getAsInteger();
        std::optional<int64_t> second = (*array)[1].getAsInteger();
        if (first && second)
          return std::make_pair(*first, *second);
      }
  }
  return mismatch(*this, path, key, "an integer or a list of two");
}

Expected<JsonObject> JsonObject::getObject(StringRef key) const {
  const json::Object *inner = object->getObject(key);
  if (!inner)
    return mismatch(*this, path, key, "an object");
  std::vector<std::string> innerPath = path;
  innerPath.push_back(key.str());
  return JsonObject(file, inner, std::move(innerPath));
}

} // namespace vitc
