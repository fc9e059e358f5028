// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Support/Json.h"

#include "TestFiles.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"

#include <sys/stat.h>
#include <unistd.h>

using namespace vitc;
using namespace vitc::test;

namespace {
class JsonTest : public FilesTest {
protected:
  static std::string failure(const std::string &text) {
    return messageOf(parseJson("config.json", text));
  }
  static JsonObject parse(const std::string &text) {
    return valueOf(parseJson("config.json", text));
  }
};
} // namespace

TEST_F(JsonTest, ReadsAllTypes) {
  JsonObject json = valueOf(readJson(write("config.json", R"({
  "size": 224, "half": 0.5, "on": true, "name": "v\u0069t \ud83d\ude00",
  "means": [0.5, 1], "archs": ["A", "B"], "pair": [2, 3], "both": 4,
  "inner": {"deep": [1, {"leaf": 7}]}, "nothing": null
})")));
  EXPECT_EQ(valueOf(json.getInteger("size")), 224);
  EXPECT_EQ(valueOf(json.getInteger("absent", 9)), 9);
  EXPECT_EQ(valueOf(json.getInteger("nothing", 9)), 9);
  EXPECT_EQ(valueOf(json.getNumber("half")), 0.5);
  EXPECT_EQ(valueOf(json.getNumber("size")), 224.0);
  EXPECT_TRUE(valueOf(json.getBool("on", false)));
  EXPECT_EQ(valueOf(json.getString("name")), "vit \xf0\x9f\x98\x80");
  EXPECT_EQ(valueOf(json.getString("absent", "x")), "x");
  EXPECT_EQ(valueOf(json.getNumbers("means")), (std::vector<double>{0.5, 1}));
  EXPECT_EQ(valueOf(json.getStrings("archs")),
            (std::vector<std::string>{"A", "B"}));
  EXPECT_EQ(valueOf(json.getPair("pair")), std::make_pair(2L, 3L));
  EXPECT_EQ(valueOf(json.getPair("both")), std::make_pair(4L, 4L));
  EXPECT_TRUE(json.has("size"));
  EXPECT_FALSE(json.has("nothing"));
  EXPECT_EQ(json.keys().size(), 10u);
  JsonObject inner = valueOf(json.getObject("inner"));
  expectParts(inner.place("deep"), {"config.json:4:21"});
  expectParts(inner.place(), {"config.json:4:12"});
  expectParts(inner.place("absent"), {"config.json:4:12"});
  JsonFile::Position leaf =
      json.getFile().locate({"inner", "deep", "1", "leaf"});
  EXPECT_EQ(leaf.line, 4u);
  EXPECT_EQ(leaf.column, 34u);
  JsonFile::Position none = json.getFile().locate({"inner", "deep", "7"});
  EXPECT_EQ(none.line, 1u);
  EXPECT_EQ(none.column, 1u);
}

TEST_F(JsonTest, WrongTypesNameThePlace) {
  JsonObject json = parse("{\n \"a\": \"big\",\n \"o\": {\"x\": 1.5},\n"
                          " \"l\": [1, \"2\"], \"huge\": 1e300}");
  EXPECT_EQ(messageOf(json.getInteger("a")),
            "config.json:2:7: a must be an integer, found \"big\"");
  JsonObject inner = valueOf(json.getObject("o"));
  EXPECT_EQ(messageOf(inner.getInteger("x")),
            "config.json:3:13: o.x must be an integer, found 1.5");
  EXPECT_EQ(messageOf(inner.getInteger("y")),
            "config.json:3:7: o.y is missing, expected an integer");
  EXPECT_EQ(messageOf(json.getNumber("b")),
            "config.json:1:1: b is missing, expected a number");
  expectParts(messageOf(json.getInteger("huge", 1)), {"must be an integer"});
  expectParts(messageOf(json.getBool("a", true)), {"true or false", "\"big\""});
  expectParts(messageOf(json.getString("o")), {"a string", "an object"});
  expectParts(messageOf(json.getNumbers("l")), {"4:7", "a list of numbers"});
  expectParts(messageOf(json.getStrings("l")), {"4:7", "a list of strings"});
  expectParts(messageOf(json.getPair("l")), {"an integer or a list of two"});
  expectParts(messageOf(json.getObject("a")), {"an object", "\"big\""});
}

TEST_F(JsonTest, Missing) {
  expectParts(messageOf(readJson(at("config.json"))),
              {"config.json", "No such file"});
}

TEST_F(JsonTest, FolderPipeAndDanglingLink) {
  expectParts(messageOf(readJson(folder)), {folder, "is a folder"});
  ASSERT_EQ(mkfifo(at("pipe").c_str(), 0600), 0);
  expectParts(messageOf(readJson(at("pipe"))), {"not a regular file"});
  ASSERT_EQ(unlink(at("pipe").c_str()), 0); // which the fixture leaves
  ASSERT_FALSE(llvm::sys::fs::create_link("nowhere", at("link")));
  expectParts(messageOf(readJson(at("link"))), {"link", "does not exist"});
}

TEST_F(JsonTest, Empty) {
  expectParts(messageOf(readJson(write("config.json", ""))),
              {"config.json", "is empty"});
  expectParts(failure(" \n "), {"is empty"});
}

TEST_F(JsonTest, TooLarge) {
  std::string path = write("config.json", "{}");
  ASSERT_FALSE(truncate(path.c_str(), (64 << 20) + 1));
  expectParts(messageOf(readJson(path)), {"67108865 bytes", "67108864"});
}

TEST_F(JsonTest, TooManyValues) {
  std::string text = "{\"a\":[0";
  for (int i = 0; i < (4 << 20); ++i)
    text += ",0";
  expectParts(failure(text + "]}"), {"values, expected at most 4194304"});
}

TEST_F(JsonTest, Truncated) {
  expectParts(failure("{\"a\": 1,\n \"b\""),
              {"config.json:2:5", "expected ':'", "the end of the text"});
  expectParts(failure("{\"a\": [1,"), {"the end of the text"});
  expectParts(failure("{\"a\": \"x"), {"config.json:1:7", "not closed"});
  expectParts(failure("{\"a\": \"\\"), {"not closed"});
}

TEST_F(JsonTest, NotJson) {
  expectParts(failure("hello"), {"config.json:1:1", "'h'"});
  expectParts(failure("{'a': 1}"), {"config.json:1:2", "a key in quotes"});
  expectParts(failure("{\"a\": 01}"), {"expected a number"});
  expectParts(failure("{\"a\": 1.}"), {"expected a number"});
  expectParts(failure("{\"a\": NaN}"), {"expected a value, found 'N'"});
  expectParts(failure("{\"a\": truer}"), {"',' or '}'"});
  expectParts(failure("{\"a\": \"\\x\"}"), {"unknown escape"});
  expectParts(failure("{\"a\": \"\\u12g4\"}"), {"hexadecimal"});
  expectParts(failure("{\"a\": \"\n\"}"), {"control character"});
  expectParts(failure("{\"a\": 1,}"), {"a key in quotes, found '}'"});
  expectParts(failure("{} {}"), {"nothing after the value"});
  expectParts(failure(std::string("{\"a\": \0}", 8)), {"byte 0x00"});
}

TEST_F(JsonTest, NotAnObject) {
  expectParts(failure("[1]"), {"config.json:1:1", "expected a JSON object"});
}

TEST_F(JsonTest, NotUtf8) {
  expectParts(failure("{\n\"a\": \"\xff\"}"), {"config.json:2:7", "UTF-8"});
}

TEST_F(JsonTest, DuplicateKeys) {
  expectParts(failure("{\"a\": 1,\n \"a\": 2}"),
              {"config.json:2:2", "\"a\" comes twice"});
  expectParts(failure("{\"x\": {\"a\": 1, \"\\u0061\": 2}}"),
              {"\"a\" comes twice"});
  parse("{\"x\": {\"a\": 1}, \"a\": 2}");
}

TEST_F(JsonTest, DeepNesting) {
  auto nested = [](int depth) {
    return "{\"a\":" + std::string(depth, '[') + std::string(depth, ']') + "}";
  };
  parse(nested(63));
  expectParts(failure(nested(64)), {"nested deeper than 64"});
  expectParts(failure(nested(1000000)), {"nested deeper than 64"});
}

TEST_F(JsonTest, NumbersAreFinite) {
  expectParts(failure("{\"a\":\n 1e999}"),
              {"config.json:2:2", "\"1e999\" is too large for a double"});
  expectParts(failure("{\"a\": -1E+400}"), {"too large for a double"});
  expectParts(failure("{\"a\": " + std::string(400, '9') + "}"),
              {"too large for a double"});
  expectParts(failure("{\"a\": [Infinity]}"), {"expected a value"});
  EXPECT_EQ(valueOf(parse("{\"a\": 1e-999}").getNumber("a")), 0.0);
  EXPECT_EQ(valueOf(parse("{\"a\": 1.7e308}").getNumber("a")), 1.7e308);
}

TEST_F(JsonTest, ValuesThatAreInNoFile) {
  llvm::json::Value list = valueOf(parseJsonValue("answer", " [1, {}]\n"));
  EXPECT_EQ(list.getAsArray()->size(), 2u);
  EXPECT_EQ(valueOf(parseJsonObject("row", "{\"a\": 1}")).getInteger("a"), 1);
  EXPECT_EQ(messageOf(parseJsonObject("row", "[]")),
            "row: expected a JSON object");
  EXPECT_EQ(messageOf(parseJsonValue("row", "{\"a\": 1e999}")),
            "row:7: not valid JSON: the number \"1e999\" is too large for a "
            "double");
  expectParts(messageOf(parseJsonValue("report", "{\n \"a\" 1}")),
              {"report:2:6", "expected ':'"});
  expectParts(messageOf(parseJsonValue("row", "")), {"the end of the text"});
  // A recursive parser would not come back from this.
  expectParts(messageOf(parseJsonValue("row", std::string(1000000, '['))),
              {"row:65", "nested deeper than 64"});
}

TEST_F(JsonTest, WhatIsReadIsWrittenAndReadAsTheSame) {
  auto written = [](llvm::StringRef text) {
    return llvm::formatv("{0}", valueOf(parseJsonValue("row", text))).str();
  };
  EXPECT_EQ(written("[-0.0, -0, {\"a\": [-0e5]}, -1e-999, 0.0]"),
            "[0,0,{\"a\":[0]},0,0]");
  for (llvm::StringRef text :
       {"-0.0", "4.0", "-4.5e0", "1e16", "1e17", "1e300", "5e-324", "0.1",
        "9007199254740993.0", "9223372036854775807", "9223372036854775808",
        "18446744073709551615", "18446744073709551616", "-9223372036854775809",
        "\"\\u0000\\u0005\\ud800\\u007f\\u0080\"", "{\"\\u0000\\ud800\": 1}"}) {
    std::string once = written(text);
    EXPECT_EQ(written(once), once) << text.str();
  }
}

TEST_F(JsonTest, LinesOfAFileKnowTheirNumber) {
  JsonObject line = valueOf(parseJson("records.jsonl", "{\"a\": 1}", 7));
  EXPECT_EQ(line.place("a"), "records.jsonl:7:7");
  EXPECT_EQ(messageOf(parseJson("records.jsonl", "{\"a\" 1}", 7)),
            "records.jsonl:7:6: not valid JSON: expected ':' after the key, "
            "found '1'");
}

TEST(NearestNameTest, NearAndFar) {
  std::vector<llvm::StringRef> names = {"encoder.layer.0.weight",
                                        "encoder.layer.1.weight", "head"};
  EXPECT_EQ(nearestName("encoder.layers.1.weight", names),
            "encoder.layer.1.weight");
  EXPECT_EQ(nearestName("vit.encoder.layer.0.weight", names),
            "encoder.layer.0.weight");
  EXPECT_EQ(nearestName("completely.different.thing", names), "");
  EXPECT_EQ(nearestName("x", {}), "");
}

TEST(NearestNameTest, LongAndMany) {
  // Would take hours, and minutes.
  std::string name(1 << 20, 'a'), other(1 << 20, 'b');
  EXPECT_EQ(nearestName(name, {llvm::StringRef(other)}), "");
  std::vector<llvm::StringRef> many(1 << 20,
                                    llvm::StringRef(other).take_front(100));
  EXPECT_EQ(nearestName(std::string(100, 'a'), many), "");
}

TEST(UserErrorTest, IsOneLine) {
  std::string words = llvm::toString(
      userError("a\nfile", "has\nvitc: error: another\x1b[31m message"));
  EXPECT_EQ(words, "a\\x0afile: has\\x0avitc: error: another\\x1b[31m message");
}

TEST(InQuotesTest, HidesControlCharactersAndCutsLongText) {
  EXPECT_EQ(inQuotes("a\n\x1b"), "\"a\\x0a\\x1b\"");
  EXPECT_LT(inQuotes(std::string(100000, 'x')).size(), 200u);
}
