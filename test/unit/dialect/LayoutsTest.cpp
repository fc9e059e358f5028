// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Layouts of the weights file, element by element as KernelLayouts.td has
/// them.
#include "vitc/Dialect/Kernel/IR/Kernel.h"
#include "vitc/Dialect/ViT/IR/ViT.h"

#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace mlir;
using namespace vitc::kernel;
using vitc::vit::Format;

namespace {

/// A parameter whose element i is a function of i.
class Elements : public ParameterReader {
public:
  Elements(RankedTensorType type, float (*valueOf)(int64_t))
      : ParameterReader(type), valueOf(valueOf) {}
  void read(int64_t first, MutableArrayRef<float> out) const override {
    ASSERT_GE(first, 0);
    ASSERT_LE(first + int64_t(out.size()), getType().getNumElements());
    for (size_t i = 0; i < out.size(); ++i)
      out[i] = valueOf(first + int64_t(i));
  }

  float (*valueOf)(int64_t);
};

class Layouts : public testing::Test {
protected:
  Layouts() { context.loadDialect<KernelDialect, vitc::vit::ViTDialect>(); }

  RankedTensorType tensor(ArrayRef<int64_t> shape,
                          vitc::vit::Format format = vitc::vit::Format::F32) {
    return RankedTensorType::get(shape,
                                 vitc::vit::elementType(&context, format));
  }
  /// The buffer with the element numbers of the parameter, from 1 on.
  std::vector<float> pack(
      LayoutInterface layout, ArrayRef<int64_t> shape, ArrayRef<int64_t> buffer,
      float (*valueOf)(int64_t) = [](int64_t i) { return float(i + 1); }) {
    RankedTensorType type = tensor(shape);
    EXPECT_EQ(layout.getBufferType(type).getShape(), buffer);
    std::vector<float> out(layout.getBufferType(type).getNumElements());
    layout.pack(Elements(type, valueOf), {reinterpret_cast<char *>(out.data()),
                                          out.size() * sizeof(float)});
    return out;
  }
  /// The same of a parameter in another format, as what it is stored as.
  template <typename T>
  std::vector<T> packNarrow(LayoutInterface layout, vitc::vit::Format format,
                            ArrayRef<int64_t> shape, ArrayRef<int64_t> buffer,
                            float (*valueOf)(int64_t)) {
    RankedTensorType type = tensor(shape, format);
    EXPECT_EQ(layout.getBufferType(type).getShape(), buffer);
    std::vector<T> out(layout.getBufferType(type).getNumElements());
    layout.pack(Elements(type, valueOf),
                {reinterpret_cast<char *>(out.data()), out.size() * sizeof(T)});
    return out;
  }

