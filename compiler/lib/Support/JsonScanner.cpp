// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Support/JsonScanner.h"

#include "vitc/Support/Error.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/ConvertUTF.h"

#include <cmath>
#include <cstdlib>

using namespace llvm;

namespace vitc {

/// Surrogates without their other half become this, as in LLVM's parser.
static constexpr unsigned replacementCharacter = 0xFFFD;

static void appendUtf8(unsigned codePoint, std::string &out) {
  char bytes[UNI_MAX_UTF8_BYTES_PER_CODE_POINT];
  char *end = bytes;
  ConvertCodePointToUTF8(codePoint, end);
  out.append(bytes, end);
}

bool JsonScanner::fail(size_t offset, StringRef message) {
  if (failure.empty()) {
    failure = message.str();
    failureOffset = offset;
  }
  return false;
}

std::string JsonScanner::found(size_t at) const {
  if (at >= text.size())
    return "the end of the text";
  unsigned char c = text[at];
  if (c > 0x20 && c < 0x7f)
    return std::string("'") + char(c) + "'";
  return "the byte 0x" + utohexstr(c, /*LowerCase=*/true, /*Width=*/2);
}

void JsonScanner::blanks() {
  while (at < text.size() && (text[at] == ' ' || text[at] == '\t' ||
                              text[at] == '\n' || text[at] == '\r'))
    ++at;
}

char JsonScanner::peek() {
  blanks();
  return at < text.size() && failure.empty() ? text[at] : 0;
}

size_t JsonScanner::offset() {
  blanks();
  return at;
}

bool JsonScanner::expect(char character, StringRef what) {
  if (peek() != character || !failure.empty())
    return fail(at, ("expected " + what + ", found " + found(at)).str());
  ++at;
  return true;
}

bool JsonScanner::end() {
  if (peek() || at != text.size())
    return fail(at, "expected nothing after the value, found " + found(at));
  return failure.empty();
}

bool JsonScanner::object(function_ref<bool(StringRef)> member) {
  if (!expect('{', "an object"))
    return false;
  if (++depth > maxDepth)
    return fail(at - 1, "nested deeper than " + std::to_string(maxDepth));
  StringSet<> seen;
  std::string key;
  if (peek() != '}') {
    do {
      size_t start = offset();
      if (peek() != '"')
        return fail(start, "expected a key in quotes, found " + found(start));
      if (!string(key))
        return false;
      if (!seen.insert(key).second)
        return fail(start, "the key " + inQuotes(key) + " comes twice");
      if (!expect(':', "':' after the key") || !member(key))
        return false;
    } while (peek() == ',' && ++at);
  }
  --depth;
  return expect('}', "',' or '}'");
}

bool JsonScanner::array(function_ref<bool()> element) {
  if (!expect('[', "a list"))
    return false;
  if (++depth > maxDepth)
    return fail(at - 1, "nested deeper than " + std::to_string(maxDepth));
  if (peek() != ']') {
    do {
      if (!element())
        return false;
    } while (peek() == ',' && ++at);
  }
  --depth;
  return expect(']', "',' or ']'");
}

bool JsonScanner::string(std::string &value) {
  size_t start = offset();
  if (!expect('"', "a string"))
    return false;
  value.clear();
  while (at < text.size()) {
    unsigned char c = text[at];
    if (c == '"') {
      ++at;
      return true;
    }
    if (c < 0x20)
      return fail(at, "unescaped control character in a string");
    if (c != '\\') {
      value += char(c);
      ++at;
    } else if (!escape(value)) {
      return false;
    }
  }
  return fail(start, "the string is not closed");
}

bool JsonScanner::hex4(unsigned &value) {
  value = 0;
  for (int i = 0; i < 4; ++i, ++at) {
    if (at >= text.size() || !isHexDigit(text[at]))
      return fail(at, "expected four hexadecimal digits after \\u");
    value = value * 16 + hexDigitValue(text[at]);
  }
  return true;
}

bool JsonScanner::escape(std::string &value) {
  size_t start = at++;
  if (at >= text.size())
    return fail(start, "the string is not closed");
  switch (char c = text[at++]) {
  case '"':
  case '\\':
  case '/':
    value += c;
    return true;
  case 'b':
    value += '\b';
    return true;
  case 'f':
    value += '\f';
    return true;
  case 'n':
    value += '\n';
    return true;
  case 'r':
    value += '\r';
    return true;
  case 't':
    value += '\t';
    return true;
  case 'u':
    break;
  default:
    return fail(start, "unknown escape in a string");
  }

  unsigned first = 0;
  if (!hex4(first))
    return false;
  bool isHigh = first >= 0xD800 && first < 0xDC00;
  bool isLow = first >= 0xDC00 && first < 0xE000;
  if (isHigh && text.substr(at).starts_with("\\u")) {
    size_t second = at;
    at += 2;
    unsigned low = 0;
    if (!hex4(low))
      return false;
    if (low >= 0xDC00 && low < 0xE000) {
      appendUtf8(0x10000 + ((first - 0xD800) << 10) + (low - 0xDC00), value);
      return true;
    }
    at = second; // not a pair: the second escape stands for itself
  }
  appendUtf8(isHigh || isLow ? replacementCharacter : first, value);
  return true;
}

/// False for 1e999, which parsers take for infinity.
static bool isFinite(StringRef spelling) {
  // Nothing shorter is large without an exponent.
  constexpr size_t fewDigits = 300;
  if (spelling.size() < fewDigits && !spelling.contains_insensitive("e"))
    return true;
  return std::isfinite(std::strtod(spelling.str().c_str(), nullptr));
}

bool JsonScanner::number(StringRef &spelling) {
  size_t start = offset();
  auto digits = [&] {
    size_t before = at;
    while (at < text.size() && isDigit(text[at]))
      ++at;
    return at != before;
  };
  auto take = [&](StringRef characters) {
    bool hit = at < text.size() && characters.contains(text[at]);
    at += hit;
    return hit;
  };
  if (!failure.empty())
    return false;
  take("-");
  bool good = take("0") || digits();
  if (good && take("."))
    good = digits();
  if (good && take("eE")) {
    take("+-");
    good = digits();
  }
  if (!good || (at < text.size() && (isAlnum(text[at]) || text[at] == '.')))
    return fail(start, "expected a number, found " + found(at));
  spelling = text.slice(start, at);
  if (!isFinite(spelling))
    return fail(start, "the number " + inQuotes(spelling) +
                           " is too large for a double");
  return true;
}

bool JsonScanner::literal(StringRef word) {
  if (!text.substr(at).starts_with(word))
    return fail(at, "expected a value, found " + found(at));
  at += word.size();
  return true;
}

bool JsonScanner::skip() {
  ++valuesSkipped;
  std::string unusedString;
  StringRef unusedNumber;
  switch (peek()) {
  case '{':
    return object([&](StringRef) { return skip(); });
  case '[':
    return array([&] { return skip(); });
  case '"':
    return string(unusedString);
  case 't':
    return literal("true");
  case 'f':
    return literal("false");
  case 'n':
    return literal("null");
  case '-':
  case '0':
  case '1':
  case '2':
  case '3':
  case '4':
  case '5':
  case '6':
  case '7':
  case '8':
  case '9':
    return number(unusedNumber);
  default:
    return fail(at, "expected a value, found " + found(at));
  }
}

} // namespace vitc
