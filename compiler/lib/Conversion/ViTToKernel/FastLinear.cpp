// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Linear layers by one level of Strassen's algorithm (docs/KernelProtocol.md,
/// gemm with `fast`).
#include "Linear.h"

using namespace mlir;
using namespace vitc;
using namespace vitc::lowering;

/// True for layers that it makes faster: seven products of half the size in
/// each direction for eight, against sums over everything that is read and
/// written. Measured on Zen 3: 4% for 197 rows at n and k of 384, 6 to 11% at
/// 768 and more, 8% for 50 rows at n of 3072. Halves must be whole panels, and
/// whole vectors along k. Paired products, where the target has them, are
/// faster.
bool lowering::isFastLinear(const Lowering &state, vit::LinearOp op) {
  constexpr int64_t leastRows = 48, leastColumns = 384, vector = 16;
  auto [m, n, k] = LinearSizes(op);
  return state.fastMatmul && !state.pairs && m >= leastRows &&
         n >= leastColumns && k >= leastColumns && n % (2 * state.panel) == 0 &&
         k % (2 * vector) == 0;
}

/// Parts that a long k is cut into. The left operands of 197 rows and k = 768
/// are 1 MB, those of 3072 more than any second-level cache. On a Xeon with
/// AVX-512 197x768x3072 reaches 92% of the peak in one part, 102% in four. Zen
/// 3 with AVX2, whose panels are narrow, reads from its third-level cache in
/// time: 8.95 ms in one, 9.25 in four.
static int64_t partsOf(int64_t k, int64_t panel) {
  constexpr int64_t widePanel = 32, longest = 768, shortest = 384, vector = 16;
  if (panel < widePanel)
    return 1;
  for (int64_t parts = 1; k / parts >= shortest; ++parts)
    if (k / parts <= longest && k % (parts * 2 * vector) == 0)
      return parts;
  return 1;
}

/// The weights of one part, which strassenPanels() has put behind those of the
/// parts before.
static Value weightsOfPart(Lowering &state, Location location, Value weight,
                           int64_t part, int64_t parts) {
  if (parts == 1)
    return weight;
  auto all = cast<MemRefType>(weight.getType());
  int64_t panels = all.getDimSize(0) / parts, depth = all.getDimSize(2),
          product = depth * state.panel,
          panel = kernel::strassenProducts * product;
  return state.view(location, weight,
                    {panels, kernel::strassenProducts, depth, state.panel},
                    {panel, product, state.panel, 1}, part * panels * panel);
}

namespace {

/// The calls of one layer.
class FastLinear {
public:
  FastLinear(Lowering &state, vit::LinearOp op, int64_t parts)
      : state(state), op(op), parts(parts), location(op.getLoc()), sizes(op),
        a(state.alignedBufferOf(op.getInput())),
        weight(state.strassenPanels(op.getWeight(), parts)) {
    if (op.getResidual())
      residual = state.alignedBufferOf(op.getResidual());
    out = linearOutput(state, op, a, residual);
  }
  void lower();

private:
  /// The left operands of a part that are combinations stand in the workspace.
  Value allocLeft();
  /// Adds the sums of some parts to `bias` and `added`, into `to`.
  void callParts(int64_t first, int64_t last, Value bias, Value added, Value to,
                 std::optional<int64_t> branch);
  void callPart(int64_t part, Value bias, Value added, Value left, Value to,
                std::optional<int64_t> branch);

  Lowering &state;
  vit::LinearOp op;
  int64_t parts; ///< of k, each a product by itself
  Location location;
  LinearSizes sizes;
  Value a, weight, residual, out;
};

} // namespace

Value FastLinear::allocLeft() {
  int64_t rows = llvm::divideCeil(sizes.m, 2), depth = sizes.k / 2 / parts;
  return state.alloc(location, {kernel::strassenCombinations * rows * depth},
                     {1});
}

void FastLinear::callPart(int64_t part, Value bias, Value added, Value left,
                          Value to, std::optional<int64_t> branch) {
  Rows from = rowsOf(a);
  int64_t half = sizes.k / 2, depth = half / parts;
  SmallVector<Field> fields = linearFields(state, op, bool(bias), bool(added));
  fields.append({{"k", state.integer(2 * depth)},
                 {"lda", state.integer(from.stride)},
                 {"ldc", state.integer(rowsOf(to).stride)},
                 {"fast", state.boolean(true)}});
  Value slices = a;
  if (parts > 1) {
    fields.push_back({"half_stride", state.integer(half)});
    slices = state.view(location, a, {from.rows, 2, depth},
                        {from.stride, half, 1}, from.offset + part * depth);
  }
  SmallVector<Value> inputs = {
      slices, weightsOfPart(state, location, weight, part, parts)};
  if (bias)
    inputs.push_back(state.paddedRows(bias, sizes.n));
  if (added) {
    fields.push_back({"ldr", state.integer(rowsOf(added).stride)});
    inputs.push_back(added);
  }
  state.call(location, "gemm",
             linearWords(op, 2 * depth, bool(added)) + "_fast", fields,
             {4.0 * sizes.m * sizes.n * depth}, inputs, {left, to}, branch);
}

void FastLinear::callParts(int64_t first, int64_t last, Value bias, Value added,
                           Value to, std::optional<int64_t> branch) {
  Value left = allocLeft();
  for (int64_t part = first; part < last; ++part) {
    callPart(part, bias, added, left, to, branch);
    bias = Value();
    added = to;
  }
}

void FastLinear::lower() {
  if (parts % 2 != 0)
    return callParts(0, parts, op.getBias(), residual, out, std::nullopt);
  // Two sums of half of the parts each. On two threads each takes one: a
  // perceptron's first layer left the columns that it reads in its cache, and
  // nobody waits for left operands that the other one makes.
  Rows shape = rowsOf(out);
  Value second =
      state.alloc(location, {shape.rows, shape.columns}, {shape.stride, 1});
  callParts(0, parts / 2, op.getBias(), residual, out, 0);
  callParts(parts / 2, parts, Value(), Value(), second, 1);
  state.add(location, out, second, out);
}

void lowering::lowerFastLinear(Lowering &state, vit::LinearOp op) {
  // An activation needs the whole sum at once.
  bool linear = op.getActivation() == vit::Activation::None;
  FastLinear(state, op, linear ? partsOf(LinearSizes(op).k, state.panel) : 1)
      .lower();
}
