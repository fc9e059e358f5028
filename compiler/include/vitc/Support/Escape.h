// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Foreign text as data in what vitc writes. Names in models, paths and options
/// may hold anything; one function for each language keeps them from becoming
/// code, markup or terminal commands there. Every writer goes through these.
///
/// Only the standard library is needed, so that the backends use them too.
#ifndef VITC_SUPPORT_ESCAPE_H
#define VITC_SUPPORT_ESCAPE_H

#include <string>
#include <string_view>

namespace vitc {

/// For a comment of C, C++ or CMake, which shows a name to people: printable
/// ASCII of at most 200 characters. What could end the comment or its line,
/// begin another or be a trigraph becomes `_`.
std::string commentText(std::string_view text);

/// A string literal with its quotes, for C99, C++17 and the assembler: the same
/// bytes, written as printable ASCII without trigraphs.
std::string stringLiteral(std::string_view text);

/// A quoted argument of CMake with its quotes.
std::string cmakeArgument(std::string_view text);

/// For a field of a pkg-config file that people read: one line without
/// variables, comments and quotes.
std::string pkgConfigText(std::string_view text);

/// One word of a shell's command line, which people copy from a message.
std::string shellWord(std::string_view text);

/// For HTML and SVG: text between tags, or inside a quoted attribute.
std::string htmlText(std::string_view text);

/// JSON for a <script> of an HTML page, which it can neither end nor turn into
/// a comment. It stays the same JSON.
std::string scriptJson(std::string_view json);

/// For llvm::json, which takes UTF-8 only: other bytes become U+FFFD.
std::string utf8Text(std::string_view text);

/// For a terminal: control characters, overrides of the writing direction and
/// bytes that are not UTF-8 become question marks. `keepLines` leaves newlines
/// and tabs alone.
std::string terminalText(std::string_view text, bool keepLines = false);

/// Whether `text` is UTF-8 without control characters.
bool isPlainText(std::string_view text);

/// Whether `text` is a C identifier: letters of ASCII, digits and `_`, no digit
/// first.
bool isIdentifier(std::string_view text);

/// How many bytes at the end of `text` begin a character of UTF-8 that more
/// bytes could complete.
size_t unfinishedBytes(std::string_view text);

} // namespace vitc

#endif // VITC_SUPPORT_ESCAPE_H
