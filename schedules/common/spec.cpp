// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/spec.h"

#include "vitc/Support/Escape.h"

#include <fstream>
#include <limits>
#include <sstream>

using Json = nlohmann::ordered_json;

namespace vitc::schedules {

constexpr int protocolVersion = 1;

Fields::Fields(const Json &object, std::string where)
    : json(object), prefix(where.empty() ? "" : where + ".") {
  if (!object.is_object())
    throw SpecError((where.empty() ? "specification" : where) +
                    ": expected an object");
}

void Fields::fail(const std::string &name, const std::string &message) const {
  throw SpecError(prefix + name + ": " + message);
}

bool Fields::has(const std::string &name) const { return json.contains(name); }

const Json &Fields::take(const std::string &name) {
  auto it = json.find(name);
  if (it == json.end())
    fail(name, "missing");
  taken.insert(name);
  return *it;
}

int Fields::integer(const std::string &name, int least) {
  const Json &value = take(name);
  if (!value.is_number_integer())
    fail(name, "expected an integer, got " + value.dump());
  bool fits =
      value.is_number_unsigned()
          ? value.get<uint64_t>() <= uint64_t(std::numeric_limits<int>::max())
          : value.get<int64_t>() >= std::numeric_limits<int>::min();
  if (!fits)
    fail(name, value.dump() + " does not fit into 32 bits");
  if (value.get<int>() < least)
    fail(name, value.dump() + " is less than " + std::to_string(least));
  return value.get<int>();
}

std::string Fields::word(const std::string &name) {
  const Json &value = take(name);
  if (!value.is_string())
    fail(name, "expected a string, got " + value.dump());
  return value.get<std::string>();
}

const Json &Fields::object(const std::string &name) {
  const Json &value = take(name);
  if (!value.is_object())
    fail(name, "expected an object, got " + value.dump());
  return value;
}

void Fields::finish() const {
  for (const auto &item : json.items())
    if (!taken.count(item.key()))
      fail(item.key(), "unknown field");
}

/// A JSON value as a field can have it.
static families::FieldValue fieldValue(const Json &value) {
  families::FieldValue result;
  result.text = value.dump();
  auto isInteger = [](const Json &value) {
    return value.is_number_integer() &&
           (!value.is_number_unsigned() ||
            value.get<uint64_t>() <=
                uint64_t(std::numeric_limits<int64_t>::max()));
  };
  if (value.is_boolean())
    result.value = value.get<bool>();
  else if (isInteger(value))
    result.value = value.get<int64_t>();
  else if (value.is_number_float())
    result.value = value.get<double>();
  else if (value.is_string())
    result.value = value.get<std::string>();
  else if (value.is_array()) {
    std::vector<int64_t> integers;
    for (const Json &element : value) {
      if (!isInteger(element))
        return result;
      integers.push_back(element.get<int64_t>());
    }
    result.value = std::move(integers);
  }
  return result;
}

families::FieldValues fieldValues(const Json &spec) {
  families::FieldValues values;
  for (const auto &item : spec.items())
    values.push_back({item.key(), fieldValue(item.value())});
  return values;
}

/// Whether arrays and objects stand too deep in each other: printing, and
/// other steps that call themselves, take stack for each level.
static bool isTooDeep(const std::string &text) {
  constexpr int most = 16;
  int depth = 0;
  bool inString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (inString && c == '\\')
      ++i;
    else if (c == '"')
      inString = !inString;
    else if (!inString && (c == '[' || c == '{') && ++depth > most)
      return true;
    else if (!inString && (c == ']' || c == '}'))
      --depth;
  }
  return false;
}

/// `name` is put before what is not JSON.
static KernelSpec parseSpec(const std::string &text, const std::string &name) {
  if (isTooDeep(text))
    throw SpecError(name + ": more than 16 arrays and objects in each other");
  Json json;
  try {
    json = Json::parse(text);
  } catch (const Json::parse_error &error) {
    throw SpecError(name + ": not JSON, at byte " + std::to_string(error.byte));
  } catch (const Json::out_of_range &) {
    throw SpecError(name + ": has a number that is too large");
  }

  Fields fields(json, "");
  int protocol = fields.integer("protocol", 0);
  if (protocol != protocolVersion)
    fields.fail("protocol", std::to_string(protocol) + " is not " +
                                std::to_string(protocolVersion));
  KernelSpec result;
  result.name = fields.word("name");
  // The name becomes a C function.
  if (!isIdentifier(result.name))
    fields.fail("name", "'" + result.name + "' is not a C identifier");
  result.target = fields.word("target");
  result.family = fields.word("family");
  result.spec = fields.object("spec");
  result.schedule =
      fields.has("schedule") ? fields.object("schedule") : Json::object();
  fields.finish();
  return result;
}

KernelSpec readSpec(const std::string &path) {
  std::ifstream file(path);
  if (!file)
    throw SpecError(path + ": cannot be read");
  std::ostringstream text;
  text << file.rdbuf();
  return parseSpec(text.str(), path);
}

} // namespace vitc::schedules
