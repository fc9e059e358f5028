// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// A strict pull scanner for JSON text. It makes no tree: the caller walks the
/// text value by value, so that a large or hostile file costs no more memory
/// than the caller keeps. It is what finds places, duplicate keys and syntax
/// errors.
#ifndef VITC_SUPPORT_JSONSCANNER_H
#define VITC_SUPPORT_JSONSCANNER_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace vitc {

/// Every reading method consumes one value and returns false at the first
/// failure, which stays: `failure` says what is wrong and `failureOffset`
/// where. After a failure all methods return false.
class JsonScanner {
public:
  /// Deeper nesting is a failure; it also bounds the recursion of everything
  /// that reads the text later.
  static constexpr unsigned maxDepth = 64;

  explicit JsonScanner(llvm::StringRef text) : text(text) {}

  /// The first character of the next value (`{`, `[`, `"`, `t`, a digit …), or
  /// 0 at the end.
  char peek();
  /// The offset at which the next value starts.
  size_t offset();

  /// An object: `member` is called after each key and must consume the value.
  /// Keys that come twice are a failure.
  bool object(llvm::function_ref<bool(llvm::StringRef key)> member);
  /// A list: `element` must consume one value.
  bool array(llvm::function_ref<bool()> element);
  /// A string, with its escapes resolved.
  bool string(std::string &value);
  /// A number, as it is spelled. One that no double can hold is a failure.
  bool number(llvm::StringRef &spelling);
  /// Any value. What it holds is checked and counted.
  bool skip();
  /// Nothing but blanks may follow.
  bool end();
  /// Records a failure at `offset`; returns false.
  bool fail(size_t offset, llvm::StringRef message);

  std::string failure;
  size_t failureOffset = 0;
  uint64_t valuesSkipped =
      0; ///< values consumed by skip(), nested ones included

private:
  void blanks();
  bool expect(char character, llvm::StringRef what);
  bool escape(std::string &value);
  bool hex4(unsigned &value);
  bool literal(llvm::StringRef word);
  std::string found(size_t at) const;

  llvm::StringRef text;
  size_t at = 0;
  unsigned depth = 0;
};

} // namespace vitc

#endif // VITC_SUPPORT_JSONSCANNER_H
