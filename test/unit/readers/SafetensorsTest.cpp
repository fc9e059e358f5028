// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Checkpoint/Checkpoint.h"

#include "TestFiles.h"

#include <cmath>

using namespace vitc;
using namespace vitc::test;

namespace {
class SafetensorsTest : public FilesTest {
protected:
  std::string failure(const std::string &content) const {
    std::string message =
        messageOf(openSafetensors(write("model.safetensors", content)));
    expectParts(message, {at("model.safetensors")});
    return message;
  }
  /// A file with one tensor "a", whose entry is given.
  std::string entryFailure(const std::string &entry,
                           const std::string &data = "12345678") const {
    return failure(safetensorsBytes("{\"a\":" + entry + "}", data));
  }
  std::unique_ptr<Checkpoint> open(const std::string &content) const {
    return valueOf(openSafetensors(write("model.safetensors", content)));
  }
  template <typename T>
  static std::vector<T> readAll(const Checkpoint &checkpoint,
                                llvm::StringRef name) {
    const TensorInfo *tensor = checkpoint.find(name);
    std::vector<T> values(tensor->elements());
    checkpoint.read(*tensor, 0, llvm::MutableArrayRef<T>(values));
    return values;
  }
};
} // namespace

TEST_F(SafetensorsTest, AllTypes) {
  // The one byte before makes all that follow unaligned.
  std::unique_ptr<Checkpoint> file = open(safetensorsBytes({
      {"a.bool", "BOOL", {3}, {'\0', '\1', '\2'}},
      {"f64", "F64", {2}, bytesOf<double>({1.0 / 3, -1e300})},
      {"f32", "F32", {1, 2}, bytesOf<float>({0.1f, -3e38f})},
      {"f16", "F16", {3}, bytesOf<uint16_t>({0x3c00, 0xc500, 0x0001})},
      {"bf16", "BF16", {2}, bytesOf<uint16_t>({0x3f80, 0xc2f7})},
      {"i64", "I64", {1}, bytesOf<int64_t>({-(1ll << 40)})},
      {"i32", "I32", {1}, bytesOf<int32_t>({-7})},
      {"i16", "I16", {1}, bytesOf<int16_t>({-300})},
      {"i8", "I8", {1}, bytesOf<int8_t>({-5})},
      {"u8", "U8", {}, bytesOf<uint8_t>({250})},
      {"empty", "F32", {0, 4}, ""},
  }));
  ASSERT_EQ(file->tensors().size(), 11u);
  for (size_t i = 1; i < file->tensors().size(); ++i)
    EXPECT_LT(file->tensors()[i - 1].name, file->tensors()[i].name);
  EXPECT_EQ(readAll<float>(*file, "a.bool"), (std::vector<float>{0, 1, 1}));
  EXPECT_EQ(readAll<double>(*file, "f64"),
            (std::vector<double>{1.0 / 3, -1e300}));
  EXPECT_EQ(readAll<float>(*file, "f64")[0], 1.0f / 3);
  EXPECT_EQ(readAll<float>(*file, "f32"), (std::vector<float>{0.1f, -3e38f}));
  EXPECT_EQ(readAll<double>(*file, "f32")[0], double(0.1f));
  EXPECT_EQ(readAll<float>(*file, "f16"),
            (std::vector<float>{1, -5, 0x1p-24f}));
  EXPECT_EQ(readAll<double>(*file, "bf16"), (std::vector<double>{1, -123.5}));
  EXPECT_EQ(readAll<double>(*file, "i64")[0], -0x1p40);
  EXPECT_EQ(readAll<float>(*file, "i32")[0], -7);
  EXPECT_EQ(readAll<float>(*file, "i16")[0], -300);
  EXPECT_EQ(readAll<float>(*file, "i8")[0], -5);
  EXPECT_EQ(readAll<float>(*file, "u8")[0], 250);
  EXPECT_TRUE(readAll<float>(*file, "empty").empty());
  EXPECT_EQ(file->describe(), at("model.safetensors"));
  for (const TensorInfo &tensor : file->tensors())
    EXPECT_EQ(countNonFinite(*file, tensor), 0);
}

