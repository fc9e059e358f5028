// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Dialect/ViT/IR/Flops.h"
#include "vitc/Dialect/ViT/IR/ViT.h"
#include "vitc/Dialect/ViT/Transforms/Passes.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace vitc::vit {
#define GEN_PASS_DEF_POOLEARLYPASS
#include "vitc/Dialect/ViT/Transforms/Passes.h.inc"
} // namespace vitc::vit

using namespace mlir;
using namespace vitc::vit;

/// The token that all users of `sequence` pick, if each of them is a pool of
/// that one token.
static std::optional<int64_t> onlyPooledToken(Value sequence) {
  std::optional<int64_t> token;
  for (Operation *user : sequence.getUsers()) {
    auto pool = dyn_cast<PoolOp>(user);
    if (!pool || pool.getKind() != PoolKind::Token ||
        (token && *token != int64_t(pool.getFirst())))
      return std::nullopt;
    token = pool.getFirst();
  }
  return token;
}

/// Operands of `op` that carry the sequence; none if the op mixes tokens.
static SmallVector<OpOperand *> sequenceOperands(Operation *op) {
  SmallVector<OpOperand *> operands;
  if (isa<LayerNormOp, ActivationOp, AffineOp>(op))
    operands.push_back(&op->getOpOperand(0));
  else if (isa<AddOp>(op) ||
           (isa<GateOp>(op) &&
            op->getOperand(0).getType() == op->getOperand(1).getType()))
    operands.append({&op->getOpOperand(0), &op->getOpOperand(1)});
  else if (auto linear = dyn_cast<LinearOp>(op)) {
    operands.push_back(&linear.getInputMutable());
    for (OpOperand &residual : linear.getResidualMutable())
      operands.push_back(&residual);
  }
  return operands;
}

namespace {

struct PoolEarlyPass : vitc::vit::impl::PoolEarlyPassBase<PoolEarlyPass> {
  void runOnOperation() override {
    flopsBefore += countFlops(getOperation());
    // From the last op to the first: when an op is reached, the pools of all
    // its users have already moved up to it.
    SmallVector<Operation *> candidates;
    getOperation()->walk([&](Operation *op) {
      if (!sequenceOperands(op).empty() &&
          isa<RankedTensorType>(op->getResult(0).getType()) &&
          cast<RankedTensorType>(op->getResult(0).getType()).getRank() == 3)
        candidates.push_back(op);
    });
    for (Operation *op : llvm::reverse(candidates))
      moveAbove(op);
    flopsAfter += countFlops(getOperation());
  }

  void moveAbove(Operation *op) {
    Value result = op->getResult(0);
    std::optional<int64_t> token = onlyPooledToken(result);
    if (!token)
      return;
    auto pooledType = cast<RankedTensorType>(
        (*result.getUsers().begin())->getResult(0).getType());
    OpBuilder builder(op);
    IRMapping mapping;
    for (OpOperand *operand : sequenceOperands(op)) {
      auto type = cast<RankedTensorType>(operand->get().getType());
      Value pooled =
          PoolOp::create(builder, op->getLoc(),
                         type.clone({type.getDimSize(0), type.getDimSize(2)}),
                         operand->get(), PoolKind::Token, *token);
      mapping.map(operand->get(), pooled);
    }
    Operation *onToken = builder.clone(*op, mapping);
    onToken->getResult(0).setType(pooledType);
    for (Operation *pool : llvm::make_early_inc_range(result.getUsers())) {
      pool->getResult(0).replaceAllUsesWith(onToken->getResult(0));
      pool->erase();
    }
    op->erase();
    ++movedPools;
  }
};

} // namespace
