// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Records/Records.h"

#include "TestFiles.h"

using namespace vitc;
using namespace vitc::test;
using namespace vitc::tune;

static std::string record(const std::string &schedule = "{\"tile\": 4}",
                          const std::string &seconds = "1e-6",
                          const std::string &threads = "1") {
  return R"({"record": 3, "family": "gemm", "target": "avx2", "spec": {"m": 1},
"cpu": "c", "machine": "m", "backend": "halide", "backend_version": "0",
"vitc": "0", "code": "x", "share_of_peak": 0.5, "date": "d", "command": "t",
"baseline": {"backend": "halide", "backend_version": "0", "schedule": {},
"code": "y", "seconds": 2e-6}, "schedule": )" +
         schedule + ", \"seconds\": " + seconds + ", \"threads\": " + threads +
         "}";
}

/// Puts `now` where `then` stands first.
static void replace(std::string &text, const std::string &then,
                    const std::string &now) {
  size_t at = text.find(then);
  ASSERT_NE(at, std::string::npos) << then;
  text.replace(at, then.size(), now);
}

static std::string failure(const std::string &text) {
  return messageOf(parseRecord("r.jsonl", text, 3));
}

TEST(RecordsTest, RoundTrip) {
  Record first = valueOf(parseRecord("r.jsonl", record(), 3));
  EXPECT_EQ(first.place, "r.jsonl:3");
  EXPECT_EQ(first.ratio(), 0.5);
  Record second = valueOf(parseRecord("r.jsonl", first.toLine()));
  EXPECT_EQ(first.toLine(), second.toLine());
}

TEST(RecordsTest, WhatIsWrittenIsReadAsTheSame) {
  std::string text = record("{\"tile\": -0.0, \"block\": 4.0}");
  replace(text, "\"m\": 1", "\"m\": -0.0, \"eps\": [-1e-400, 1e-5]");
  replace(text, "0.5", "-0.0");                 // the share of the peak
  replace(text, "\"y\"", "\"\\u0005\\u0000\""); // the baseline's code
  Record first = valueOf(parseRecord("r.jsonl", text));
  Record second = valueOf(parseRecord("r.jsonl", first.toLine()));
  EXPECT_EQ(first.toLine(), second.toLine());
  EXPECT_EQ(first.key(), second.key());
  EXPECT_EQ(first.baseline.code, std::string("\5\0", 2));
}

TEST(RecordsTest, NumbersAreFiniteAndInRange) {
  expectParts(failure(record("{}", "1e999")),
              {"r.jsonl:7:", "\"1e999\" is too large for a double"});
  expectParts(failure(record("{}", "0")), {"seconds 0 is not more than 0"});
  expectParts(failure(record("{}", "-1")), {"seconds -1 is not more than 0"});
  expectParts(failure(record("{}", "\"1\"")), {"seconds must be a number"});
  expectParts(failure(record("{}", "1e-6", "1000000000")),
              {"threads 1000000000 is not between 1 and"});
  expectParts(failure(record("{\"tile\": 1.5}")),
              {"schedule must be an object of integers"});
  expectParts(failure(record("{\"tile\": 1e30}")),
              {"schedule must be an object of integers"});
  expectParts(failure(record("3")), {"schedule must be an object, found 3"});
  expectParts(failure("{}"), {"record must be 3"});
}

TEST(RecordsTest, DeepSchedules) {
  std::string deep(1000000, '[');
  expectParts(failure(record("{\"a\": " + deep + "}")),
              {"nested deeper than 64"});
}
