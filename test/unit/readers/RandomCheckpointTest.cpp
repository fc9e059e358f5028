// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Checkpoint/Checkpoint.h"

#include "TestFiles.h"

#include <cmath>

using namespace vitc;
using namespace vitc::test;

static TensorInfo wanted(const std::string &name, std::vector<int64_t> shape) {
  TensorInfo info;
  info.name = name;
  info.shape = std::move(shape);
  return info;
}

static std::vector<float> readAll(const Checkpoint &checkpoint,
                                  const std::string &name) {
  const TensorInfo *tensor = checkpoint.find(name);
  std::vector<float> values(tensor->elements());
  checkpoint.read(*tensor, 0, llvm::MutableArrayRef<float>(values));
  return values;
}

namespace {
struct Statistics {
  double mean = 0, deviation = 0, least = INFINITY, most = -INFINITY;
};
} // namespace

static Statistics statisticsOf(const std::vector<float> &values) {
  Statistics result;
  double squares = 0;
  for (double value : values) {
    result.mean += value;
    squares += value * value;
    result.least = std::min(result.least, value);
    result.most = std::max(result.most, value);
  }
  result.mean /= values.size();
  result.deviation =
      std::sqrt(squares / values.size() - result.mean * result.mean);
  return result;
}

TEST(RandomCheckpointTest, DependsOnSeedAndNameAlone) {
  auto one = makeRandomCheckpoint(
      {wanted("b.weight", {100, 100}), wanted("a.weight", {100, 100})}, 7);
  auto same = makeRandomCheckpoint({wanted("b.weight", {100, 100})}, 7);
  auto other = makeRandomCheckpoint({wanted("b.weight", {100, 100})}, 8);
  EXPECT_EQ(one->tensors()[0].name, "a.weight");
  EXPECT_EQ(readAll(*one, "b.weight"), readAll(*same, "b.weight"));
  EXPECT_NE(readAll(*one, "b.weight"), readAll(*one, "a.weight"));
  EXPECT_NE(readAll(*one, "b.weight"), readAll(*other, "b.weight"));
  expectParts(one->describe(), {"seed 7"});
}

TEST(RandomCheckpointTest, PartsEqualTheWhole) {
  auto checkpoint = makeRandomCheckpoint(
      {wanted("a.weight", {50, 20}), wanted("norm.weight", {1000})}, 1);
  for (const TensorInfo &tensor : checkpoint->tensors()) {
    std::vector<float> whole = readAll(*checkpoint, tensor.name);
    for (int64_t first = 990; first >= 0; first -= 10) {
      double part[10];
      checkpoint->read(tensor, first, llvm::MutableArrayRef<double>(part));
      for (int i = 0; i < 10; ++i)
        EXPECT_EQ(part[i], double(whole[first + i]));
    }
  }
}

/// Benchmarks on different machines run the same model: these bits are fixed.
TEST(RandomCheckpointTest, FixedBits) {
  auto checkpoint = makeRandomCheckpoint(
      {wanted("a.weight", {4, 4}), wanted("norm.weight", {4})}, 42);
  EXPECT_EQ(readAll(*checkpoint, "a.weight")[0], -0x1.df663p-3f);
  EXPECT_EQ(readAll(*checkpoint, "a.weight")[15], 0x1.6a146ep-3f);
  EXPECT_EQ(readAll(*checkpoint, "norm.weight")[0], 0x1.f40cap-1f);
  EXPECT_EQ(readAll(*checkpoint, "norm.weight")[3], 0x1.9b8e46p-1f);
}

TEST(RandomCheckpointTest, Spreads) {
  auto checkpoint = makeRandomCheckpoint(
      {wanted("layer.0.attention.query.weight", {400, 256}),
       wanted("patch_embeddings.projection.weight", {200, 3, 16, 16}),
       wanted("layer.0.layernorm_before.weight", {50000}),
       wanted("layer.0.output.bias", {50000}),
       wanted("embeddings.cls_token", {1, 1, 50000}),
       wanted("embeddings.position_embeddings", {1, 200, 250}),
       wanted("bn.running_var", {50000})},
      3);
  auto deviationOf = [&](const char *name) {
    Statistics statistics = statisticsOf(readAll(*checkpoint, name));
    EXPECT_NEAR(statistics.mean / statistics.deviation, 0, 0.02) << name;
    EXPECT_GT(statistics.most, 2.5 * statistics.deviation) << name;
    EXPECT_LT(statistics.least, -2.5 * statistics.deviation) << name;
    return statistics.deviation;
  };
  EXPECT_NEAR(deviationOf("layer.0.attention.query.weight"), 1.0 / 16, 1e-3);
  EXPECT_NEAR(deviationOf("patch_embeddings.projection.weight"),
              1 / std::sqrt(768), 1e-3);
  for (const char *name : {"layer.0.output.bias", "embeddings.cls_token",
                           "embeddings.position_embeddings"}) {
    double deviation = deviationOf(name);
    EXPECT_GT(deviation, 0.02);
    EXPECT_LT(deviation, 0.2);
  }
  for (const char *name :
       {"layer.0.layernorm_before.weight", "bn.running_var"}) {
    Statistics gain = statisticsOf(readAll(*checkpoint, name));
    EXPECT_NEAR(gain.mean, 1, 0.005);
    EXPECT_NEAR(gain.least, 0.8, 0.001);
    EXPECT_NEAR(gain.most, 1.2, 0.001);
  }
}

TEST(RandomCheckpointTest, NeighboursAreIndependent) {
  auto checkpoint = makeRandomCheckpoint({wanted("a.weight", {1000, 100})}, 5);
  std::vector<float> values = readAll(*checkpoint, "a.weight");
  for (size_t lag : {1, 2, 100}) {
    double product = 0, squares = 0;
    for (size_t i = lag; i < values.size(); ++i) {
      product += double(values[i]) * values[i - lag];
      squares += double(values[i]) * values[i];
    }
    EXPECT_NEAR(product / squares, 0, 0.015) << lag;
  }
}
