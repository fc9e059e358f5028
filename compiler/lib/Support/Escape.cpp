// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Support/Escape.h"

#include <algorithm>
#include <cstdint>

using namespace vitc;

//===----------------------------------------------------------------------===//
// Characters
//===----------------------------------------------------------------------===//

namespace {

/// One character at the start of a text; `bytes` is 1 where it is not UTF-8.
struct Character {
  uint32_t code;
  size_t bytes;
  bool isValid;
};

} // namespace

static constexpr std::string_view replacement = "\xEF\xBF\xBD"; // U+FFFD

/// How long a character is whose first byte this is; 0 if none starts so.
static size_t lengthOf(unsigned char first) {
  return first < 0x80   ? 1
         : first < 0xC2 ? 0
         : first < 0xE0 ? 2
         : first < 0xF0 ? 3
         : first < 0xF5 ? 4
                        : 0;
}

static bool isContinuation(unsigned char byte) { return (byte & 0xC0) == 0x80; }

/// Overlong forms, surrogates and what is beyond U+10FFFF are not UTF-8.
static Character firstOf(std::string_view text) {
  unsigned char first = text[0];
  size_t length = lengthOf(first);
  Character invalid = {first, 1, false};
  if (length == 0 || length > text.size())
    return invalid;
  uint32_t code = length == 1 ? first : first & (0xFFu >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    if (!isContinuation(text[i]))
      return invalid;
    code = code << 6 | (static_cast<unsigned char>(text[i]) & 0x3F);
  }
  static constexpr uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < least[length] || code > 0x10FFFF ||
      (code >= 0xD800 && code <= 0xDFFF))
    return invalid;
  return {code, length, true};
}

/// Calls `take(character, its bytes)` for each character.
template <typename Take>
static void forEachCharacter(std::string_view text, const Take &take) {
  while (!text.empty()) {
    Character character = firstOf(text);
    take(character, text.substr(0, character.bytes));
    text.remove_prefix(character.bytes);
  }
}

/// C0, DEL and C1.
static bool isControl(uint32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0);
}

/// What makes a line read as another one, or as two: separators of lines and
/// overrides of the writing direction.
static bool isMisleading(uint32_t code) {
  return code == 0x2028 || code == 0x2029 ||
         (code >= 0x202A && code <= 0x202E) ||
         (code >= 0x2066 && code <= 0x2069);
}

static bool isAsciiPrintable(uint32_t code) {
  return code >= 0x20 && code < 0x7F;
}

//===----------------------------------------------------------------------===//
// C, C++ and the assembler
//===----------------------------------------------------------------------===//

std::string vitc::commentText(std::string_view text) {
  constexpr size_t longest = 200;
  std::string result;
  forEachCharacter(text, [&](const Character &character, std::string_view) {
    if (result.size() > longest)
      return;
    char c = character.isValid && isAsciiPrintable(character.code)
                 ? char(character.code)
                 : '_';
    char before = result.empty() ? ' ' : result.back();
    bool isUnsafe = c == '\\' || (c == '?' && before == '?') ||
                    (c == '/' && before == '*') || (c == '*' && before == '/');
    result += isUnsafe ? '_' : c;
  });
  if (result.size() > longest)
    result.replace(longest, std::string::npos, "...");
  return result;
}

std::string vitc::stringLiteral(std::string_view text) {
  std::string result = "\"";
  char before = ' ';
  for (unsigned char c : text) {
    bool isPlain = isAsciiPrintable(c) && c != '"' && c != '\\' &&
                   !(c == '?' && before == '?');
    if (isPlain) {
      result += char(c);
    } else {
      // Three digits always: a digit that follows is not a part of it.
      result += '\\';
      for (int shift : {6, 3, 0})
        result += char('0' + (c >> shift & 7));
    }
    before = char(c);
  }
  return result + '"';
}

bool vitc::isIdentifier(std::string_view text) {
  // Not isalnum, which asks the locale.
  auto isLetter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !text.empty() && isLetter(text[0]) &&
         std::all_of(text.begin(), text.end(), [&](char c) {
           return isLetter(c) || (c >= '0' && c <= '9');
         });
}