TEST_F(SafetensorsTest, EveryHalf) {
  std::vector<uint16_t> halves(65536);
  for (size_t i = 0; i < halves.size(); ++i)
    halves[i] = uint16_t(i);
  std::unique_ptr<Checkpoint> file =
      open(safetensorsBytes({{"a", "F16", {65536}, bytesOf(halves)}}));
  std::vector<float> floats = readAll<float>(*file, "a");
  for (int i = 0; i < 65536; ++i) {
    int exponent = i >> 10 & 31, mantissa = i & 1023;
    double expected = exponent == 0 ? std::ldexp(mantissa, -24)
                      : exponent == 31
                          ? (mantissa ? NAN : INFINITY)
                          : std::ldexp(1024 + mantissa, exponent - 25);
    if (i >> 15)
      expected = -expected;
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(floats[i])) << i;
    } else {
      EXPECT_EQ(double(floats[i]), expected) << i;
      EXPECT_EQ(std::signbit(floats[i]), bool(i >> 15)) << i;
    }
  }
  EXPECT_EQ(countNonFinite(*file, file->tensors()[0]), 2 * 1024);
}

TEST_F(SafetensorsTest, ReadsParts) {
  std::vector<float> values(1000);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = float(i);
  std::unique_ptr<Checkpoint> file =
      open(safetensorsBytes({{"a", "F32", {10, 100}, bytesOf(values)}}));
  float part[3];
  file->read(file->tensors()[0], 997, llvm::MutableArrayRef<float>(part));
  EXPECT_EQ(part[0], 997);
  EXPECT_EQ(part[2], 999);
}

TEST_F(SafetensorsTest, CountsNonFinite) {
  std::vector<double> values(40000, 1e300);
  values[0] = NAN;
  values[39999] = -INFINITY;
  std::unique_ptr<Checkpoint> file =
      open(safetensorsBytes({{"a", "F64", {40000}, bytesOf(values)}}));
  EXPECT_EQ(countNonFinite(*file, file->tensors()[0]), 2);
}

TEST_F(SafetensorsTest, PaddedHeadAndNoTensors) {
  EXPECT_TRUE(open(safetensorsBytes("{}     ", ""))->tensors().empty());
  EXPECT_TRUE(
      open(safetensorsBytes("{\"__metadata__\":{}}", ""))->tensors().empty());
}

TEST_F(SafetensorsTest, ShorterThanItsLength) {
  expectParts(failure(""), {"0 bytes", "at least 8"});
  expectParts(failure("1234567"), {"7 bytes", "at least 8"});
}

TEST_F(SafetensorsTest, HeadLongerThanFile) {
  std::string content = safetensorsBytes("{}", "");
  content[0] = 3;
  expectParts(failure(content), {"cut off", "3 bytes", "only 2"});
}

TEST_F(SafetensorsTest, HeadTooLong) {
  expectParts(failure(std::string("\1\xe1\xf5\5\0\0\0\0{}", 10)),
              {"100000001", "100000000"});
  expectParts(failure(std::string(16, '\xff')), {"18446744073709551615"});
}

TEST_F(SafetensorsTest, HeadNotJson) {
  expectParts(failure(safetensorsBytes("", "")), {"starts with '{'"});
  expectParts(failure(safetensorsBytes(" {}", "")), {"starts with '{'"});
  expectParts(failure(safetensorsBytes("[]", "")), {"starts with '{'"});
  expectParts(failure(safetensorsBytes("{\"a\"", "")),
              {"not valid JSON at byte 4"});
  expectParts(failure(safetensorsBytes("{}x", "")), {"at byte 2", "'x'"});
  expectParts(failure(safetensorsBytes("{\"\xff\":1}", "")), {"UTF-8"});
  expectParts(failure(safetensorsBytes("{" + std::string(1000, '['), "")),
              {"a key in quotes"});
}

TEST_F(SafetensorsTest, MetadataNotStrings) {
  expectParts(failure(safetensorsBytes("{\"__metadata__\":1}", "")),
              {"__metadata__ must be an object"});
  expectParts(failure(safetensorsBytes("{\"__metadata__\":{\"x\":1}}", "")),
              {"__metadata__ must hold strings only", "\"x\""});
}

TEST_F(SafetensorsTest, MissingFields) {
  expectParts(entryFailure("{\"shape\":[2],\"data_offsets\":[0,8]}"),
              {"\"a\"", "dtype is missing"});
  expectParts(entryFailure("{\"dtype\":\"F32\",\"data_offsets\":[0,8]}"),
              {"\"a\"", "shape is missing"});
  expectParts(entryFailure("{\"dtype\":\"F32\",\"shape\":[2]}"),
              {"\"a\"", "data_offsets is missing"});
}

