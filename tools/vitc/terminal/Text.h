// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// How the tool writes: sizes, tables, wrapped text and JSON.
#ifndef VITC_TOOLS_TERMINAL_TEXT_H
#define VITC_TOOLS_TERMINAL_TEXT_H

#include "vitc/Support/Escape.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

namespace vitc::tool {

/// 532 B, 1.2 kB, 87.3 MB: powers of 1000, as file managers and disks count.
std::string formatBytes(uint64_t bytes);
/// 305034 as 305.0 k, 86567656 as 86.6 M.
std::string formatCount(double count);
/// Seconds as 812 ms, 3.2 s or 2 min 5 s.
std::string formatSeconds(double seconds);
/// With that many digits after the point.
std::string formatFixed(double value, unsigned digits);
/// Three significant digits: 0.00123, 1.23e-07.
std::string formatShort(double value);
/// [1, 1000]
std::string formatShape(llvm::ArrayRef<int64_t> shape);
/// Standard output and standard error for text that people read. Whatever names
/// in files and paths hold, it cannot command the terminal: see terminalText.
/// JSON and IR, which escape by themselves, go to llvm::outs().
llvm::raw_ostream &out();
llvm::raw_ostream &err();

/// `vitc: warning: …` on standard error.
void printWarning(const llvm::Twine &message);

/// Words of `text` in lines of at most 100 columns, each after `indent` blanks;
/// the first line starts at `column`, where the cursor is.
void printWrapped(llvm::raw_ostream &os, llvm::StringRef text, unsigned indent,
                  unsigned column);

/// Columns as wide as their widest cell.
class Table {
public:
  enum class Align { Left, Right };
  explicit Table(std::vector<std::pair<std::string, Align>> head);
  void add(std::vector<std::string> row);
  void print(llvm::raw_ostream &os, unsigned indent = 0) const;

private:
  std::vector<std::pair<std::string, Align>> head;
  std::vector<std::vector<std::string>> rows;
};

/// A number of a JSON object; null if it is not finite, which JSON cannot say.
void jsonNumber(llvm::json::OStream &json, llvm::StringRef key, double value);
void jsonShape(llvm::json::OStream &json, llvm::StringRef key,
               llvm::ArrayRef<int64_t> shape);
/// Text of a JSON object. Bytes that are not UTF-8, as file names may have,
/// are replaced.
void jsonText(llvm::json::OStream &json, llvm::StringRef key,
              llvm::StringRef text);

} // namespace vitc::tool

#endif // VITC_TOOLS_TERMINAL_TEXT_H
