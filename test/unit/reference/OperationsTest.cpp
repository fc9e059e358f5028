// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Every operation on numbers small enough to work out by hand.
#include "Operations.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace vitc;
using namespace vitc::reference;
using vit::Activation;
using vit::PoolKind;

static Tensor tensor(llvm::ArrayRef<int64_t> shape,
                     llvm::ArrayRef<double> data) {
  Tensor result(shape);
  EXPECT_EQ(result.data.size(), data.size());
  std::copy(data.begin(), data.end(), result.data.begin());
  return result;
}

/// The same shape, and values within a few units in the last place.
static void expectTensor(const Tensor &actual, llvm::ArrayRef<int64_t> shape,
                         llvm::ArrayRef<double> data,
                         double tolerance = 1e-14) {
  EXPECT_EQ(actual.shape, std::vector<int64_t>(shape.begin(), shape.end()));
  ASSERT_EQ(actual.data.size(), data.size());
  for (size_t i = 0; i < data.size(); ++i)
    EXPECT_NEAR(actual.data[i], data[i],
                tolerance * std::max(1.0, std::abs(data[i])))
        << "element " << i;
}

//===----------------------------------------------------------------------===//
// Embedding
//===----------------------------------------------------------------------===//

TEST(PatchEmbed, SumsEachPatch) {
  // One channel, 2x4 pixels, patches of 2x2.
  Tensor image = tensor({1, 1, 2, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
  Tensor ones = tensor({1, 1, 2, 2}, {1, 1, 1, 1});
  expectTensor(patchEmbed(image, ones, nullptr, nullptr), {1, 2, 1},
               {1 + 2 + 5 + 6, 3 + 4 + 7 + 8});
}

TEST(PatchEmbed, WeightsStandAsChannelRowColumn) {
  Tensor image = tensor({1, 2, 1, 2}, {1, 10, 100, 1000});
  Tensor weight = tensor({2, 2, 1, 2}, {1, 2, 3, 4, /**/ 5, 6, 7, 8});
  expectTensor(patchEmbed(image, weight, nullptr, nullptr), {1, 1, 2},
               {4321, 8765});
}

TEST(PatchEmbed, AddsBiasAndPosition) {
  Tensor image = tensor({2, 1, 1, 2}, {1, 2, 3, 4});
  Tensor weight = tensor({1, 1, 1, 1}, {1});
  Tensor bias = tensor({1}, {10}), position = tensor({1, 2, 1}, {100, 200});
  expectTensor(patchEmbed(image, weight, &bias, &position), {2, 2, 1},
               {111, 212, 113, 214});
}

TEST(PatchEmbed, IgnoresRowsAndColumnsBeyondWholePatches) {
  Tensor image = tensor({1, 1, 3, 3}, {1, 2, 9, 3, 4, 9, 9, 9, 9});
  Tensor ones = tensor({1, 1, 2, 2}, {1, 1, 1, 1});
  expectTensor(patchEmbed(image, ones, nullptr, nullptr), {1, 1, 1}, {10});
}

TEST(ConcatTokens, RepeatsTheTokensForEveryImage) {
  Tensor tokens = tensor({1, 2, 1}, {7, 8}),
         sequence = tensor({2, 1, 1}, {1, 2});
  expectTensor(concatTokens(tokens, sequence), {2, 3, 1}, {7, 8, 1, 7, 8, 2});
}

TEST(AddPosition, RepeatsThePositionForEveryImage) {
  Tensor sequence = tensor({2, 2, 1}, {1, 2, 3, 4}),
         position = tensor({1, 2, 1}, {10, 20});
  expectTensor(addPosition(sequence, position), {2, 2, 1}, {11, 22, 13, 24});
}

TEST(ResizePosition, SameGridIsTheSameTable) {
  Tensor table =
      tensor({1, 7, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14});
  expectTensor(resizePosition(table, {2, 3}, {2, 3}, 1), table.shape,
               table.data);
}

TEST(ResizePosition, KeepsThePrefix) {
  Tensor table = tensor({1, 3, 1}, {5, 6, 1});
  expectTensor(resizePosition(table, {1, 1}, {2, 2}, 2), {1, 6, 1},
               {5, 6, 1, 1, 1, 1});
}

TEST(ResizePosition, TwiceAsManyColumns) {
  // Source positions -0.25, 0.25, 0.75, 1.25. At 0.25 the neighbours 0, 0 | 1,
  // 1 weigh in with w(0.75) + w(1.75) for the ones, where w(d) = 1.25·d³
  // − 2.25·d² + 1 up to 1 and −0.75·d³ + 3.75·d² − 6·d + 3 up to 2: 0.26171875
  // − 0.03515625. The rest is symmetry.
  Tensor table = tensor({1, 2, 1}, {0, 1});
  expectTensor(resizePosition(table, {1, 2}, {1, 4}, 0), {1, 4, 1},
               {-0.10546875, 0.2265625, 0.7734375, 1.10546875});
}

TEST(ResizePosition, RowsAndColumnsAtOnce) {
  // R·T·Cᵀ with the matrices of the kernel above for 3 → 2 rows and 3 → 5
  // columns, multiplied out apart from this code.
  Tensor table = tensor({1, 9, 1}, {1, 2, 4, -1, 0, 3, 5, -2, 7});
  expectTensor(resizePosition(table, {3, 3}, {2, 5}, 0), {1, 10, 1},
               {0.2129375, 0.6879375, 1.6171875, 2.943, 3.8263125, 4.0683125,
                1.00490625, -1.6171875, 2.706890625, 6.79546875});
}

TEST(ResizePosition, AConstantStaysConstant) {
  Tensor table({1, 12, 3});
  std::fill(table.data.begin(), table.data.end(), 0.75);
  for (double value : resizePosition(table, {3, 4}, {7, 2}, 0).data)
    EXPECT_NEAR(value, 0.75, 1e-15);
}

//===----------------------------------------------------------------------===//
// Encoder
//===----------------------------------------------------------------------===//

TEST(LayerNorm, OneTwoThree) {
  // Mean 2, variance 2/3.
  double unit = std::sqrt(1.5);
  Tensor input = tensor({1, 3}, {1, 2, 3});
  expectTensor(layerNorm(input, nullptr, nullptr, 0), {1, 3}, {-unit, 0, unit});
  Tensor gain = tensor({3}, {2, 3, 4}), bias = tensor({3}, {10, 20, 30});
  expectTensor(layerNorm(input, &gain, &bias, 0), {1, 3},
               {10 - 2 * unit, 20, 30 + 4 * unit});
}

TEST(LayerNorm, EpsIsAddedToTheVariance) {
  // Variance 1, eps 3: divided by 2. A constant row divides 0 by √eps.
  Tensor input = tensor({2, 2}, {4, 6, 5, 5});
  expectTensor(layerNorm(input, nullptr, nullptr, 3), {2, 2},
               {-0.5, 0.5, 0, 0});
}

TEST(LayerNorm, SurvivesAFarMean) {
  Tensor input = tensor({1, 2}, {1e8 - 1, 1e8 + 1});
  expectTensor(layerNorm(input, nullptr, nullptr, 0), {1, 2}, {-1, 1});
}

TEST(Linear, RowsTimesRows) {
  Tensor input = tensor({1, 2, 3}, {1, 2, 3, 4, 5, 6}),
         weight = tensor({2, 3}, {1, 0, 0, 1, 1, 1}),
         bias = tensor({2}, {10, 20});
  expectTensor(linear(input, weight, nullptr), {1, 2, 2}, {1, 6, 4, 15});
  expectTensor(linear(input, weight, &bias), {1, 2, 2}, {11, 26, 14, 35});
}

TEST(Linear, MoreOutputsThanABlock) {
  // 37 outputs with weight o, 5 channels of ones: 5·o.
  Tensor input = tensor({5}, {1, 1, 1, 1, 1}), weight({37, 5});
  std::vector<double> expected(37);
  for (int64_t o = 0; o < 37; ++o) {
    std::fill_n(weight.row(o), 5, double(o));
    expected[o] = 5.0 * o;
  }
  expectTensor(linear(input, weight, nullptr), {37}, expected);
}

TEST(Activate, KnownPoints) {
  Tensor x = tensor({4}, {-1, 0, 0.5, 2});
  expectTensor(activate(x, Activation::None), {4}, x.data);
  expectTensor(
      activate(x, Activation::Gelu), {4},
      {-0.15865525393145707, 0, 0.34573123063700656, 1.9544997361036416});
  expectTensor(
      activate(x, Activation::GeluTanh), {4},
      {-0.15880800939172324, 0, 0.34571400982514394, 1.954597694087775});
  expectTensor(
      activate(x, Activation::QuickGelu), {4},
      {-0.1542042340671787, 0, 0.35038843660638014, 1.9356586231442083});
  expectTensor(activate(x, Activation::Relu), {4}, {0, 0, 0.5, 2});
  expectTensor(
      activate(x, Activation::Silu), {4},
      {-0.2689414213699951, 0, 0.3112296656009273, 1.7615941559557646});
  expectTensor(
      activate(x, Activation::Tanh), {4},
      {-0.7615941559557649, 0, 0.46211715726000974, 0.9640275800758169});
  expectTensor(
      activate(x, Activation::Mish), {4},
      {-0.30340146137410895, 0, 0.3752452113048951, 1.9439589595339946});
  expectTensor(activate(x, Activation::HardSwish), {4},
               {-1 / 3.0, 0, 0.5 * 3.5 / 6, 2 * 5 / 6.0});
  expectTensor(activate(x, Activation::HardSigmoid), {4},
               {1 / 3.0, 0.5, 3.5 / 6, 5 / 6.0});
  expectTensor(activate(x, Activation::Relu6), {4}, {0, 0, 0.5, 2});
  expectTensor(activate(x, Activation::LeakyRelu), {4}, {-0.01, 0, 0.5, 2});
  expectTensor(activate(x, Activation::Elu), {4},
               {-0.6321205588285577, 0, 0.5, 2});
}

TEST(Activate, FarFromZero) {
  Tensor x = tensor({2}, {-1000, 1000});
  for (Activation function :
       {Activation::Gelu, Activation::GeluTanh, Activation::QuickGelu,
        Activation::Relu, Activation::Silu, Activation::Mish,
        Activation::HardSwish})
    expectTensor(activate(x, function), {2}, {0, 1000});
  expectTensor(activate(x, Activation::Tanh), {2}, {-1, 1});
  expectTensor(activate(x, Activation::HardSigmoid), {2}, {0, 1});
  expectTensor(activate(x, Activation::Relu6), {2}, {0, 6});
  expectTensor(activate(x, Activation::LeakyRelu), {2}, {-10, 1000});
  expectTensor(activate(x, Activation::Elu), {2}, {-1, 1000});
}

TEST(Attention, OneTokenIsItsValue) {
  Tensor query = tensor({1, 1, 4}, {3, 1, 4, 1}),
         value = tensor({1, 1, 4}, {5, 6, 7, 8}), maps({1, 2, 1, 1});
  expectTensor(attention(query, query, value, nullptr, nullptr, 2, 0.5, &maps),
               {1, 1, 4}, {5, 6, 7, 8});
  expectTensor(maps, {1, 2, 1, 1}, {1, 1});
}

TEST(Attention, TwoTokens) {
  // Scores of both queries: scale·(1·0, 1·ln 3 / scale) = (0, ln 3), so the
  // weights are 1/4 and 3/4.
  double scale = 0.25, far = std::log(3.0) / scale;
  Tensor query = tensor({1, 2, 1}, {1, 1}), key = tensor({1, 2, 1}, {0, far}),
         value = tensor({1, 2, 1}, {8, 16}), maps({1, 1, 2, 2});
  expectTensor(attention(query, key, value, nullptr, nullptr, 1, scale, &maps),
               {1, 2, 1}, {14, 14});
  expectTensor(maps, {1, 1, 2, 2}, {0.25, 0.75, 0.25, 0.75});
}

TEST(Attention, HeadsAndImagesStayApart) {
  // Image 0, head 0 looks at the second token, head 1 at the first; image 1 at
  // both alike.
  Tensor query = tensor({2, 2, 2}, {1, 1, 1, 1, 0, 0, 0, 0});
  Tensor key = tensor({2, 2, 2}, {0, 2000, 2000, 0, 1, 1, 1, 1});
  Tensor value = tensor({2, 2, 2}, {1, 2, 3, 4, 10, 20, 30, 40});
  expectTensor(attention(query, key, value, nullptr, nullptr, 2, 1, nullptr),
               {2, 2, 2}, {3, 2, 3, 2, 20, 30, 20, 30});
}

TEST(SingleQueryAttention, EqualsAttentionOfThatQuery) {
  Tensor sequence = tensor({2, 3, 2}, {1, 2, 3, 4, 5, 6, -1, 0.5, 0, 1, 2, -2});
  Tensor query = tensor({2, 4}, {1, 0, -1, 2, 0.5, 0.25, 1, 1});
  Tensor key = tensor({4, 2}, {1, 0, 0, 1, 1, 1, -1, 2}),
         value = tensor({4, 2}, {2, 1, 0, 3, 1, -1, 4, 0});
  // The query repeated for every token.
  Tensor queries({2, 3, 4});
  for (int64_t row = 0; row < 6; ++row)
    std::copy_n(query.row(row / 3), 4, queries.row(row));
  Tensor all = attention(queries, linear(sequence, key, nullptr),
                         linear(sequence, value, nullptr), nullptr, nullptr, 2,
                         0.5, nullptr);
  expectTensor(singleQueryAttention(sequence, query, key, value, 2, 0.5),
               {2, 4}, pool(all, PoolKind::Token, 1).data);
}

TEST(Add, ElementByElement) {
  expectTensor(add(tensor({2}, {1, 2}), tensor({2}, {10, 20})), {2}, {11, 22});
}

//===----------------------------------------------------------------------===//
// Pooling, outputs, shape
//===----------------------------------------------------------------------===//

TEST(Pool, TokenAndMean) {
  Tensor sequence = tensor({2, 3, 1}, {1, 2, 6, 10, 20, 60});
  expectTensor(pool(sequence, PoolKind::Token, 1), {2, 1}, {2, 20});
  expectTensor(pool(sequence, PoolKind::Mean, 0), {2, 1}, {3, 30});
  expectTensor(pool(sequence, PoolKind::Mean, 1), {2, 1}, {4, 40});
}

TEST(Softmax, EachRowSumsToOne) {
  expectTensor(softmax(tensor({2, 2}, {0, std::log(3.0), 5, 5})), {2, 2},
               {0.25, 0.75, 0.5, 0.5});
}

TEST(Softmax, Saturates) {
  expectTensor(softmax(tensor({1, 3}, {-1e4, 1e4, 0})), {1, 3}, {0, 1, 0});
  expectTensor(softmax(tensor({1, 2}, {1e308, 1e308})), {1, 2}, {0.5, 0.5});
  expectTensor(softmax(tensor({1, 1}, {-7})), {1, 1}, {1});
}

TEST(Stack, LayersStandBehindTheImage) {
  Tensor first = tensor({2, 2}, {1, 2, 3, 4}),
         second = tensor({2, 2}, {10, 20, 30, 40});
  expectTensor(stack({&first, &second}), {2, 2, 2},
               {1, 2, 10, 20, 3, 4, 30, 40});
}

TEST(Concat, AlongEachDimension) {
  Tensor a = tensor({2, 2}, {1, 2, 3, 4}), row = tensor({1, 2}, {5, 6}),
         column = tensor({2, 1}, {5, 6});
  expectTensor(concat({&a, &row}, 0), {3, 2}, {1, 2, 3, 4, 5, 6});
  expectTensor(concat({&a, &column}, 1), {2, 3}, {1, 2, 5, 3, 4, 6});
}

TEST(Slice, AlongEachDimension) {
  Tensor a = tensor({2, 3}, {1, 2, 3, 4, 5, 6});
  expectTensor(slice(a, 0, 1, 1), {1, 3}, {4, 5, 6});
  expectTensor(slice(a, 1, 1, 2), {2, 2}, {2, 3, 5, 6});
}

TEST(Slice, UndoesConcat) {
  Tensor a = tensor({2, 1, 2}, {1, 2, 3, 4}),
         b = tensor({2, 2, 2}, {5, 6, 7, 8, 9, 10, 11, 12});
  Tensor both = concat({&a, &b}, 1);
  expectTensor(slice(both, 1, 0, 1), a.shape, a.data);
  expectTensor(slice(both, 1, 1, 2), b.shape, b.data);
}

TEST(Arithmetic, FillScaleScaleColumns) {
  expectTensor(fill({2, 2}, -1.5), {2, 2}, {-1.5, -1.5, -1.5, -1.5});
  expectTensor(scale(tensor({3}, {1, -2, 4}), 0.5), {3}, {0.5, -1, 2});
  expectTensor(
      scaleColumns(tensor({2, 2}, {1, 2, 3, 4}), tensor({2}, {10, 100})),
      {2, 2}, {10, 200, 30, 400});
}
