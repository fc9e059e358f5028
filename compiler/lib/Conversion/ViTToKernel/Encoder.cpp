// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Lowering.h"

using namespace mlir;
using namespace vitc;
using namespace vitc::lowering;

LogicalResult lowering::lowerLayerNorm(Lowering &state, vit::LayerNormOp op) {
  Value x = state.alignedBufferOf(op.getInput());
  Value out = state.allocFor(op.getResult());
  Rows shape = rowsOf(out);
  int64_t padded = llvm::alignTo(shape.columns, state.panel);
  SmallVector<Value> inputs = {x};
  for (Value vector : {op.getGain(), op.getBias()})
    if (vector)
      inputs.push_back(state.paddedRows(vector, padded));
  SmallVector<Field> fields = {
      {"rows", state.integer(shape.rows)},
      {"cols", state.integer(shape.columns)},
      {"ldx", state.integer(rowsOf(x).stride)},
      {"ldy", state.integer(shape.stride)},
      {"eps", state.number(op.getEps().convertToDouble())},
      {"affine", state.boolean(bool(op.getGain()))}};
  if (op.getGain() && !op.getBias())
    fields.push_back({"shift", state.boolean(false)});
  if (op.getKind() != vit::NormKind::Layer)
    fields.push_back({"kind", state.text(stringifyNormKind(op.getKind()))});
  if (op.getGroups() > 1)
    fields.push_back({"groups", state.integer(op.getGroups())});
  state.call(op.getLoc(), "norm",
             Twine(shape.rows) + "x" + Twine(shape.columns), fields,
             {8.0 * shape.rows * shape.columns}, inputs, {out});
  return success();
}

/// Kernels of one input and one output that work on rows alone.
static void callOnRows(Lowering &state, Operation *op, StringRef family,
                       ArrayRef<Field> more, double flopsPerElement) {
  Value x = state.alignedBufferOf(op->getOperand(0));
  Value out = state.allocFor(op->getResult(0));
  Rows shape = rowsOf(out);
  SmallVector<Field> fields = {{"rows", state.integer(shape.rows)},
                               {"cols", state.integer(shape.columns)},
                               {"ldx", state.integer(rowsOf(x).stride)},
                               {"ldy", state.integer(shape.stride)}};
  llvm::append_range(fields, more);
  state.call(op->getLoc(), family,
             Twine(shape.rows) + "x" + Twine(shape.columns), fields,
             {flopsPerElement * shape.rows * shape.columns}, {x}, {out});
}

LogicalResult lowering::lowerActivation(Lowering &state, vit::ActivationOp op) {
  callOnRows(state, op, "activation",
             {{"function", state.text(stringifyActivation(op.getFunction()))}},
             8);
  return success();
}

LogicalResult lowering::lowerSoftmax(Lowering &state, vit::SoftmaxOp op) {
  callOnRows(state, op, "softmax", {}, 8);
  return success();
}

LogicalResult lowering::lowerScale(Lowering &state, vit::ScaleOp op) {
  callOnRows(state, op, "scale",
             {{"factor", state.number(op.getFactor().convertToDouble())}}, 1);
  return success();
}

LogicalResult lowering::lowerAffine(Lowering &state, vit::AffineOp op) {
  Value x = state.alignedBufferOf(op.getInput());
  Value out = state.allocFor(op.getResult());
  Rows shape = rowsOf(out);
  int64_t padded = llvm::alignTo(shape.columns, state.panel);
  SmallVector<Value> inputs = {x, state.paddedRows(op.getScale(), padded)};
  if (op.getShift())
    inputs.push_back(state.paddedRows(op.getShift(), padded));
  state.call(op.getLoc(), "affine",
             Twine(shape.rows) + "x" + Twine(shape.columns),
             {{"rows", state.integer(shape.rows)},
              {"cols", state.integer(shape.columns)},
              {"ldx", state.integer(rowsOf(x).stride)},
              {"ldy", state.integer(shape.stride)},
              {"shift", state.boolean(bool(op.getShift()))},
              {"activation", state.text("none")}},
             {2.0 * shape.rows * shape.columns}, inputs, {out});
  return success();
}

LogicalResult lowering::lowerGate(Lowering &state, vit::GateOp op) {
  Value x = state.bufferOf(op.getInput()), gate = state.bufferOf(op.getGate());
  Value out = state.allocFor(op.getResult());
  Rows shape = rowsOf(out);
  state.call(
      op.getLoc(), "gate", Twine(shape.rows) + "x" + Twine(shape.columns),
      {{"rows", state.integer(shape.rows)},
       {"cols", state.integer(shape.columns)},
       {"ldx", state.integer(rowsOf(x).stride)},
       {"ldg", state.integer(rowsOf(gate).stride)},
       {"ldy", state.integer(shape.stride)},
       {"rows_per_gate", state.integer(shape.rows / rowsOf(gate).rows)},
       {"function", state.text(stringifyActivation(op.getActivation()))}},
      {9.0 * shape.rows * shape.columns}, {x, gate}, {out});
  return success();
}