  MLIRContext context;
};

TEST_F(Layouts, RowsArePadded) {
  EXPECT_EQ(pack(RowsAttr::get(&context, 4), {2, 1, 3}, {2, 4}),
            (std::vector<float>{1, 2, 3, 0, 4, 5, 6, 0}));
}

TEST_F(Layouts, AVectorIsOneRow) {
  EXPECT_EQ(pack(RowsAttr::get(&context, 4), {3}, {1, 4}),
            (std::vector<float>{1, 2, 3, 0}));
}

TEST_F(Layouts, PanelsHoldColumnsSideBySide) {
  // [3, 2]: rows 1 2, 3 4, 5 6.
  EXPECT_EQ(pack(PanelsAttr::get(&context, 2), {3, 2}, {2, 2, 2}),
            (std::vector<float>{1, 3, 2, 4, 5, 0, 6, 0}));
  // k is all dimensions but the first.
  EXPECT_EQ(pack(PanelsAttr::get(&context, 2), {2, 1, 2}, {1, 2, 2}),
            (std::vector<float>{1, 3, 2, 4}));
}

TEST_F(Layouts, StrassenHasSevenCombinations) {
  // [2, 2] = 1 2 / 3 4, so that B11 = 1, B21 = 2, B12 = 3, B22 = 4.
  EXPECT_EQ(pack(StrassenAttr::get(&context, 1, 1), {2, 2}, {1, 7, 1, 1}),
            (std::vector<float>{3 - 4, 2 - 1, 1 + 4, 1, 4, 1 + 3, 2 + 4}));
}

TEST_F(Layouts, StrassenPartsAreSlicesOfBothHalves) {
  // Part p of [2, 4] has the columns p and 2 + p.
  std::vector<float> whole =
      pack(StrassenAttr::get(&context, 1, 2), {2, 4}, {2, 7, 1, 1});
  auto part = [&](float b11, float b21, float b12, float b22) {
    return std::vector<float>{b12 - b22, b21 - b11, b11 + b22, b11,
                              b22,       b11 + b12, b21 + b22};
  };
  EXPECT_EQ(std::vector<float>(whole.begin(), whole.begin() + 7),
            part(1, 3, 5, 7));
  EXPECT_EQ(std::vector<float>(whole.begin() + 7, whole.end()),
            part(2, 4, 6, 8));
}

TEST_F(Layouts, WinogradSumsHaveSignsAndTheMeanSize) {
  constexpr int64_t n = 3, k = 200; // 192 steps, and 8 that are plain
  static auto valueOf = +[](int64_t i) { return float(i % 7) - 3; };
  std::vector<float> sums =
      pack(WinogradSumsAttr::get(&context, 8), {n, k}, {8 + 16}, valueOf);
  double size = 0;
  for (int64_t row = 0; row < n; ++row) {
    double sum = 0;
    for (int64_t g = 0; g < 64; ++g)
      sum += (g < 32 ? 1.0 : -1.0) * valueOf(row * k + 3 * g) *
             valueOf(row * k + 3 * g + 1);
    EXPECT_EQ(sums[row], float(sum)) << "row " << row;
    for (int64_t i = 0; i < k; ++i)
      size += std::abs(valueOf(row * k + i));
  }
  EXPECT_EQ(sums[8], float(size / n));
  for (size_t i = n; i < sums.size(); ++i)
    if (i != 8)
      EXPECT_EQ(sums[i], 0) << "float " << i;
}

TEST_F(Layouts, SaysWhatItCannotHold) {
  std::string message;
  ScopedDiagnosticHandler handler(
      &context, [&](Diagnostic &diagnostic) { message = diagnostic.str(); });
  auto error = [&] { return emitError(UnknownLoc::get(&context)); };
  auto fails = [&](LayoutInterface layout, ArrayRef<int64_t> shape) {
    return failed(layout.verifyParameter(error, tensor(shape)));
  };
  EXPECT_TRUE(fails(RowsAttr::get(&context, 7), {2, 8}));
  EXPECT_EQ(message, "rows of 7 floats do not hold those of 'tensor<2x8xf32>'");
  EXPECT_TRUE(fails(StrassenAttr::get(&context, 16, 1), {48, 8}));
  EXPECT_TRUE(fails(StrassenAttr::get(&context, 16, 4), {64, 12}));
  EXPECT_FALSE(fails(StrassenAttr::get(&context, 16, 4), {64, 16}));
  EXPECT_FALSE(fails(PanelsAttr::get(&context, 16), {3, 5}));
  EXPECT_FALSE(fails(WinogradSumsAttr::get(&context, 16), {3, 5}));
}

/// Rows of one scale: the largest magnitude is 127.
static float wholeNumbers(int64_t i) {
  constexpr float values[] = {127, -3, 5, 7, 0, 2, -127, 1, 2, 3};
  return values[i];
}

TEST_F(Layouts, BytesOfAGroupAreSideBySide) {
  EXPECT_EQ(packNarrow<int8_t>(DotPanelsAttr::get(&context, 3), Format::I8Rows,
                               {2, 5}, {1, 2, 3, 4}, wholeNumbers),
            (std::vector<int8_t>{127, -3, 5, 7, 2, -127, 1, 2, 0, 0, 0, 0,
                                 0,   0,  0, 0, 3, 0,    0, 0, 0, 0, 0, 0}));
}

TEST_F(Layouts, TwoBfloatsMakeAGroup) {
  // 1, 2, 3 and 1/3, which is rounded
  EXPECT_EQ(packNarrow<uint16_t>(
                DotPanelsAttr::get(&context, 2), Format::Bf16, {2, 2},
                {1, 1, 2, 2},
                [](int64_t i) { return i < 3 ? float(i + 1) : 1.0f / 3; }),
            (std::vector<uint16_t>{0x3f80, 0x4000, 0x4040, 0x3eab}));
}

TEST_F(Layouts, ScalesUndoBytes) {
  auto tenth = [](int64_t i) { return wholeNumbers(i) / 10; };
  std::vector<float> scales =
      packNarrow<float>(ColumnScalesAttr::get(&context, 4, /*sums=*/true),
                        Format::I8Rows, {2, 5}, {2, 4}, tenth);
  EXPECT_FLOAT_EQ(scales[0], 0.1f);
  EXPECT_FLOAT_EQ(scales[1], 0.1f);
  EXPECT_EQ(scales[2], 0);
  EXPECT_FLOAT_EQ(scales[4], 0.1f * (127 - 3 + 5 + 7));
  EXPECT_FLOAT_EQ(scales[5], 0.1f * (2 - 127 + 1 + 2 + 3));
}

TEST_F(Layouts, ARowOfZerosHasNoScale) {
  auto zero = [](int64_t) { return 0.0f; };
  EXPECT_EQ(packNarrow<int8_t>(PanelsAttr::get(&context, 2), Format::I8Rows,
                               {1, 2}, {1, 2, 2}, zero),
            (std::vector<int8_t>(4)));
  EXPECT_EQ(
      packNarrow<float>(ColumnScalesAttr::get(&context, 2, /*sums=*/false),
                        Format::I8Rows, {1, 2}, {1, 2}, zero),
      (std::vector<float>(2)));
}

TEST_F(Layouts, HalvesAreRoundedToEven) {
  EXPECT_EQ(packNarrow<uint16_t>(PanelsAttr::get(&context, 1), Format::F16,
                                 {1, 3}, {1, 3, 1},
                                 [](int64_t i) { return 1 + float(i) / 2048; }),
            (std::vector<uint16_t>{0x3c00, 0x3c00, 0x3c01}));
}

} // namespace
