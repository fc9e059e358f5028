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

families::GemmSpec lowering::linearSpec(const Lowering &state, vit::LinearOp op,
                                        bool bias, bool residual) {
  LinearSizes sizes(op);
  families::GemmSpec spec;
  spec.m = sizes.m;
  spec.n = sizes.n;
  spec.panel = state.panel;
  spec.bias = bias;
  spec.activation = wordFor(op.getActivation());
  spec.residual = residual;
  return spec;
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

/// Where a Winograd product puts its scaled left operand: where it stands, if
/// nobody needs it afterwards and a row has room for what is put behind it.
static Value scaledLeft(Lowering &state, vit::LinearOp op, Value a,
                        Value residual) {
  Rows rows = rowsOf(a);
  int64_t stride = rows.columns + families::winogradFloats;
  bool inPlace = a.getDefiningOp<kernel::AllocOp>() && rows.stride >= stride &&
                 !(residual && kernel::rootBuffer(residual) == a) &&
                 state.isLastUse(op.getInput(), op);
  return inPlace
             ? a
             : state.alloc(op.getLoc(), {rows.rows, rows.columns}, {stride, 1});
}

/// The layer as one product.
static void lowerProduct(Lowering &state, vit::LinearOp op,
                         const LinearBuffers &linear,
                         kernel::Algorithm algorithm) {
  auto [m, n, k] = LinearSizes(op);
  Value a = linear.a, residual = linear.residual;
  families::GemmArguments<Value> buffers;
  buffers.a = a;
  buffers.w = state.panels(op.getWeight());
  buffers.out = linear.out;
  families::GemmSpec spec =
      linearSpec(state, op, bool(op.getBias()), bool(residual));
  spec.k = k;
  spec.lda = rowsOf(a).stride;
  spec.ldc = rowsOf(linear.out).stride;
  if (op.getBias())
    buffers.bias = state.paddedRows(op.getBias(), spec.width());
  if (algorithm == kernel::Algorithm::Winograd) {
    spec.winograd = true;
    buffers.scratch = scaledLeft(state, op, a, residual);
    spec.lds = rowsOf(buffers.scratch).stride;
    buffers.winogradSums = state.winogradSums(op.getWeight());
  }
  if (residual) {
    buffers.residual = residual;
    spec.ldr = rowsOf(residual).stride;
  }
  std::string words = linearWords(op, k, bool(residual));
  if (algorithm == kernel::Algorithm::TensorCore) {
    spec.multiply = families::FactorType::F16;
    words += "_tensor_cores";
  }
  state.call(op.getLoc(), words, spec, {2.0 * m * n * k}, buffers);
}

LogicalResult lowering::lowerLinear(Lowering &state, vit::LinearOp op) {
  // All alternatives of a layer read and write the same buffers.
  LinearBuffers buffers;
  buffers.a = state.alignedBufferOf(op.getInput());
  if (op.getResidual())
    buffers.residual = state.alignedBufferOf(op.getResidual());
  buffers.out = linearOutput(state, op, buffers.a, buffers.residual);
  return state.lowerAlternatives(op, [&](kernel::Algorithm algorithm) {
    if (algorithm == kernel::Algorithm::Strassen)
      lowerStrassen(state, op, buffers);
    else
      lowerProduct(state, op, buffers, algorithm);
  });
}