LogicalResult lowering::lowerRotate(Lowering &state, vit::RotateOp op) {
  auto cos = cast<RankedTensorType>(op.getCos().getType());
  Value x = state.bufferOf(op.getInput());
  Value out = state.allocFor(op.getResult());
  Rows shape = rowsOf(out);
  int64_t stride = llvm::alignTo(cos.getDimSize(2), state.panel);
  state.call(op.getLoc(), "rotate",
             Twine(shape.rows) + "x" + Twine(shape.columns),
             {{"rows", state.integer(shape.rows)},
              {"tokens", state.integer(cos.getDimSize(1))},
              {"heads", state.integer(op.getHeads())},
              {"head_dim", state.integer(cos.getDimSize(2))},
              {"table_heads", state.integer(cos.getDimSize(0))},
              {"ldx", state.integer(rowsOf(x).stride)},
              {"ldy", state.integer(shape.stride)},
              {"ldt", state.integer(stride)},
              {"pairs", state.text(stringifyPairs(op.getPairs()))}},
             {3.0 * shape.rows * shape.columns},
             {x, state.paddedRows(op.getCos(), stride),
              state.paddedRows(op.getSin(), stride)},
             {out});
  return success();
}

LogicalResult lowering::lowerAdd(Lowering &state, vit::AddOp op) {
  Value a = state.alignedBufferOf(op.getLhs()),
        b = state.alignedBufferOf(op.getRhs());
  state.add(op.getLoc(), a, b, state.allocFor(op.getResult()));
  return success();
}

/// The buffer of queries, which may be learned.
static Value queriesOf(Lowering &state, Value query) {
  if (!query.getDefiningOp<vit::GetOp>())
    return state.alignedBufferOf(query);
  int64_t columns = cast<RankedTensorType>(query.getType()).getShape().back();
  return state.paddedRows(query, llvm::alignTo(columns, state.panel));
}

LogicalResult lowering::lowerAttention(Lowering &state, vit::AttentionOp op) {
  auto type = cast<RankedTensorType>(op.getKey().getType());
  auto queryType = cast<RankedTensorType>(op.getQuery().getType());
  int64_t batch = type.getDimSize(0), tokens = type.getDimSize(1),
          queries = queryType.getDimSize(1), heads = op.getHeads(),
          headDim = type.getDimSize(2) / heads;
  if (queryType.getDimSize(0) != batch)
    return op.emitError("no kernel computes this operation: one set of queries "
                        "for several images");
  bool learned = bool(op.getQuery().getDefiningOp<vit::GetOp>());
  SmallVector<Value> inputs = {
      learned ? queriesOf(state, op.getQuery()) : state.bufferOf(op.getQuery()),
      state.bufferOf(op.getKey()), state.bufferOf(op.getValue())};
  Value out = state.allocFor(op.getResult());

  SmallVector<Field> fields = {
      {"batch", state.integer(batch)},
      {"heads", state.integer(heads)},
      {"tokens", state.integer(tokens)},
      {"head_dim", state.integer(headDim)},
      {"scale", state.number(op.getScale().convertToDouble())},
      {"ldq", state.integer(rowsOf(inputs[0]).stride)},
      {"ldk", state.integer(rowsOf(inputs[1]).stride)},
      {"ldv", state.integer(rowsOf(inputs[2]).stride)},
      {"ldo", state.integer(rowsOf(out).stride)},
      {"probabilities", state.boolean(bool(op.getProbabilities()))}};
  std::string words =
      (Twine(heads) + "x" + Twine(tokens) + "x" + Twine(headDim)).str();
  if (queries != tokens)
    fields.push_back({"queries", state.integer(queries)});
  if (state.pairs)
    fields.push_back({"pairs", state.boolean(true)});
  int64_t biasStride = llvm::alignTo(tokens, 16);
  if (op.getBias()) {
    fields.push_back({"bias", state.boolean(true)});
    inputs.push_back(state.paddedRows(op.getBias(), biasStride));
    words += "_bias";
  }
  if (op.getMask()) {
    auto mask = cast<RankedTensorType>(op.getMask().getType());
    fields.push_back({"masks", state.integer(mask.getDimSize(0))});
    inputs.push_back(state.paddedRows(op.getMask(), biasStride));
    words += "_mask";
  }
  if (op.getBias() || op.getMask())
    fields.push_back({"ldb", state.integer(biasStride)});
  // Keys, transposed and padded to whole vectors: docs/KernelProtocol.md.
  int64_t scratch = batch * heads * headDim * llvm::alignTo(tokens, 32);
  SmallVector<Value> outputs = {state.alloc(op.getLoc(), {scratch}, {1})};
  if (Value probabilities = op.getProbabilities()) {
    int64_t rows = heads * queries, batchStride = rows * tokens;
    Value maps = state.outputView(probabilities);
    if (maps)
      batchStride =
          cast<MemRefType>(maps.getType()).getStridesAndOffset().first[0];
    else
      maps = state.alloc(op.getLoc(), {batch * rows, tokens}, {tokens, 1});
    state.setBuffer(probabilities, maps);
    fields.push_back({"prob_batch_stride", state.integer(batchStride)});
    outputs.push_back(maps);
  }
  outputs.push_back(out);
  double flops = 4.0 * batch * heads * queries * tokens * headDim;
  state.call(op.getLoc(), "attention", words, fields, {flops}, inputs, outputs);
  return success();
}

