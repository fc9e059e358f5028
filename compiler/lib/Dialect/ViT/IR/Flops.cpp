// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Dialect/ViT/IR/Flops.h"

#include "vitc/Dialect/ViT/IR/ViT.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace vitc::vit;

static double elements(Value value) {
  return double(cast<RankedTensorType>(value.getType()).getNumElements());
}
static double extent(Value value, int64_t dimension) {
  return double(cast<RankedTensorType>(value.getType()).getDimSize(dimension));
}
static double last(Value value) {
  return double(cast<RankedTensorType>(value.getType()).getShape().back());
}

double PatchEmbedOp::getFlops() {
  return 2 * elements(getTokens()) * elements(getWeight()) / last(getTokens());
}

double LinearOp::getFlops() {
  return 2 * elements(getResult()) * last(getInput());
}

double ConvOp::getFlops() {
  return 2 * elements(getResult()) * elements(getWeight()) / last(getResult());
}

double DepthwiseConvOp::getFlops() {
  return 2 * elements(getResult()) * elements(getWeight()) / last(getResult());
}

double MlpOp::getFlops() {
  return 2 * elements(getInput()) / last(getInput()) *
         (elements(getUp()) + elements(getDown()));
}

double HeadOp::getFlops() {
  return 2 * elements(getResult()) * last(getPooled());
}

double AttentionOp::getFlops() {
  return 4 * elements(getResult()) * extent(getKey(), 1);
}

double SingleQueryAttentionOp::getFlops() {
  double projections =
      2 * extent(getQuery(), 0) * (elements(getKey()) + elements(getValue()));
  return projections + 4 * elements(getSequence()) * double(getHeads());
}

double vitc::vit::countFlops(ModuleOp module) {
  // An op that depends on parameters alone is computed at compile time.
  DenseSet<Value> constant;
  double flops = 0;
  for (auto function : module.getOps<func::FuncOp>())
    function.walk([&](Operation *op) {
      bool isConstant = isa_and_nonnull<ViTDialect>(op->getDialect()) &&
                        llvm::all_of(op->getOperands(), [&](Value v) {
                          return constant.contains(v);
                        });
      if (isConstant)
        constant.insert(op->result_begin(), op->result_end());
      else if (auto counted = dyn_cast<FlopsOpInterface>(op))
        flops += counted.getFlops();
    });
  return flops;
}
