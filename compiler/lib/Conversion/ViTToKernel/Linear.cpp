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
  spec.weights = storedWord(op.getWeight());
  if (spec.weights == families::WeightFormat::I8)
    buffers.scales = state.columnScales(op.getWeight());
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

/// What both kinds of products of fewer bits have in common.
template <typename Spec>
static Spec narrowSpec(const Lowering &state, vit::LinearOp op,
                       const LinearBuffers &linear) {
  auto [m, n, k] = LinearSizes(op);
  Spec spec;
  spec.m = m;
  spec.n = n;
  spec.k = k;
  spec.panel = state.panel;
  spec.lda = rowsOf(linear.a).stride;
  spec.ldc = rowsOf(linear.out).stride;
  spec.bias = bool(op.getBias());
  spec.residual = bool(linear.residual);
  if (linear.residual)
    spec.ldr = rowsOf(linear.residual).stride;
  spec.activation = wordFor(op.getActivation());
  return spec;
}

/// The layer as a product of 8-bit rows or of bfloat16.
static void lowerNarrow(Lowering &state, vit::LinearOp op,
                        const LinearBuffers &linear) {
  auto [m, n, k] = LinearSizes(op);
  std::string words = linearWords(op, k, bool(linear.residual));
  Lowering::Cost cost = {2.0 * m * n * k};
  auto call = [&](auto spec, auto buffers) {
    buffers.a = linear.a;
    buffers.w = state.dotPanels(op.getWeight());
    buffers.out = linear.out;
    if (op.getBias())
      buffers.bias = state.paddedRows(op.getBias(), spec.width());
    buffers.residual = linear.residual;
    state.call(op.getLoc(), words, spec, cost, buffers);
  };
  auto element =
      cast<RankedTensorType>(op.getInput().getType()).getElementType();
  if (*vit::formatOf(element) == vit::Format::U8Rows) {
    families::Int8GemmArguments<Value> buffers;
    buffers.scales = state.columnScales(op.getWeight(), /*sums=*/true);
    call(narrowSpec<families::Int8GemmSpec>(state, op, linear), buffers);
  } else {
    call(narrowSpec<families::Bf16GemmSpec>(state, op, linear),
         families::Bf16GemmArguments<Value>());
  }
}

LogicalResult lowering::lowerLinear(Lowering &state, vit::LinearOp op) {
  // All alternatives of a layer read and write the same buffers.
  LinearBuffers buffers;
  buffers.a = state.alignedBufferOf(op.getInput());
  if (op.getResidual())
    buffers.residual = state.alignedBufferOf(op.getResidual());
  buffers.out = linearOutput(state, op, buffers.a, buffers.residual);
  if (vit::isNarrowTensor(op.getInput().getType())) {
    lowerNarrow(state, op, buffers);
    return success();
  }
  return state.lowerAlternatives(op, [&](kernel::Algorithm algorithm) {
    if (algorithm == kernel::Algorithm::Strassen)
      lowerStrassen(state, op, buffers);
    else
      lowerProduct(state, op, buffers, algorithm);
  });
}
