// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Linear layers by one level of Strassen's algorithm (docs/KernelProtocol.md,
/// gemm with `strassen`).
#include "Linear.h"

using namespace mlir;
using namespace vitc;
using namespace vitc::lowering;

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
          panel = families::strassenProducts * product;
  return state.view(location, weight,
                    {panels, families::strassenProducts, depth, state.panel},
                    {panel, product, state.panel, 1}, part * panels * panel);
}

namespace {

/// The calls of one layer.
class StrassenLinear {
public:
  StrassenLinear(Lowering &state, vit::LinearOp op,
                 const LinearBuffers &buffers, int64_t parts)
      : state(state), op(op), parts(parts), location(op.getLoc()), sizes(op),
        a(buffers.a), weight(state.strassenPanels(op.getWeight(), parts)),
        residual(buffers.residual), out(buffers.out) {}
  void lower();

private:
  /// What the call of a part says, its bias and residual apart.
  families::GemmSpec partSpec(bool bias, bool added) const;
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

families::GemmSpec StrassenLinear::partSpec(bool bias, bool added) const {
  families::GemmSpec spec = linearSpec(state, op, bias, added);
  int64_t half = sizes.k / 2;
  spec.k = 2 * (half / parts);
  spec.lda = rowsOf(a).stride;
  spec.strassen = true;
  spec.halfStride = half;
  return spec;
}

void StrassenLinear::callPart(int64_t part, Value bias, Value added, Value left,
                              Value to, std::optional<int64_t> branch) {
  families::GemmSpec spec = partSpec(bool(bias), bool(added));
  spec.ldc = rowsOf(to).stride;
  families::GemmArguments<Value> buffers;
  buffers.a = a;
  if (parts > 1) {
    Rows from = rowsOf(a);
    int64_t depth = spec.k / 2;
    buffers.a = state.view(location, a, {from.rows, 2, depth},
                           {from.stride, spec.halfStride, 1},
                           from.offset + part * depth);
  }
  buffers.w = weightsOfPart(state, location, weight, part, parts);
  if (bias)
    buffers.bias = state.paddedRows(bias, sizes.n);
  if (added) {
    buffers.residual = added;
    spec.ldr = rowsOf(added).stride;
  }
  buffers.scratch = left;
  buffers.out = to;
  state.call(location, linearWords(op, spec.k, bool(added)) + "_strassen", spec,
             {2.0 * sizes.m * sizes.n * spec.k}, buffers, branch);
}

void StrassenLinear::callParts(int64_t first, int64_t last, Value bias,
                               Value added, Value to,
                               std::optional<int64_t> branch) {
  // The left operands of a part that are combinations stand in the workspace.
  Value left =
      state.scratchFor(location, partSpec(/*bias=*/false, /*added=*/false));
  for (int64_t part = first; part < last; ++part) {
    callPart(part, bias, added, left, to, branch);
    bias = Value();
    added = to;
  }
}

void StrassenLinear::lower() {
  if (parts % 2 != 0)
    return callParts(0, parts, op.getBias(), residual, out, std::nullopt);
  // Two sums of half of the parts each. On two threads each takes one: a
  // MLP's first layer left the columns that it reads in its cache, and
  // nobody waits for left operands that the other one makes.
  Rows shape = rowsOf(out);
  Value second =
      state.alloc(location, {shape.rows, shape.columns}, {shape.stride, 1});
  callParts(0, parts / 2, op.getBias(), residual, out, 0);
  callParts(parts / 2, parts, Value(), Value(), second, 1);
  state.add(location, out, second, out);
}

void lowering::lowerStrassen(Lowering &state, vit::LinearOp op,
                             const LinearBuffers &buffers) {
  // An activation needs the whole sum at once.
  bool linear = op.getActivation() == vit::Activation::None;
  int64_t parts = linear ? partsOf(LinearSizes(op).k, state.panel) : 1;
  StrassenLinear(state, op, buffers, parts).lower();
}
