// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The interpreter on small modules: parameters, outputs, the observer.
#include "RandomModel.h"

#include "vitc/Pipelines/Pipelines.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace vitc;

namespace {

class Interpreter : public testing::Test {
protected:
  Interpreter() {
    DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }
  MLIRContext context;
};

TEST_F(Interpreter, ReadsDerivedParametersThroughOthers) {
  auto module = parse(R"mlir(
    vit.parameter @a : tensor<3xf32>
    vit.parameter @b : tensor<6xf32> {
      %0 = vit.get @a : tensor<3xf32>
      %1 = vit.scale %0 by 2.0 : tensor<3xf32>
      %2 = vit.concat %0, %1 along 0 : (tensor<3xf32>, tensor<3xf32>) -> tensor<6xf32>
      vit.yield %2 : tensor<6xf32>
    }
    vit.parameter @c : tensor<2xf32> {
      %0 = vit.get @b : tensor<6xf32>
      %1 = vit.slice %0 along 0 from 2 : tensor<6xf32> -> tensor<2xf32>
      vit.yield %1 : tensor<2xf32>
    }
  )mlir",
                      context);
  auto weights = randomWeights(*module, 1);
  auto value = [&](StringRef name) {
    return evaluateParameter(module->lookupSymbol<vit::ParameterOp>(name),
                             *weights)
        .data;
  };
  std::vector<double> a = value("a"), c = value("c");
  ASSERT_EQ(a.size(), 3u);
  ASSERT_EQ(c.size(), 2u);
  EXPECT_EQ(c[0], a[2]);
  EXPECT_EQ(c[1], 2 * a[0]);
}

TEST_F(Interpreter, ReturnsOutputsInOrder) {
  auto module = parse(R"mlir(
    vit.parameter @a : tensor<2xf32>
    func.func @forward(%x: tensor<1x2xf32>) -> (tensor<1x2xf32>, tensor<2xf32>, tensor<1x2xf32>) {
      %0 = vit.scale %x by 3.0 : tensor<1x2xf32>
      %a = vit.get @a : tensor<2xf32>
      return %0, %a, %x : tensor<1x2xf32>, tensor<2xf32>, tensor<1x2xf32>
    }
  )mlir",
                      context);
  auto weights = randomWeights(*module, 1);
  Tensor image = randomImage(*module, 2);
  std::vector<Tensor> outputs = interpret(*module, *weights, image);
  ASSERT_EQ(outputs.size(), 3u);
  EXPECT_EQ(outputs[0].data[1], 3 * image.data[1]);
  EXPECT_EQ(outputs[1].shape, std::vector<int64_t>{2});
  EXPECT_EQ(outputs[2].data, image.data);
}

TEST_F(Interpreter, ShowsEveryValueUnderItsLayersName) {
  auto module = parse(R"mlir(
    vit.parameter @w : tensor<3x2xf32>
    func.func @forward(%x: tensor<1x2xf32>) -> tensor<1x3xf32> {
      %w = vit.get @w : tensor<3x2xf32>
      %0 = vit.linear %x, %w : (tensor<1x2xf32>, tensor<3x2xf32>) -> tensor<1x3xf32> loc("first")
      %1 = vit.softmax %0 : tensor<1x3xf32> loc("second")
      return %1 : tensor<1x3xf32>
    }
  )mlir",
                      context);
  auto weights = randomWeights(*module, 1);
  std::vector<std::string> layers;
  std::vector<Tensor> outputs =
      interpret(*module, *weights, randomImage(*module, 2),
                [&](StringRef layer, const Tensor &value) {
                  layers.push_back(layer.str());
                  EXPECT_EQ(value.shape, (std::vector<int64_t>{1, 3}));
                });
  EXPECT_EQ(layers, (std::vector<std::string>{"first", "second"}));
  EXPECT_NEAR(outputs[0].data[0] + outputs[0].data[1] + outputs[0].data[2], 1,
              1e-15);
}

TEST_F(Interpreter, ComposesMlpAndHead) {
  // What vit.mlp, vit.head, a fused vit.linear and attention maps mean, in
  // terms of the plain ops.
  auto module = parse(R"mlir(
    vit.parameter @u : tensor<6x4xf32>
    vit.parameter @d : tensor<4x6xf32>
    vit.parameter @b : tensor<4xf32>
    func.func @forward(%x: tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x6xf32>, tensor<2x6xf32>, tensor<2x4xf32>, tensor<2x4xf32>) {
      %u = vit.get @u : tensor<6x4xf32>
      %d = vit.get @d : tensor<4x6xf32>
      %b = vit.get @b : tensor<4xf32>
      %0 = vit.mlp %x up %u down %d, %b gelu : (tensor<2x4xf32>, tensor<6x4xf32>, tensor<4x6xf32>, tensor<4xf32>) -> tensor<2x4xf32>
      %1 = vit.linear %x, %u : (tensor<2x4xf32>, tensor<6x4xf32>) -> tensor<2x6xf32>
      %2 = vit.activate %1 gelu : tensor<2x6xf32>
      %3 = vit.linear %2, %d bias %b : (tensor<2x6xf32>, tensor<4x6xf32>, tensor<4xf32>) -> tensor<2x4xf32>
      %4 = vit.head %x, %u gelu : (tensor<2x4xf32>, tensor<6x4xf32>) -> tensor<2x6xf32>
      %5 = vit.linear %2, %d bias %b residual %x activation tanh
          : (tensor<2x6xf32>, tensor<4x6xf32>, tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
      %6 = vit.activate %3 tanh : tensor<2x4xf32>
      %7 = vit.add %6, %x : tensor<2x4xf32>
      return %0, %3, %4, %2, %5, %7 : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x6xf32>, tensor<2x6xf32>, tensor<2x4xf32>, tensor<2x4xf32>
    }
  )mlir",
                      context);
  auto weights = randomWeights(*module, 1);
  std::vector<Tensor> outputs =
      interpret(*module, *weights, randomImage(*module, 2));
  ASSERT_EQ(outputs.size(), 6u);
  for (size_t i = 0; i < outputs.size(); i += 2)
    EXPECT_EQ(outputs[i].data, outputs[i + 1].data) << "output " << i;
}

} // namespace
