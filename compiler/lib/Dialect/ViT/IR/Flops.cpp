// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Dialect/ViT/IR/Flops.h"

#include "vitc/Dialect/ViT/IR/ViT.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/TypeSwitch.h"

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

static double flopsOf(Operation *operation) {
  return TypeSwitch<Operation *, double>(operation)
      .Case([](PatchEmbedOp op) {
        return 2 * elements(op.getTokens()) * elements(op.getWeight()) /
               last(op.getTokens());
      })
      .Case([](LinearOp op) {
        return 2 * elements(op.getResult()) * last(op.getInput());
      })
      .Case([](ConvOp op) {
        return 2 * elements(op.getResult()) * elements(op.getWeight()) /
               last(op.getResult());
      })
      .Case([](DepthwiseConvOp op) {
        return 2 * elements(op.getResult()) * elements(op.getWeight()) /
               last(op.getResult());
      })
      .Case([](MlpOp op) {
        return 2 * elements(op.getInput()) / last(op.getInput()) *
               (elements(op.getUp()) + elements(op.getDown()));
      })
      .Case([](HeadOp op) {
        return 2 * elements(op.getResult()) * last(op.getPooled());
      })
      .Case([](AttentionOp op) {
        return 4 * elements(op.getResult()) * extent(op.getKey(), 1);
      })
      .Case([](SingleQueryAttentionOp op) {
        double projections = 2 * extent(op.getQuery(), 0) *
                             (elements(op.getKey()) + elements(op.getValue()));
        return projections +
               4 * elements(op.getSequence()) * double(op.getHeads());
      })
      .Default([](Operation *) { return 0.0; });
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
      else
        flops += flopsOf(op);
    });
  return flops;
}
