// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Layouts of the weights file, element by element as KernelLayouts.td has
/// them.
#include "vitc/Dialect/Kernel/IR/Kernel.h"

#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace mlir;
using namespace vitc::kernel;

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
  Layouts() { context.loadDialect<KernelDialect>(); }

  RankedTensorType tensor(ArrayRef<int64_t> shape) {
    return RankedTensorType::get(shape, Float32Type::get(&context));
  }
  /// The buffer with the element numbers of the parameter, from 1 on.
  std::vector<float> pack(
      LayoutInterface layout, ArrayRef<int64_t> shape, ArrayRef<int64_t> buffer,
      float (*valueOf)(int64_t) = [](int64_t i) { return float(i + 1); }) {
    RankedTensorType type = tensor(shape);
    EXPECT_EQ(layout.getBufferType(type).getShape(), buffer);
    std::vector<float> out(layout.getBufferType(type).getNumElements());
    layout.pack(Elements(type, valueOf), out);
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

} // namespace
