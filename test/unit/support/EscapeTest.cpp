// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Support/Escape.h"

#include "llvm/Support/JSON.h"
#include "gtest/gtest.h"

using namespace vitc;

/// Every byte, and all that means something to one of the languages.
static std::vector<std::string> hostileTexts() {
  std::vector<std::string> texts = {
      "",
      "head\\",
      "a*/b/*c//",
      "/*/",
      "??/",
      "????/???",
      "?\?=\\\n#include </etc/passwd>",
      "a\n__attribute__((constructor)) void f() {}\n//",
      "</script><!--<script>alert(1)</script>-->",
      "]]>&amp;'\"<>",
      "${HOME}$ENV{HOME}$(id)`id`@VAR@;$<1:x>#x",
      "%n%s%d{}{{}}",
      "\x1b]0;title\x07\x1b[31m",
      "\xE2\x80\xAE"
      "evil\xE2\x81\xA6\xE2\x80\xA8",
      "h\xC3\xA4"
      "d \xF0\x9F\x98\x80",
      "\xC2\x9B"
      "31m",
      "\xC0\xAF\xED\xA0\x80\xF4\x90\x80\x80\xFF\xC3",
      "\0701\xC3\xA4"
      "1",
      std::string("a\0b", 3),
      std::string(100000, 'x'),
      std::string(100000, '?')};
  std::string all;
  for (int byte = 0; byte < 256; ++byte)
    all += char(byte);
  texts.push_back(all);
  for (int first = 0; first < 256; ++first)
    for (char second : {'/', '*', '?', '\\', '\n', '"', '7', '\x80', '\xBF'})
      texts.push_back({char(first), second, char(first)});
  return texts;
}

static bool isPrintableAscii(const std::string &text) {
  for (unsigned char c : text)
    if (c < 0x20 || c >= 0x7F)
      return false;
  return true;
}

TEST(Escape, CommentsCannotEndBeginOrContinue) {
  for (const std::string &text : hostileTexts()) {
    std::string shown = commentText(text);
    EXPECT_TRUE(isPrintableAscii(shown)) << shown;
    EXPECT_LE(shown.size(), 203u);
    for (const char *part : {"\\", "*/", "/*", "??"})
      EXPECT_EQ(shown.find(part), std::string::npos) << shown;
  }
  EXPECT_EQ(commentText("encoder.layer.3 (q/k) 50% {x}?"),
            "encoder.layer.3 (q/k) 50% {x}?");
  EXPECT_EQ(commentText("h\xC3\xA4"
                        "d\\\n"),
            "h_d__");
  EXPECT_EQ(commentText("a*/b"), "a*_b");
  EXPECT_EQ(commentText("??/"), "?_/");
}

/// What C makes of a literal.
static std::string readLiteral(const std::string &literal) {
  std::string result;
  for (size_t i = 1; i + 1 < literal.size(); ++i) {
    if (literal[i] != '\\') {
      result += literal[i];
      continue;
    }
    int value = 0;
    for (int digit = 0; digit < 3; ++digit)
      value = value * 8 + (literal[++i] - '0');
    result += char(value);
  }
  return result;
}

TEST(Escape, StringLiteralsKeepEveryByte) {
  for (const std::string &text : hostileTexts()) {
    std::string literal = stringLiteral(text);
    EXPECT_TRUE(isPrintableAscii(literal));
    EXPECT_EQ(literal.find("??"), std::string::npos);
    EXPECT_EQ(literal.find('"', 1), literal.size() - 1);
    EXPECT_EQ(readLiteral(literal), text);
  }
  EXPECT_EQ(stringLiteral("h\xC3\xA4"
                          "d \"q\" 1\n2"),
            R"("h\303\244d \042q\042 1\0122")");
  EXPECT_EQ(stringLiteral("a??/b"), R"("a?\077/b")");
  EXPECT_EQ(stringLiteral("\\"), R"("\134")");
}

TEST(Escape, CMakeArgumentsExpandNothing) {
  EXPECT_EQ(cmakeArgument("a ${B} @C@ \"d\" \\e;f\n"),
            R"("a \${B} \@C\@ \"d\" \\e;f\n")");
}