//===----------------------------------------------------------------------===//
// CMake, pkg-config and shells
//===----------------------------------------------------------------------===//

std::string vitc::cmakeArgument(std::string_view text) {
  std::string result = "\"";
  for (char c : text) {
    switch (c) {
    case '\n':
      result += "\\n";
      break;
    case '\r':
      result += "\\r";
      break;
    case '\0': // which no argument can hold
      result += '_';
      break;
    case '\\':
    case '"':
    case '$':
    case '@':
      result += '\\';
      [[fallthrough]];
    default:
      result += c;
    }
  }
  return result + '"';
}

std::string vitc::pkgConfigText(std::string_view text) {
  std::string result;
  forEachCharacter(
      text, [&](const Character &character, std::string_view bytes) {
        bool isUnsafe = !character.isValid || isControl(character.code) ||
                        isMisleading(character.code) ||
                        bytes.find_first_of("$#\\\"'`") != bytes.npos;
        result += isUnsafe ? "_" : bytes;
      });
  return result;
}

std::string vitc::shellWord(std::string_view text) {
  auto isPlain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') ||
           std::string_view("_@%+=:,./-").find(c) != std::string_view::npos;
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), isPlain))
    return std::string(text);
  std::string result = "'";
  for (char c : text)
    result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

//===----------------------------------------------------------------------===//
// HTML and JSON
//===----------------------------------------------------------------------===//

std::string vitc::htmlText(std::string_view text) {
  std::string result;
  forEachCharacter(
      text, [&](const Character &character, std::string_view bytes) {
        bool isSpace = character.code == '\n' || character.code == '\t';
        if (!character.isValid || (isControl(character.code) && !isSpace) ||
            isMisleading(character.code))
          bytes = replacement;
        result += bytes == "&"    ? "&amp;"
                  : bytes == "<"  ? "&lt;"
                  : bytes == ">"  ? "&gt;"
                  : bytes == "\"" ? "&quot;"
                  : bytes == "'"  ? "&#39;"
                                  : bytes;
      });
  return result;
}

std::string vitc::scriptJson(std::string_view json) {
  // Outside of strings none of these can stand in JSON.
  std::string result;
  forEachCharacter(json,
                   [&](const Character &character, std::string_view bytes) {
                     result += !character.isValid          ? "\\ufffd"
                               : bytes == "<"              ? "\\u003c"
                               : bytes == ">"              ? "\\u003e"
                               : bytes == "&"              ? "\\u0026"
                               : character.code == 0x2028u ? "\\u2028"
                               : character.code == 0x2029u ? "\\u2029"
                                                           : bytes;
                   });
  return result;
}

std::string vitc::utf8Text(std::string_view text) {
  std::string result;
  forEachCharacter(text,
                   [&](const Character &character, std::string_view bytes) {
                     result += character.isValid ? bytes : replacement;
                   });
  return result;
}

//===----------------------------------------------------------------------===//
// Terminals and checks
//===----------------------------------------------------------------------===//

std::string vitc::terminalText(std::string_view text, bool keepLines) {
  std::string result;
  forEachCharacter(
      text, [&](const Character &character, std::string_view bytes) {
        bool isLayout =
            keepLines && (character.code == '\n' || character.code == '\t');
        bool isUnsafe = !character.isValid || isControl(character.code) ||
                        isMisleading(character.code);
        result += isUnsafe && !isLayout ? "?" : bytes;
      });
  return result;
}

bool vitc::isPlainText(std::string_view text) {
  bool isPlain = true;
  forEachCharacter(text, [&](const Character &character, std::string_view) {
    isPlain &= character.isValid && !isControl(character.code);
  });
  return isPlain;
}

size_t vitc::unfinishedBytes(std::string_view text) {
  size_t tail = 0;
  while (tail < 3 && tail < text.size() &&
         isContinuation(text[text.size() - 1 - tail]))
    ++tail;
  if (tail == text.size())
    return 0;
  size_t length = lengthOf(text[text.size() - 1 - tail]);
  return length > tail + 1 ? tail + 1 : 0;
}
