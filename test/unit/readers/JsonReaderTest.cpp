// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Support/JsonReader.h"

#include "TestFiles.h"

using namespace vitc;
using namespace vitc::test;

static JsonObject parse(const std::string &text) {
  return valueOf(parseJson("config.json", text));
}

/// What `read` leads to on a config.
template <typename Read>
static std::string failure(const std::string &text, Read read) {
  JsonReader reader(parse(text));
  read(reader);
  llvm::Error error = reader.finish();
  EXPECT_TRUE(error.isA<UserError>());
  return llvm::toString(std::move(error));
}

TEST(JsonReaderTest, ReadsWhatIsThereAndFallsBack) {
  JsonReader reader(parse(R"({"flag": true, "count": 7, "ratio": 2.5,
    "name": "b", "side": 3, "sides": [4, 5], "list": [1, 2], "one": 6,
    "none": null, "inner": {"x": 1}})"));
  EXPECT_TRUE(reader.boolean("flag", false));
  EXPECT_EQ(reader.integer("count", 1, 0, 10), 7);
  EXPECT_EQ(reader.positive("absent", 12), 12);
  EXPECT_EQ(reader.integer("none", 3, 0, 10), 3);
  EXPECT_EQ(reader.ratio("ratio", 4), 2.5);
  EXPECT_EQ(reader.eps("absent", 1e-6), 1e-6);
  EXPECT_EQ(reader.text("name", ""), "b");
  EXPECT_EQ(reader.text("absent", "x"), "x");
  EXPECT_EQ(reader.choice("name", "a", {"a", "b"}), "b");
  EXPECT_EQ(reader.word<int>("name", "a", {{"a", 1}, {"b", 2}}), 2);
  EXPECT_EQ(reader.size("side", {1, 1}), std::make_pair(3L, 3L));
  EXPECT_EQ(reader.size("sides", {1, 1}), std::make_pair(4L, 5L));
  EXPECT_EQ(reader.size("absent", {0, -1}), std::make_pair(0L, -1L));
  EXPECT_EQ(reader.integers("list", {}, 1), (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(reader.integers("one", {}, 1, 9, /*orOne=*/true),
            (std::vector<int64_t>{6}));
  EXPECT_EQ(reader.objectAt("inner").getInteger("x"), 1);
  EXPECT_TRUE(reader.has("count"));
  EXPECT_FALSE(reader.has("none"));
  EXPECT_FALSE(reader.failed());
  EXPECT_FALSE(bool(reader.finish()));
}

TEST(JsonReaderTest, RefusesWhatIsOutOfRangeAndGivesWhatIsWithin) {
  auto say = [](const std::string &text, auto read) {
    return failure(text, read);
  };
  EXPECT_EQ(say("{\"n\":\n 0}",
                [](JsonReader &r) { EXPECT_EQ(r.positive("n", 5, 9), 1); }),
            "config.json:2:2: n 0 is not between 1 and 9");
  EXPECT_EQ(say("{\"n\": 10}",
                [](JsonReader &r) { EXPECT_EQ(r.positive("n", 5, 9), 9); }),
            "config.json:1:7: n 10 is not between 1 and 9");
  EXPECT_EQ(say("{}", [](JsonReader &r) { r.positive("n", 10, 9); }),
            "config.json:1:1: n 10 is not between 1 and 9");
  EXPECT_EQ(say("{}", [](JsonReader &r) { r.positive("n", std::nullopt); }),
            "config.json:1:1: n is missing, expected an integer");
  EXPECT_EQ(say("{\"n\": 1.5}", [](JsonReader &r) { r.positive("n", 1); }),
            "config.json:1:7: n must be an integer, found 1.5");
  EXPECT_EQ(say("{\"n\": 9223372036854775808}",
                [](JsonReader &r) { r.positive("n", 1); }),
            "config.json:1:7: n must be an integer, found 9223372036854775808");
  EXPECT_EQ(say("{\"n\": [0, 3]}",
                [](JsonReader &r) {
                  EXPECT_EQ(r.size("n", {1, 1}), std::make_pair(1L, 3L));
                }),
            "config.json:1:7: n 0 x 3 is not between 1 and 65536");
  EXPECT_EQ(say("{\"n\": [2, 1e300]}",
                [](JsonReader &r) {
                  EXPECT_EQ(r.integers("n", {}, 1),
                            (std::vector<int64_t>{2, 1}));
                }),
            "config.json:1:7: n has a number that is not a whole one between 1 "
            "and 65536");
  EXPECT_EQ(say("{\"n\": 3}", [](JsonReader &r) { r.integers("n", {}, 1); }),
            "config.json:1:7: n must be a list of numbers, found 3");
  EXPECT_EQ(say("{\"n\": 1e300}",
                [](JsonReader &r) { EXPECT_EQ(r.ratio("n", 4), 1); }),
            "config.json:1:7: n 1e+300 is not between 0 and 64");
  EXPECT_EQ(say("{\"n\": -1}", [](JsonReader &r) { r.above0("n", 4); }),
            "config.json:1:7: n -1 is not more than 0");
  EXPECT_EQ(
      say("{\"n\": 1}", [](JsonReader &r) { EXPECT_EQ(r.eps("n", 0), 0); }),
      "config.json:1:7: n 1 is not between 0 and 1");
  EXPECT_EQ(say("{\"n\": \"c\"}",
                [](JsonReader &r) {
                  EXPECT_EQ(r.word<int>("n", "a", {{"a", 1}, {"b", 2}}), 1);
                }),
            "config.json:1:7: n \"c\" is not supported; supported are \"a\", "
            "\"b\"");
  EXPECT_EQ(
      say("{\"n\": \"c\"}", [](JsonReader &r) { r.choice("n", "a", {"a"}); }),
      "config.json:1:7: n \"c\" is not supported; supported are \"a\"");
}

TEST(JsonReaderTest, KeepsTheFirstErrorAndItsKind) {
  EXPECT_EQ(failure("{\"a\": 0, \"b\": 0}",
                    [](JsonReader &r) {
                      r.positive("b", 1);
                      r.positive("a", 1);
                    }),
            "config.json:1:15: b 0 is not between 1 and 65536");
  // A bug of vitc is not passed off as the user's.
  JsonReader reader(parse("{}"));
  reader.fail(llvm::createStringError("a bug"));
  reader.refuse("a", "a is wrong");
  llvm::Error error = reader.finish();
  EXPECT_TRUE(bool(error));
  EXPECT_FALSE(error.isA<UserError>());
  EXPECT_EQ(llvm::toString(std::move(error)), "a bug");
}

TEST(JsonReaderTest, RefusesUnknownKeys) {
  EXPECT_EQ(
      failure("{\"heads\": 1,\n \"dephts\": 2}",
              [](JsonReader &r) { r.refuseUnknown({"heads", "depths"}); }),
      "config.json:2:12: unknown field \"dephts\"; the nearest known one "
      "is depths");
  EXPECT_EQ(failure("{\"other\": 2}",
                    [](JsonReader &r) { r.refuseUnknown({"heads"}); }),
            "config.json:1:11: unknown field \"other\"; known are heads");
}

TEST(JsonReaderTest, HandsTheEndOfAnInnerReaderOn) {
  EXPECT_EQ(failure("{\"inner\": {\"n\": 0}}",
                    [](JsonReader &r) {
                      JsonReader inner(
                          valueOf(r.getObject().getObject("inner")));
                      inner.positive("n", 1);
                      r.fail(inner.finish());
                    }),
            "config.json:1:17: n 0 is not between 1 and 65536");
}

TEST(JsonReaderTest, AForgottenCheckMarksTheFile) {
  JsonObject config = parse("{\"n\": 0}");
  {
    JsonReader reader(config);
    reader.positive("n", 1);
    EXPECT_EQ(llvm::toString(reader.finish()),
              "config.json:1:7: n 0 is not between 1 and 65536");
  }
  EXPECT_FALSE(config.getFile().unchecked);
  {
    JsonReader reader(config);
  }
  EXPECT_EQ(config.getFile().unchecked,
            "a reader of its fields was not finished");
}

TEST(JsonReaderTest, AnErrorThatNobodyLookedAtMarksTheFile) {
  JsonObject config = parse("{\"n\": 0}");
  auto forget = [&] {
    JsonReader reader(config);
    reader.positive("n", 1);
  };
#ifdef NDEBUG
  forget();
  EXPECT_EQ(config.getFile().unchecked,
            "config.json:1:7: n 0 is not between 1 and 65536");
#else
  EXPECT_DEATH(forget(), "never looked at");
#endif
}
