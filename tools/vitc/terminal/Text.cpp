// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Text.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Unicode.h"

#include <cmath>

using namespace vitc;
using namespace vitc::tool;
using llvm::StringRef;

std::string vitc::tool::formatFixed(double value, unsigned digits) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.*f", int(digits), value);
  return text;
}

std::string vitc::tool::formatShort(double value) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.3g", value);
  return text;
}

/// `value` in the largest of the units, each a thousand of the one before, in
/// which it is at least 1.
static std::string inUnits(double value, llvm::ArrayRef<StringRef> units) {
  size_t unit = 0;
  while (value >= 999.95 && unit + 1 < units.size()) {
    value /= 1000;
    ++unit;
  }
  std::string text = formatFixed(value, unit ? 1 : 0);
  return units[unit].empty() ? text : text + " " + units[unit].str();
}

std::string vitc::tool::formatBytes(uint64_t bytes) {
  return inUnits(double(bytes), {"B", "kB", "MB", "GB", "TB"});
}

std::string vitc::tool::formatCount(double count) {
  return inUnits(count, {"", "k", "M", "G", "T"});
}

std::string vitc::tool::formatSeconds(double seconds) {
  if (seconds < 1)
    return formatFixed(seconds * 1000, 0) + " ms";
  if (seconds < 60)
    return formatFixed(seconds, 1) + " s";
  int64_t whole = std::llround(seconds);
  return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) +
         " s";
}

std::string vitc::tool::formatShape(llvm::ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "[";
  llvm::interleaveComma(shape, os);
  os << "]";
  return text;
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

namespace {

/// Text on its way to a terminal.
class TerminalStream : public llvm::raw_ostream {
public:
  explicit TerminalStream(llvm::raw_ostream &sink)
      : raw_ostream(/*unbuffered=*/true), sink(sink) {}
  ~TerminalStream() override { flush(); }

private:
  void write_impl(const char *text, size_t size) override {
    // A character may come in pieces.
    unfinished.append(text, size);
    size_t whole = unfinished.size() - unfinishedBytes(unfinished);
    sink << terminalText(std::string_view(unfinished).substr(0, whole),
                         /*keepLines=*/true);
    unfinished.erase(0, whole);
  }
  uint64_t current_pos() const override { return sink.tell(); }

  llvm::raw_ostream &sink;
  std::string unfinished;
};

} // namespace

llvm::raw_ostream &vitc::tool::out() {
  static TerminalStream stream(llvm::outs());
  return stream;
}

llvm::raw_ostream &vitc::tool::err() {
  static TerminalStream stream(llvm::errs());
  return stream;
}

void vitc::tool::printWarning(const llvm::Twine &message) {
  llvm::outs().flush();
  err() << "vitc: warning: " << message << "\n";
}

void vitc::tool::printWrapped(llvm::raw_ostream &os, StringRef text,
                              unsigned indent, unsigned column) {
  constexpr unsigned width = 100;
  llvm::SmallVector<StringRef> lines;
  text.split(lines, '\n');
  for (StringRef line : lines) {
    bool first = true;
    llvm::SmallVector<StringRef> words;
    line.split(words, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
    if (column < indent) {
      os.indent(indent - column);
      column = indent;
    }
    for (StringRef word : words) {
      int columns = llvm::sys::unicode::columnWidthUTF8(word);
      unsigned length = columns < 0 ? word.size() : columns;
      if (!first && column + 1 + length > width) {
        os << "\n";
        os.indent(indent);
        column = indent;
        first = true;
      }
      os << (first ? "" : " ") << word;
      column += length + !first;
      first = false;
    }
    os << "\n";
    column = 0;
  }
}

//===----------------------------------------------------------------------===//
// Table
//===----------------------------------------------------------------------===//

Table::Table(std::vector<std::pair<std::string, Align>> head)
    : head(std::move(head)) {}

void Table::add(std::vector<std::string> row) {
  assert(row.size() == head.size() && "one cell for each column");
  rows.push_back(std::move(row));
}

void Table::print(llvm::raw_ostream &os, unsigned indent) const {
  std::vector<unsigned> widths;
  for (size_t i = 0; i < head.size(); ++i) {
    size_t width = head[i].first.size();
    for (const auto &row : rows)
      width = std::max(width, row[i].size());
    widths.push_back(width);
  }
  auto printRow = [&](auto cell) {
    std::string line;
    for (size_t i = 0; i < head.size(); ++i) {
      StringRef text = cell(i);
      size_t blanks = widths[i] - text.size();
      line += i ? "  " : "";
      if (head[i].second == Align::Right)
        line += std::string(blanks, ' ') + text.str();
      else
        line += text.str() + std::string(blanks, ' ');
    }
    os.indent(indent) << StringRef(line).rtrim() << "\n";
  };
  printRow([&](size_t i) -> StringRef { return head[i].first; });
  for (const auto &row : rows)
    printRow([&](size_t i) -> StringRef { return row[i]; });
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

void vitc::tool::jsonNumber(llvm::json::OStream &json, StringRef key,
                            double value) {
  if (std::isfinite(value))
    json.attribute(key, value);
  else
    json.attribute(key, nullptr);
}

void vitc::tool::jsonShape(llvm::json::OStream &json, StringRef key,
                           llvm::ArrayRef<int64_t> shape) {
  json.attributeArray(key, [&] {
    for (int64_t size : shape)
      json.value(size);
  });
}

void vitc::tool::jsonText(llvm::json::OStream &json, StringRef key,
                          StringRef text) {
  json.attribute(key, utf8Text(text));
}
