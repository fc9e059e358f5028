// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Passes are exact: random models give the same values before and after every
/// stage and every rewrite.
#include "RandomModel.h"

#include "vitc/Dialect/Kernel/IR/Kernel.h"
#include "vitc/Pipelines/Pipelines.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace mlir;
using namespace vitc;

/// Rounding only: sums of a few hundred products in another order, relative to
/// the output's largest value.
static constexpr double tolerance = 1e-12;
static constexpr uint64_t models = 60;

static void expectSame(ArrayRef<Tensor> before, ArrayRef<Tensor> after) {
  ASSERT_EQ(before.size(), after.size());
  for (size_t output = 0; output < before.size(); ++output) {
    ASSERT_EQ(before[output].shape, after[output].shape);
    double largest = 0, difference = 0;
    for (size_t i = 0; i < before[output].data.size(); ++i) {
      largest = std::max(largest, std::abs(before[output].data[i]));
      difference = std::max(
          difference, std::abs(before[output].data[i] - after[output].data[i]));
    }
    EXPECT_GT(largest, 0) << "output " << output;
    EXPECT_LE(difference, tolerance * largest) << "output " << output;
  }
}

namespace {

class Stages : public testing::Test {
protected:
  Stages() {
    DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  /// Runs the stages up to and including `last`; false if a pass fails or
  /// leaves IR that does not verify.
  bool lower(ModuleOp module, StringRef last, const PipelineOptions &options) {
    PassManager manager(&context);
    for (const Stage &stage : stages()) {
      stage.populate(manager, options);
      if (stage.name == last)
        break;
    }
    return succeeded(manager.run(module));
  }

  /// For one level.
  void setTarget(ModuleOp module, int64_t panel, kernel::Algorithm algorithm) {
    module->setAttr(kernel::targetAttrName,
                    kernel::TargetAttr::get(
                        &context, panel,
                        kernel::LevelAttr::get(&context, "any", algorithm)));
  }

  /// Interprets a model before and after.
  void expectExact(uint64_t seed, StringRef last,
                   const PipelineOptions &options,
                   kernel::Algorithm algorithm = kernel::Algorithm::Plain) {
    std::string text = randomModelText(seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text);
    auto module = parse(text, context);
    ASSERT_TRUE(module);
    setTarget(*module, /*panel=*/16, algorithm);
    auto weights = randomWeights(*module, seed);
    Tensor image = randomImage(*module, seed);
    std::vector<Tensor> before = interpret(*module, *weights, image);
    ASSERT_TRUE(lower(*module, last, options));
    expectSame(before, interpret(*module, *weights, image));
  }

  MLIRContext context;
};

TEST_F(Stages, SimplifyIsExact) {
  for (uint64_t seed = 0; seed < models; ++seed)
    expectExact(seed, "simplify", PipelineOptions());
}

TEST_F(Stages, FuseIsExact) {
  for (uint64_t seed = 0; seed < models; ++seed)
    expectExact(seed, "fuse", PipelineOptions());
}

TEST_F(Stages, FuseIsExactForWinogradProducts) {
  for (uint64_t seed = 0; seed < models; ++seed)
    expectExact(seed, "fuse", PipelineOptions(), kernel::Algorithm::Winograd);
}

TEST_F(Stages, FuseAloneIsExact) {
  PipelineOptions options;
  for (StringRef name : rewriteNames())
    options.disabledRewrites.push_back(name.str());
  for (uint64_t seed = 0; seed < models; ++seed)
    expectExact(seed, "fuse", options);
}

TEST_F(Stages, EachRewriteIsExactByItself) {
  for (StringRef enabled : rewriteNames()) {
    SCOPED_TRACE(enabled.str());
    PipelineOptions options;
    for (StringRef name : rewriteNames())
      if (name != enabled)
        options.disabledRewrites.push_back(name.str());
    for (uint64_t seed = 0; seed < models / 4; ++seed)
      expectExact(seed, "fuse", options);
  }
}

TEST_F(Stages, EveryModelBecomesKernels) {
  for (int64_t panel : {8, 16, 32})
    for (uint64_t seed = 0; seed < models; ++seed) {
      SCOPED_TRACE("panel " + std::to_string(panel) + ", seed " +
                   std::to_string(seed));
      auto module = parse(randomModelText(seed), context);
      ASSERT_TRUE(module);
      setTarget(*module, panel,
                panel == 32 ? kernel::Algorithm::Winograd
                            : kernel::Algorithm::Plain);
      EXPECT_TRUE(lower(*module, "plan", PipelineOptions()));
    }
}

} // namespace
