// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Checkpoint/Checkpoint.h"

#include "TestFiles.h"

using namespace vitc;
using namespace vitc::test;

namespace {
class ShardedSafetensorsTest : public FilesTest {
protected:
  void SetUp() override {
    FilesTest::SetUp();
    write("one.safetensors",
          safetensorsBytes({{"c", "F32", {2}, bytesOf<float>({1, 2})},
                            {"a", "F16", {1}, bytesOf<uint16_t>({0x4200})}}));
    write("two.safetensors",
          safetensorsBytes({{"b", "F32", {1}, bytesOf<float>({4})}}));
  }
  llvm::Expected<std::unique_ptr<Checkpoint>>
  open(const std::string &weightMap) const {
    return openShardedSafetensors(write(
        "model.safetensors.index.json",
        "{\"metadata\": {\"total_size\": 14},\n \"weight_map\": " + weightMap +
            "}"));
  }
  std::string failure(const std::string &weightMap) const {
    return messageOf(open(weightMap));
  }
};
} // namespace

TEST_F(ShardedSafetensorsTest, Reads) {
  std::unique_ptr<Checkpoint> all =
      valueOf(open(R"({"a": "one.safetensors", "b": "two.safetensors",
               "c": "one.safetensors"})"));
  ASSERT_EQ(all->tensors().size(), 3u);
  EXPECT_EQ(all->tensors()[0].name, "a");
  EXPECT_EQ(all->tensors()[1].place, at("two.safetensors"));
  EXPECT_EQ(all->describe(), at("model.safetensors.index.json"));
  float value = 0;
  all->read(all->tensors()[0], 0, llvm::MutableArrayRef<float>(value));
  EXPECT_EQ(value, 3);
  all->read(all->tensors()[1], 0, llvm::MutableArrayRef<float>(value));
  EXPECT_EQ(value, 4);
  double second = 0;
  all->read(all->tensors()[2], 1, llvm::MutableArrayRef<double>(second));
  EXPECT_EQ(second, 2);
}

TEST_F(ShardedSafetensorsTest, NoWeightMap) {
  expectParts(messageOf(openShardedSafetensors(write("i.json", "{}"))),
              {"i.json:1:1", "weight_map is missing"});
  expectParts(failure("[]"), {"weight_map must be an object", ":2:16"});
  expectParts(failure("{}"), {"weight_map is empty", ":2:16"});
  expectParts(failure("{\"a\": 1}"),
              {"weight_map.a must be a string", ":2:22"});
}

TEST_F(ShardedSafetensorsTest, ShardOutsideTheFolder) {
  for (const char *name : {"/etc/passwd", "../one.safetensors", "x/y", "..",
                           ".", "", "a\\\\b", "one.safetensors\\u0000"})
    expectParts(failure("{\"a\": \"" + std::string(name) + "\"}"),
                {"index.json:2:22", "file beside the index"});
}

TEST_F(ShardedSafetensorsTest, ShardMissing) {
  expectParts(failure(R"({"a": "three.safetensors"})"),
              {at("three.safetensors"), "No such file"});
}

TEST_F(ShardedSafetensorsTest, TensorNotInItsShard) {
  expectParts(failure(R"({"a": "one.safetensors", "b": "one.safetensors",
                          "c": "one.safetensors"})"),
              {"index.json:2:46", "\"b\" is not in", at("one.safetensors")});
}

TEST_F(ShardedSafetensorsTest, TensorNotInTheIndex) {
  expectParts(failure(R"({"a": "one.safetensors", "b": "two.safetensors"})"),
              {at("one.safetensors"), "\"c\" is not in the index"});
}

TEST_F(ShardedSafetensorsTest, TensorInTwoShards) {
  write("two.safetensors",
        safetensorsBytes({{"a", "F32", {1}, bytesOf<float>({4})},
                          {"b", "F32", {1}, bytesOf<float>({4})}}));
  expectParts(failure(R"({"a": "one.safetensors", "b": "two.safetensors",
                          "c": "one.safetensors"})"),
              {at("two.safetensors"), "\"a\" is here too", "one.safetensors"});
}

TEST_F(ShardedSafetensorsTest, DuplicateTensor) {
  expectParts(failure(R"({"a": "one.safetensors", "a": "two.safetensors"})"),
              {"\"a\" comes twice"});
}

TEST_F(ShardedSafetensorsTest, BrokenShard) {
  write("two.safetensors", "broken");
  expectParts(failure(R"({"a": "one.safetensors", "b": "two.safetensors",
                          "c": "one.safetensors"})"),
              {at("two.safetensors"), "not a safetensors file"});
}