LogicalResult
lowering::lowerSingleQueryAttention(Lowering &state,
                                    vit::SingleQueryAttentionOp op) {
  auto sequence = cast<RankedTensorType>(op.getSequence().getType());
  int64_t batch = sequence.getDimSize(0), tokens = sequence.getDimSize(1),
          channels = sequence.getDimSize(2);
  int64_t heads = op.getHeads(),
          width = cast<RankedTensorType>(op.getType()).getDimSize(1);
  Value x = state.alignedBufferOf(op.getSequence()),
        query = queriesOf(state, op.getQuery());
  int64_t keyStride = llvm::alignTo(channels, state.panel);
  Value out = state.allocFor(op.getResult());
  // For each head the key's image of the query, the weighted sum of tokens, and
  // the scores: docs/KernelProtocol.md.
  int64_t scratch =
      batch * heads *
      (2 * llvm::alignTo(channels, 32) + llvm::alignTo(tokens, 32));
  state.call(op.getLoc(), "single_query_attention",
             Twine(heads) + "x" + Twine(tokens) + "x" + Twine(channels),
             {{"batch", state.integer(batch)},
              {"heads", state.integer(heads)},
              {"tokens", state.integer(tokens)},
              {"head_dim", state.integer(width / heads)},
              {"channels", state.integer(channels)},
              {"scale", state.number(op.getScale().convertToDouble())},
              {"ldx", state.integer(rowsOf(x).stride)},
              {"batch_stride", state.integer(tokens * rowsOf(x).stride)},
              {"ldq", state.integer(rowsOf(query).stride)},
              {"ldk", state.integer(keyStride)},
              {"ldo", state.integer(rowsOf(out).stride)},
              {"panel", state.integer(state.panel)}},
             {4.0 * batch * width * channels +
              4.0 * batch * tokens * channels * heads},
             {x, query, state.paddedRows(op.getKey(), keyStride),
              state.panels(op.getValue())},
             {state.alloc(op.getLoc(), {scratch}, {1}), out});
  return success();
}

LogicalResult lowering::lowerSlice(Lowering &state, vit::SliceOp op) {
  auto type = cast<RankedTensorType>(op.getType());
  int64_t dimension = op.getDimension(), offset = op.getOffset();
  Rows from = rowsOf(state.bufferOf(op.getInput()));
  // Channels, or tokens of the one image: both are a part of the buffer.
  bool channels = dimension == type.getRank() - 1;
  bool tokens =
      dimension == 1 && type.getRank() == 3 && type.getDimSize(0) == 1;
  if (!channels && !tokens)
    return op.emitError("no kernel computes this operation: only ranges of "
                        "channels, or of one image's tokens, can be taken "
                        "while the model runs");
  Rows to = rowsOf(type);
  state.setBuffer(
      op.getResult(),
      state.view(op.getLoc(), state.bufferOf(op.getInput()),
                 {to.rows, to.columns}, {from.stride, 1},
                 from.offset + (channels ? offset : offset * from.stride)));
  return success();
}

LogicalResult lowering::lowerConcat(Lowering &state, vit::ConcatOp op) {
  auto type = cast<RankedTensorType>(op.getType());
  if (int64_t(op.getDimension()) != type.getRank() - 1)
    return op.emitError("no kernel computes this operation: only channels can "
                        "be put side by side while the model runs");
  Value out = state.allocFor(op.getResult());
  int64_t stride = rowsOf(out).stride, offset = 0;
  for (Value input : op.getInputs()) {
    Rows from = rowsOf(state.bufferOf(input));
    Value to = state.view(op.getLoc(), out, {from.rows, from.columns},
                          {stride, 1}, offset);
    state.copy(op.getLoc(), state.bufferOf(input), to,
               {1, 1, from.rows, from.columns}, {0, 0, from.stride, 1},
               {0, 0, stride, 1});
    offset += from.columns;
  }
  return success();
}
