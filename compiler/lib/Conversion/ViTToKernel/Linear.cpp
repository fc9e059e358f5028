// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Linear.h"

using namespace mlir;
using namespace vitc;
using namespace vitc::lowering;

LinearSizes::LinearSizes(vit::LinearOp op) {
  Rows in = rowsOf(cast<RankedTensorType>(op.getInput().getType()));
  m = in.rows;
  k = in.columns;
  n = cast<RankedTensorType>(op.getResult().getType()).getShape().back();
}

SmallVector<Field> lowering::linearFields(Lowering &state, vit::LinearOp op,
                                          bool bias, bool residual) {
  LinearSizes sizes(op);
  return {{"m", state.integer(sizes.m)},
          {"n", state.integer(sizes.n)},
          {"panel", state.integer(state.panel)},
          {"bias", state.boolean(bias)},
          {"activation", state.text(stringifyActivation(op.getActivation()))},
          {"residual", state.boolean(residual)}};
}

std::string lowering::linearWords(vit::LinearOp op, int64_t k, bool residual) {
  LinearSizes sizes(op);
  std::string words =
      (Twine(sizes.m) + "x" + Twine(sizes.n) + "x" + Twine(k)).str();
  if (op.getActivation() != vit::Activation::None)
    words += ("_" + stringifyActivation(op.getActivation())).str();
  if (residual)
    words += "_add";
  return words;
}

Value lowering::linearOutput(Lowering &state, vit::LinearOp op, Value a,
                             Value residual) {
  bool inPlace = residual && residual == state.bufferOf(op.getResidual()) &&
                 residual.getDefiningOp<kernel::AllocOp>() &&
                 kernel::rootBuffer(a) != residual &&
                 state.isLastUse(op.getResidual(), op);
  if (!inPlace)
    return state.allocFor(op.getResult());
  state.setBuffer(op.getResult(), residual);
  return residual;
}

/// Fewer rows than the matrices of a tensor core have would leave most of it
/// idle.
static bool fillsTensorCores(const LinearSizes &sizes) {
  constexpr int64_t matrixRows = 16;
  return sizes.m >= matrixRows;
}

/// True for layers that a paired product makes faster: its gain grows with the
/// columns, and the scaled copy of the left operand, which it starts with, does
/// not.
static bool gainsByPairs(const Lowering &state, const LinearSizes &sizes) {
  constexpr int64_t leastRows = 16, leastColumns = 96;
  return state.pairs && sizes.m >= leastRows && sizes.n >= leastColumns &&
         sizes.k >= kernel::pairedSteps && sizes.k % kernel::pairFloats == 0;
}

/// Where a paired product puts its scaled left operand: where it stands, if
/// nobody needs it afterwards and a row has room for what is put behind it.
static Value scaledLeft(Lowering &state, vit::LinearOp op, Value a,
                        Value residual) {
  Rows rows = rowsOf(a);
  int64_t stride = rows.columns + kernel::pairFloats;
  bool inPlace = a.getDefiningOp<kernel::AllocOp>() && rows.stride >= stride &&
                 !(residual && kernel::rootBuffer(residual) == a) &&
                 state.isLastUse(op.getInput(), op);
  return inPlace
             ? a
             : state.alloc(op.getLoc(), {rows.rows, rows.columns}, {stride, 1});
}

LogicalResult lowering::lowerLinear(Lowering &state, vit::LinearOp op) {
  if (isFastLinear(state, op)) {
    lowerFastLinear(state, op);
    return success();
  }
  Value a = state.alignedBufferOf(op.getInput());
  Value residual =
      op.getResidual() ? state.alignedBufferOf(op.getResidual()) : Value();
  Value out = linearOutput(state, op, a, residual);
  LinearSizes sizes(op);
  auto [m, n, k] = sizes;
  SmallVector<Value> inputs = {a, state.panels(op.getWeight())};
  if (op.getBias())
    inputs.push_back(
        state.paddedRows(op.getBias(), llvm::alignTo(n, state.panel)));
  SmallVector<Field> fields =
      linearFields(state, op, bool(op.getBias()), bool(residual));
  fields.append({{"k", state.integer(k)},
                 {"lda", state.integer(rowsOf(a).stride)},
                 {"ldc", state.integer(rowsOf(out).stride)}});
  SmallVector<Value> outputs;
  if (gainsByPairs(state, sizes)) {
    outputs.push_back(scaledLeft(state, op, a, residual));
    fields.append({{"pairs", state.boolean(true)},
                   {"lds", state.integer(rowsOf(outputs[0]).stride)}});
    inputs.push_back(state.pairSums(op.getWeight()));
  }
  outputs.push_back(out);
  if (residual) {
    fields.push_back({"ldr", state.integer(rowsOf(residual).stride)});
    inputs.push_back(residual);
  }
  std::string words = linearWords(op, k, bool(residual));
  if (state.tensorCores && fillsTensorCores(sizes)) {
    fields.push_back({"tensor_cores", state.boolean(true)});
    words += "_tensor_cores";
  }
  state.call(op.getLoc(), "gemm", words, fields, {2.0 * m * n * k}, inputs,
             outputs);
  return success();
}