TEST_F(SafetensorsTest, WrongFields) {
  expectParts(entryFailure("7"), {"\"a\"", "expected an object"});
  expectParts(entryFailure("{\"dtype\":1}"), {"dtype must be a string"});
  expectParts(entryFailure("{\"shape\":2}"), {"shape must be a list"});
  expectParts(entryFailure("{\"shape\":[\"2\"]}"), {"whole numbers"});
  expectParts(entryFailure("{\"shape\":[[2]]}"), {"whole numbers"});
  expectParts(entryFailure("{\"data_offsets\":{}}"), {"must be a list"});
  expectParts(entryFailure("{\"extra\":1}"),
              {"\"extra\" was not expected", "dtype, shape and data_offsets"});
}

TEST_F(SafetensorsTest, UnknownType) {
  expectParts(
      entryFailure(
          "{\"dtype\":\"F8_E4M3\",\"shape\":[8],\"data_offsets\":[0,8]}"),
      {"\"a\"", "\"F8_E4M3\"", "F64, F32"});
}

TEST_F(SafetensorsTest, WrongShapes) {
  auto shape = [&](const std::string &text) {
    return entryFailure("{\"dtype\":\"F32\",\"shape\":" + text +
                        ",\"data_offsets\":[0,8]}");
  };
  expectParts(shape("[-2]"), {"\"a\"", "-2", "from 0"});
  expectParts(shape("[2.0]"), {"2.0", "whole numbers"});
  expectParts(shape("[2e0]"), {"2e0", "whole numbers"});
  expectParts(shape("[99999999999999999999]"), {"99999999999999999999"});
  expectParts(shape("[4294967296,4294967296]"), {"overflows"});
  expectParts(shape("[4294967296,4294967296,0]"), {"overflows"});
  expectParts(shape("[9223372036854775807]"), {"overflows"});
  std::string axes = "[1";
  for (int i = 0; i < 32; ++i)
    axes += ",1";
  expectParts(shape(axes + "]"), {"more than 32"});
}

TEST_F(SafetensorsTest, SizeDoesNotMatchShape) {
  expectParts(
      entryFailure("{\"dtype\":\"F32\",\"shape\":[3],\"data_offsets\":[0,8]}"),
      {"\"a\"", "[3] of F32 needs 12 bytes", "span 8"});
}

TEST_F(SafetensorsTest, WrongOffsets) {
  auto offsets = [&](const std::string &text) {
    return entryFailure(
        "{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":" + text + "}");
  };
  expectParts(offsets("[8,0]"), {"end before they begin"});
  expectParts(offsets("[0]"), {"two numbers, found 1"});
  expectParts(offsets("[0,8,16]"), {"more than 2"});
  expectParts(offsets("[-8,0]"), {"-8"});
  expectParts(offsets("[8,16]"), {"[8,16] lie outside", "8 bytes"});
  expectParts(offsets("[9223372036854775799,9223372036854775807]"),
              {"lie outside"});
}

TEST_F(SafetensorsTest, CutOffData) {
  std::string content =
      safetensorsBytes({{"a", "F32", {4}, bytesOf<float>({1, 2, 3, 4})}});
  content.resize(content.size() - 1);
  expectParts(failure(content), {"\"a\"", "lie outside the file", "15 bytes"});
}

static std::string twoTensors(const std::string &first,
                              const std::string &second) {
  auto entry = [](const std::string &offsets) {
    return "{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[" + offsets +
           "]}";
  };
  return "{\"a\":" + entry(first) + ",\"b\":" + entry(second) + "}";
}

TEST_F(SafetensorsTest, Overlap) {
  expectParts(
      failure(safetensorsBytes(twoTensors("0,8", "4,12"), "123456789012")),
      {"\"b\"", "overlaps", "\"a\""});
  expectParts(failure(safetensorsBytes(twoTensors("0,8", "0,8"), "12345678")),
              {"overlaps"});
}

TEST_F(SafetensorsTest, Hole) {
  expectParts(failure(safetensorsBytes(twoTensors("0,8", "12,20"),
                                       "12345678901234567890")),
              {"\"b\"", "hole of 4 bytes"});
  expectParts(failure(safetensorsBytes(twoTensors("8,16", "16,24"),
                                       "123456789012345678901234")),
              {"\"a\"", "hole of 8 bytes"});
}

TEST_F(SafetensorsTest, TrailingBytes) {
  expectParts(
      failure(safetensorsBytes(twoTensors("0,8", "8,16"), "12345678901234567")),
      {"1 bytes follow"});
}

TEST_F(SafetensorsTest, DuplicateNames) {
  std::string entry =
      "{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}";
  expectParts(failure(safetensorsBytes(
                  "{\"a\":" + entry + ",\"a\":" + entry + "}", "12345678")),
              {"\"a\" comes twice"});
}
