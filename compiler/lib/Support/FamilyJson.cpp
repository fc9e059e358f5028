// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Support/FamilyJson.h"

#include "llvm/Support/FormatVariadic.h"

using namespace vitc;
using namespace llvm;

json::Object vitc::toJson(const families::FieldValues &fields) {
  json::Object object;
  for (const auto &[name, field] : fields) {
    if (auto *flag = std::get_if<bool>(&field.value))
      object[name] = *flag;
    else if (auto *integer = std::get_if<int64_t>(&field.value))
      object[name] = *integer;
    else if (auto *number = std::get_if<double>(&field.value))
      object[name] = *number;
    else if (auto *word = std::get_if<std::string>(&field.value))
      object[name] = *word;
    else if (auto *list = std::get_if<std::vector<int64_t>>(&field.value))
      object[name] = json::Array(*list);
  }
  return object;
}

/// A JSON value as a field can have it.
static families::FieldValue fieldValue(const json::Value &value) {
  families::FieldValue result;
  result.text = formatv("{0}", value).str();
  if (auto flag = value.getAsBoolean())
    result.value = *flag;
  else if (auto integer = value.getAsInteger())
    result.value = *integer;
  else if (auto number = value.getAsNumber())
    result.value = *number;
  else if (auto word = value.getAsString())
    result.value = word->str();
  else if (const json::Array *array = value.getAsArray()) {
    std::vector<int64_t> integers;
    for (const json::Value &element : *array) {
      auto integer = element.getAsInteger();
      if (!integer)
        return result;
      integers.push_back(*integer);
    }
    result.value = std::move(integers);
  }
  return result;
}

families::FieldValues vitc::fieldValues(const json::Object &spec) {
  families::FieldValues values;
  for (const auto &[name, value] : spec)
    values.push_back({StringRef(name).str(), fieldValue(value)});
  return values;
}
