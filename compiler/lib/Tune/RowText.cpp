// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RowText.h"

#include "vitc/Support/Escape.h"
#include "vitc/Support/Json.h"

#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace vitc;
using namespace vitc::tune;
namespace json = llvm::json;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

static constexpr llvm::StringLiteral outcomeNames[outcomeCount] = {
    "ok", "wrong", "crash", "timeout", "memory", "spill", "invalid"};
static constexpr llvm::StringLiteral kindNames[] = {"search", "confirm"};
static constexpr llvm::StringLiteral stateNames[] = {"queued", "running",
                                                     "done", "cancelled"};

llvm::StringRef vitc::tune::nameOf(Outcome outcome) {
  return outcomeNames[size_t(outcome)];
}
llvm::StringRef vitc::tune::nameOf(TrialKind kind) {
  return kindNames[size_t(kind)];
}
llvm::StringRef vitc::tune::nameOf(TrialState state) {
  return stateNames[size_t(state)];
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

std::string vitc::tune::toText(const std::string &value) { return value; }
std::string vitc::tune::toText(int64_t value) { return std::to_string(value); }
std::string vitc::tune::toText(double value) {
  return llvm::formatv("{0:e12}", value).str();
}
std::string vitc::tune::toText(const json::Object &value) {
  return llvm::formatv("{0}", json::Value(json::Object(value))).str();
}
std::string vitc::tune::toText(TrialKind value) { return nameOf(value).str(); }
std::string vitc::tune::toText(TrialState value) { return nameOf(value).str(); }
std::string vitc::tune::toText(Outcome value) { return nameOf(value).str(); }

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

void RowReader::read(llvm::StringRef name, std::string &value) {
  if (const Field &field = take())
    value = utf8Text(*field); // SQLite keeps any bytes
}

void RowReader::read(llvm::StringRef name, int64_t &value) {
  const Field &field = take();
  if (field && llvm::StringRef(*field).getAsInteger(10, value))
    complain(name + " must be an integer, found " + inQuotes(*field));
}

void RowReader::read(llvm::StringRef name, bool &value) {
  int64_t number = value;
  read(name, number);
  value = number != 0;
}

void RowReader::read(llvm::StringRef name, double &value) {
  const Field &field = take();
  if (!field)
    return;
  double number = 0;
  if (llvm::StringRef(*field).getAsDouble(number) || !std::isfinite(number))
    complain(name + " must be a finite number, found " + inQuotes(*field));
  else
    value = number;
}

void RowReader::read(llvm::StringRef name, json::Object &value) {
  const Field &field = take();
  if (!field)
    return;
  if (llvm::Expected<json::Object> parsed = parseJsonObject(name, *field))
    value = std::move(*parsed);
  else
    complain(llvm::toString(parsed.takeError()));
}

template <typename Enum>
void RowReader::readName(llvm::StringRef name, Enum &value, unsigned count) {
  const Field &field = take();
  if (!field)
    return;
  for (unsigned i = 0; i < count; ++i)
    if (nameOf(Enum(i)) == *field) {
      value = Enum(i);
      return;
    }
  complain(name + ": there is no " + inQuotes(*field));
}

void RowReader::read(llvm::StringRef name, TrialKind &value) {
  readName(name, value, std::size(kindNames));
}
void RowReader::read(llvm::StringRef name, TrialState &value) {
  readName(name, value, std::size(stateNames));
}
void RowReader::read(llvm::StringRef name, Outcome &value) {
  readName(name, value, outcomeCount);
}
