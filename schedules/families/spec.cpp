// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "families/spec.h"
#include "families/Families.h"

#include <cmath>
#include <limits>

using namespace vitc::families;

//===----------------------------------------------------------------------===//
// Fields
//===----------------------------------------------------------------------===//

void FieldReader::fail(const char *name, std::string message) {
  if (!problem)
    problem = Problem{name, std::move(message)};
}

bool FieldReader::has(const char *name) const {
  for (const auto &entry : values)
    if (entry.first == name)
      return true;
  return false;
}

const FieldValue *FieldReader::take(const char *name) {
  for (const auto &entry : values)
    if (entry.first == name) {
      taken.insert(name);
      return &entry.second;
    }
  fail(name, "missing");
  return nullptr;
}

void FieldReader::read(const char *name, int64_t &to) {
  const FieldValue *value = take(name);
  if (!value)
    return;
  if (auto *integer = std::get_if<int64_t>(&value->value))
    to = *integer;
  else
    fail(name, "expected an integer, got " + value->text);
}

void FieldReader::read(const char *name, double &to) {
  const FieldValue *value = take(name);
  if (!value)
    return;
  if (auto *integer = std::get_if<int64_t>(&value->value))
    to = double(*integer);
  else if (auto *number = std::get_if<double>(&value->value))
    to = *number;
  else
    fail(name, "expected a number, got " + value->text);
}

void FieldReader::read(const char *name, bool &to) {
  const FieldValue *value = take(name);
  if (!value)
    return;
  if (auto *flag = std::get_if<bool>(&value->value))
    to = *flag;
  else
    fail(name, "expected true or false, got " + value->text);
}

size_t FieldReader::readWord(const char *name, const char *const *words,
                             size_t count) {
  const FieldValue *value = take(name);
  if (!value)
    return 0;
  auto *word = std::get_if<std::string>(&value->value);
  if (!word) {
    fail(name, "expected a string, got " + value->text);
    return 0;
  }
  std::string list;
  for (size_t i = 0; i < count; ++i) {
    if (*word == words[i])
      return i;
    list += (i == 0 ? "" : ", ") + std::string(words[i]);
  }
  fail(name, "'" + *word + "' is not one of " + list);
  return 0;
}

void FieldReader::readIntegers(const char *name, int64_t *to, size_t count) {
  const FieldValue *value = take(name);
  if (!value)
    return;
  auto *integers = std::get_if<std::vector<int64_t>>(&value->value);
  if (!integers || integers->size() != count)
    return fail(name, "expected " + std::to_string(count) + " integers, got " +
                          value->text);
  for (size_t i = 0; i < count; ++i)
    to[i] = (*integers)[i];
}

std::optional<Problem> FieldReader::finish() const {
  if (problem)
    return problem;
  for (const auto &entry : values)
    if (!taken.count(entry.first))
      return Problem{entry.first, "unknown field"};
  return std::nullopt;
}

std::optional<Problem> vitc::families::checkInteger(const char *name,
                                                    int64_t value,
                                                    int64_t least, int64_t most,
                                                    int64_t multiple) {
  std::string text = std::to_string(value);
  if (value < least)
    return Problem{name, text + " is less than " + std::to_string(least)};
  if (value > most)
    return Problem{name, text + " is greater than " + std::to_string(most)};
  if (value % multiple != 0)
    return Problem{name,
                   text + " is not a multiple of " + std::to_string(multiple)};
  return std::nullopt;
}

std::optional<Problem>
vitc::families::checkStride(const char *name, int64_t value, int64_t holds) {
  if (value < holds)
    return Problem{name, std::to_string(value) + " is less than the " +
                             std::to_string(holds) + " elements of a row"};
  return std::nullopt;
}

std::optional<Problem> vitc::families::checkNumber(const char *name,
                                                   double value) {
  if (!(std::abs(value) <= double(std::numeric_limits<float>::max())))
    return Problem{name, "is not a number that float32 can hold"};
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

int64_t vitc::families::elementBytes(ElementType type) {
  switch (type) {
#define VITC_ELEMENT_TYPE(Id, NAME, Number, Bytes, ...)                        \
  case ElementType::Id:                                                        \
    return Bytes;
#include "../../runtime/include/vitc/runtime/element_types.def"
  }
  return 0;
}

const char *vitc::families::cType(ElementType type) {
  switch (type) {
#define VITC_ELEMENT_TYPE(Id, NAME, Number, Bytes, CType, Text)                \
  case ElementType::Id:                                                        \
    return #CType;
#include "../../runtime/include/vitc/runtime/element_types.def"
  }
  return "";
}

const char *vitc::families::toWord(ElementType type) {
  switch (type) {
#define VITC_ELEMENT_TYPE(Id, NAME, Number, Bytes, CType, Text)                \
  case ElementType::Id:                                                        \
    return Text;
#include "../../runtime/include/vitc/runtime/element_types.def"
  }
  return "";
}

bool vitc::families::hasNarrowArgument(const std::vector<Argument> &arguments) {
  for (const Argument &argument : arguments)
    if (elementBytes(argument.type) < elementBytes(ElementType::F32))
      return true;
  return false;
}

int64_t Argument::span() const {
  int64_t last = 0;
  for (const Dimension &dimension : dimensions)
    last = plus(last, times(dimension.extent - 1, dimension.stride));
  return plus(last, 1);
}

std::optional<Problem>
vitc::families::checkArguments(const std::vector<Argument> &arguments) {
  for (const Argument &argument : arguments)
    if (argument.elements > mostElements)
      return Problem{argument.name, "the buffer has more than 2^31 elements"};
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

int64_t vitc::families::plus(int64_t a, int64_t b) {
  int64_t sum;
  if (__builtin_add_overflow(a, b, &sum))
    return a < 0 ? -saturated : saturated;
  return most(-saturated, least(sum, saturated));
}

int64_t vitc::families::times(int64_t a, int64_t b) {
  int64_t product;
  if (__builtin_mul_overflow(a, b, &product))
    return (a < 0) == (b < 0) ? saturated : -saturated;
  return most(-saturated, least(product, saturated));
}
