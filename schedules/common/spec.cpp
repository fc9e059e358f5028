// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/spec.h"

#include "vitc/Support/Escape.h"

#include <fstream>
#include <limits>

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

int Fields::toInteger(const std::string &name, const Json &value,
                      int least) const {
  if (!value.is_number_integer())
    fail(name, "expected an integer, got " + value.dump());
  // Halide computes addresses in 32-bit integers.
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

int Fields::integer(const std::string &name, int least) {
  return toInteger(name, take(name), least);
}

double Fields::number(const std::string &name) {
  const Json &value = take(name);
  if (!value.is_number())
    fail(name, "expected a number, got " + value.dump());
  return value.get<double>();
}

bool Fields::flag(const std::string &name) {
  const Json &value = take(name);
  if (!value.is_boolean())
    fail(name, "expected true or false, got " + value.dump());
  return value.get<bool>();
}

std::string Fields::word(const std::string &name) {
  const Json &value = take(name);
  if (!value.is_string())
    fail(name, "expected a string, got " + value.dump());
  return value.get<std::string>();
}

std::string Fields::wordOf(const std::string &name,
                           const std::vector<std::string> &choices) {
  std::string value = word(name), list;
  for (const std::string &choice : choices) {
    if (value == choice)
      return value;
    list += (list.empty() ? "" : ", ") + choice;
  }
  fail(name, "'" + value + "' is not one of " + list);
}

int Fields::integerOr(const std::string &name, int least, int otherwise) {
  return has(name) ? integer(name, least) : otherwise;
}

bool Fields::flagOr(const std::string &name, bool otherwise) {
  return has(name) ? flag(name) : otherwise;
}

std::string Fields::wordOr(const std::string &name,
                           const std::vector<std::string> &choices,
                           const std::string &otherwise) {
  return has(name) ? wordOf(name, choices) : otherwise;
}

std::vector<int> Fields::integers(const std::string &name, size_t count,
                                  int least) {
  const Json &value = take(name);
  if (!value.is_array() || value.size() != count)
    fail(name, "expected " + std::to_string(count) + " integers, got " +
                   value.dump());
  std::vector<int> result;
  for (const Json &element : value)
    result.push_back(toInteger(name, element, least));
  return result;
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

KernelSpec readSpec(const std::string &path) {
  std::ifstream file(path);
  if (!file)
    throw SpecError(path + ": cannot be read");
  Json json;
  try {
    json = Json::parse(file);
  } catch (const Json::parse_error &error) {
    throw SpecError(path + ": not JSON, at byte " + std::to_string(error.byte));
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

} // namespace vitc::schedules
