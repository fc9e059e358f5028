// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Support/JsonReader.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cassert>

using namespace llvm;

namespace vitc {

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

JsonReader::~JsonReader() {
  bool lost = bool(error);
  std::string message = toString(std::move(error));
  if (finished && !lost)
    return;
  std::optional<std::string> &unchecked = object.getFile().unchecked;
  if (!unchecked)
    unchecked = lost ? message : "a reader of its fields was not finished";
  assert(!lost && "an error of a field was never looked at");
}

void JsonReader::fail(Error failure) {
  if (!failure)
    return;
  if (error) {
    consumeError(std::move(failure));
    return;
  }
  error = std::move(failure);
  finished = false;
}

void JsonReader::refuse(StringRef key, const Twine &message) {
  if (!failed())
    fail(errorAt(key, message));
}

void JsonReader::refuseWord(StringRef key, StringRef word,
                            ArrayRef<StringRef> known) {
  auto quoted =
      map_range(known, [](StringRef entry) { return inQuotes(entry); });
  refuse(key, key + " " + inQuotes(word) + " is not supported; supported are " +
                  join(quoted, ", "));
}

void JsonReader::refuseUnknown(ArrayRef<StringRef> known) {
  for (const std::string &key : object.keys())
    if (!is_contained(known, StringRef(key))) {
      StringRef nearest = nearestName(key, known);
      fail(object.error(
          key, "unknown field " + inQuotes(key) +
                   (nearest.empty()
                        ? "; known are " + join(known, ", ")
                        : "; the nearest known one is " + nearest.str())));
    }
}

Error JsonReader::finish() {
  finished = true;
  return std::move(error);
}

const JsonObject *JsonReader::owner(StringRef key) {
  return object.get(key) ? &object : nullptr;
}

Error JsonReader::errorAt(StringRef key, const Twine &message) {
  return object.error(key, message);
}

//===----------------------------------------------------------------------===//
// Fields
//===----------------------------------------------------------------------===//

bool JsonReader::has(StringRef key) {
  const JsonObject *from = owner(key);
  return from && from->has(key);
}

bool JsonReader::boolean(StringRef key, std::optional<bool> fallback) {
  return read<bool>(key, fallback,
                    [&](const JsonObject &from) { return from.getBool(key); });
}

int64_t JsonReader::integer(StringRef key, std::optional<int64_t> fallback,
                            int64_t least, int64_t most) {
  int64_t value = read<int64_t>(key, fallback, [&](const JsonObject &from) {
    return from.getInteger(key);
  });
  if (!failed() && (value < least || value > most))
    refuse(key, key + " " + Twine(value) + " is not between " + Twine(least) +
                    " and " + Twine(most));
  return std::clamp(value, least, most);
}

/// 64, not 64.000000.
static std::string shownNumber(double value) {
  std::string text;
  raw_string_ostream(text) << format("%g", value);
  return text;
}

double JsonReader::number(StringRef key, std::optional<double> fallback) {
  return read<double>(key, fallback, [&](const JsonObject &from) {
    return from.getNumber(key);
  });
}

double JsonReader::number(StringRef key, std::optional<double> fallback,
                          double least, double most) {
  double value = number(key, fallback);
  if (!failed() && !(value >= least && value <= most))
    refuse(key, key + " " + shownNumber(value) + " is not between " +
                    shownNumber(least) + " and " + shownNumber(most));
  return std::clamp(value, least, most);
}

double JsonReader::above0(StringRef key, std::optional<double> fallback,
                          double most) {
  double value = number(key, fallback);
  if (value > 0 && value <= most)
    return value;
  if (most == std::numeric_limits<double>::max())
    refuse(key, key + " " + shownNumber(value) + " is not more than 0");
  else
    refuse(key, key + " " + shownNumber(value) + " is not between 0 and " +
                    shownNumber(most));
  return 1;
}

double JsonReader::eps(StringRef key, std::optional<double> fallback) {
  double value = number(key, fallback);
  if (value >= 0 && value < 1)
    return value;
  refuse(key, key + " " + shownNumber(value) + " is not between 0 and 1");
  return 0;
}

std::string JsonReader::text(StringRef key, std::optional<StringRef> fallback) {
  std::optional<std::string> owned;
  if (fallback)
    owned = fallback->str();
  return read<std::string>(key, std::move(owned), [&](const JsonObject &from) {
    return from.getString(key);
  });
}

std::string JsonReader::choice(StringRef key, StringRef fallback,
                               ArrayRef<StringRef> known) {
  std::string value = text(key, fallback);
  if (!failed() && !is_contained(known, StringRef(value)))
    refuseWord(key, value, known);
  return value;
}

std::pair<int64_t, int64_t>
JsonReader::size(StringRef key, std::pair<int64_t, int64_t> fallback) {
  if (!has(key))
    return fallback;
  auto [rows, columns] = take(owner(key)->getPair(key));
  if (!failed() &&
      (rows < 1 || columns < 1 || rows > greatest || columns > greatest))
    refuse(key, key + " " + Twine(rows) + " x " + Twine(columns) +
                    " is not between 1 and " + Twine(greatest));
  return {std::clamp<int64_t>(rows, 1, greatest),
          std::clamp<int64_t>(columns, 1, greatest)};
}

std::vector<int64_t> JsonReader::integers(StringRef key,
                                          std::vector<int64_t> fallback,
                                          int64_t least, int64_t most,
                                          bool orOne) {
  if (!has(key))
    return fallback;
  const JsonObject &from = *owner(key);
  bool isList = !orOne || from.get(key)->getAsArray();
  std::vector<int64_t> values;
  for (double value : isList ? take(from.getNumbers(key))
                             : std::vector<double>{take(from.getNumber(key))}) {
    bool fits = value >= double(least) && value <= double(most) &&
                value == double(int64_t(value));
    if (!fits)
      refuse(key, key + " has a number that is not a whole one between " +
                      Twine(least) + " and " + Twine(most));
    values.push_back(fits ? int64_t(value) : least);
  }
  return values;
}

std::vector<int64_t>
JsonReader::depths(StringRef key, std::vector<int64_t> fallback, bool orOne) {
  std::vector<int64_t> values = integers(key, fallback, 1, mostBlocks, orOne);
  int64_t blocks = 0;
  for (int64_t value : values)
    blocks += value;
  if (blocks <= mostBlocks)
    return values;
  refuse(key, key + " has " + Twine(blocks) +
                  " blocks in all, expected at most " + Twine(mostBlocks));
  return fallback;
}

json::Object JsonReader::objectAt(StringRef key) {
  const JsonObject *from = owner(key);
  Expected<JsonObject> inner = (from ? *from : object).getObject(key);
  if (inner)
    return inner->raw();
  fail(inner.takeError());
  return {};
}

} // namespace vitc