TEST(Escape, PkgConfigTextIsOneLineOfText) {
  EXPECT_EQ(pkgConfigText("m\xC3\xB6"
                          "del 1\nLibs: -levil ${x} # 'y' \\"),
            "m\xC3\xB6"
            "del 1_Libs: -levil _{x} _ _y_ _");
  for (const std::string &text : hostileTexts())
    EXPECT_EQ(pkgConfigText(text).find_first_of("\n\r$#\\\"'`"),
              std::string::npos);
}

TEST(Escape, ShellWordsAreOneWord) {
  EXPECT_EQ(shellWord("models/vit-b_16"), "models/vit-b_16");
  EXPECT_EQ(shellWord(""), "''");
  EXPECT_EQ(shellWord("a b$(c)`d`;'e'"), "'a b$(c)`d`;'\\''e'\\'''");
}

TEST(Escape, HtmlHasNoMarkup) {
  for (const std::string &text : hostileTexts()) {
    std::string shown = htmlText(text);
    EXPECT_EQ(shown.find_first_of("<>\"'"), std::string::npos);
    EXPECT_TRUE(llvm::json::isUTF8(shown));
    for (size_t at = shown.find('&'); at != std::string::npos;
         at = shown.find('&', at + 1))
      EXPECT_NE(shown.find(';', at), std::string::npos);
  }
  EXPECT_EQ(htmlText("<a href='x' b=\"y\">&amp;\x1b\xFF"),
            "&lt;a href=&#39;x&#39; b=&quot;y&quot;&gt;&amp;amp;"
            "\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST(Escape, ScriptsHoldTheSameJson) {
  for (const std::string &text : hostileTexts()) {
    llvm::json::Value value(utf8Text(text));
    std::string json;
    llvm::raw_string_ostream(json) << value;
    std::string script = scriptJson(json);
    EXPECT_EQ(script.find_first_of("<>&"), std::string::npos);
    EXPECT_EQ(llvm::cantFail(llvm::json::parse(script)), value);
  }
}

TEST(Escape, Utf8IsWhatJsonTakes) {
  for (const std::string &text : hostileTexts()) {
    EXPECT_TRUE(llvm::json::isUTF8(utf8Text(text)));
    if (llvm::json::isUTF8(text))
      EXPECT_EQ(utf8Text(text), text);
  }
}

TEST(Escape, TerminalsGetNoCommands) {
  for (const std::string &text : hostileTexts()) {
    std::string shown = terminalText(text);
    EXPECT_TRUE(isPlainText(shown)) << shown;
    for (const char *part : {"\xE2\x80\xAE", "\xE2\x81\xA6", "\xE2\x80\xA8"})
      EXPECT_EQ(shown.find(part), std::string::npos);
  }
  EXPECT_EQ(terminalText("\x1b[31mh\xC3\xA4"
                         "d\n\t"),
            "?[31mh\xC3\xA4"
            "d??");
  EXPECT_EQ(terminalText("a\n\tb\r\x1b", /*keepLines=*/true), "a\n\tb??");
}

TEST(Escape, CharactersMayComeInPieces) {
  EXPECT_EQ(unfinishedBytes(""), 0u);
  EXPECT_EQ(unfinishedBytes("ab"), 0u);
  EXPECT_EQ(unfinishedBytes("\xC3\xA4"), 0u);
  EXPECT_EQ(unfinishedBytes("a\xC3"), 1u);
  EXPECT_EQ(unfinishedBytes("a\xF0\x9F\x98"), 3u);
  EXPECT_EQ(unfinishedBytes("a\x98\x98\x98\x98"), 0u);
  EXPECT_EQ(unfinishedBytes("\xFF"), 0u);
}

TEST(Escape, KnowsPlainTextAndIdentifiers) {
  EXPECT_TRUE(isPlainText("h\xC3\xA4"
                          "d ?*/\\ <x>"));
  for (const char *text : {"a\nb", "\x7F", "\xC2\x85", "\xFF", "\xED\xA0\x80"})
    EXPECT_FALSE(isPlainText(text)) << text;
  for (const char *name : {"a", "_", "Ab_9"})
    EXPECT_TRUE(isIdentifier(name)) << name;
  for (const char *name : {"", "9a", "a-b", "a\n", "h\xC3\xA4", "a b", "a$"})
    EXPECT_FALSE(isIdentifier(name)) << name;
}
