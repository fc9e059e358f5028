// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Lowering.h"

using namespace mlir;
using namespace vitc;
using namespace vitc::lowering;

/// The kernels' word for the rows that an op makes.
static families::RowFormat formatWord(vit::QuantizeOp op) {
  Type element = cast<RankedTensorType>(op.getType()).getElementType();
  return *vit::formatOf(element) == vit::Format::U8Rows
             ? families::RowFormat::U8
             : families::RowFormat::Bf16;
}

/// A buffer for such rows.
static Value allocRows(Lowering &state, vit::QuantizeOp op) {
  families::QuantizeSpec spec;
  spec.cols = rowsOf(cast<RankedTensorType>(op.getType())).columns;
  spec.format = formatWord(op);
  return state.allocNarrow(op.getResult(), spec.rowElements());
}

/// Sizes as they stand in the names of kernels.
static std::string wordsOf(const Rows &shape) {
  return (Twine(shape.rows) + "x" + Twine(shape.columns)).str();
}

/// What families of rows have in common.
template <typename Spec>
static Spec rowSpec(Value x, Value out) {
  Spec spec;
  spec.rows = rowsOf(out).rows;
  spec.cols = rowsOf(out).columns;
  spec.ldx = rowsOf(x).stride;
  spec.ldy = rowsOf(out).stride;
  return spec;
}

/// The only reader of a norm, if it takes rows of fewer bits, which the norm
/// then writes itself.
static vit::QuantizeOp soleQuantize(vit::LayerNormOp op) {
  bool alone = op->hasOneUse() && op.getGroups() == 1;
  return alone ? dyn_cast<vit::QuantizeOp>(*op->getUsers().begin())
               : vit::QuantizeOp();
}

LogicalResult lowering::lowerLayerNorm(Lowering &state, vit::LayerNormOp op) {
  Value x = state.alignedBufferOf(op.getInput());
  vit::QuantizeOp quantize = soleQuantize(op);
  Value out =
      quantize ? allocRows(state, quantize) : state.allocFor(op.getResult());
  Rows shape = rowsOf(out);
  families::NormSpec spec = rowSpec<families::NormSpec>(x, out);
  if (quantize)
    spec.format = formatWord(quantize);
  spec.eps = op.getEps().convertToDouble();
  spec.affine = bool(op.getGain());
  spec.shift = bool(op.getBias());
  spec.kind = wordFor(op.getKind());
  spec.groups = op.getGroups();
  families::NormArguments<Value> buffers = {x, {}, {}, out};
  if (op.getGain())
    buffers.gain = state.perColumn(op.getGain());
  if (op.getBias())
    buffers.bias = state.perColumn(op.getBias());
  state.call(op.getLoc(), wordsOf(shape), spec,
             {8.0 * shape.rows * shape.columns}, buffers);
  return success();
}

LogicalResult lowering::lowerQuantize(Lowering &state, vit::QuantizeOp op) {
  if (state.bufferOf(op.getResult())) // a norm has written it
    return success();
  Value x = state.bufferOf(op.getInput()), out = allocRows(state, op);
  Rows shape = rowsOf(out);
  auto spec = rowSpec<families::QuantizeSpec>(x, out);
  spec.format = formatWord(op);
  state.call(op.getLoc(), wordsOf(shape), spec,
             {6.0 * shape.rows * shape.columns}, {x, out});
  return success();
}

LogicalResult lowering::lowerActivation(Lowering &state, vit::ActivationOp op) {
  Value x = state.alignedBufferOf(op.getInput());
  Value out = state.allocFor(op.getResult());
  Rows shape = rowsOf(out);
  auto spec = rowSpec<families::ActivationSpec>(x, out);
  spec.function = wordFor(op.getFunction());
  state.call(op.getLoc(), wordsOf(shape), spec,
             {8.0 * shape.rows * shape.columns}, {x, out});
  return success();
}

LogicalResult lowering::lowerSoftmax(Lowering &state, vit::SoftmaxOp op) {
  Value x = state.alignedBufferOf(op.getInput());
  Value out = state.allocFor(op.getResult());
  Rows shape = rowsOf(out);
  state.call(op.getLoc(), wordsOf(shape),
             rowSpec<families::SoftmaxSpec>(x, out),
             {8.0 * shape.rows * shape.columns}, {x, out});
  return success();
}

LogicalResult lowering::lowerScale(Lowering &state, vit::ScaleOp op) {
  Value x = state.alignedBufferOf(op.getInput());
  Value out = state.allocFor(op.getResult());
  Rows shape = rowsOf(out);
  auto spec = rowSpec<families::ScaleSpec>(x, out);
  spec.factor = op.getFactor().convertToDouble();
  state.call(op.getLoc(), wordsOf(shape), spec,
             {1.0 * shape.rows * shape.columns}, {x, out});
  return success();
}

LogicalResult lowering::lowerAffine(Lowering &state, vit::AffineOp op) {
  Value x = state.alignedBufferOf(op.getInput());
  Value out = state.allocFor(op.getResult());
  Rows shape = rowsOf(out);
  auto spec = rowSpec<families::AffineSpec>(x, out);
  spec.shift = bool(op.getShift());
  families::AffineArguments<Value> buffers;
  buffers.x = x;
  buffers.scale = state.perColumn(op.getScale());
  if (op.getShift())
    buffers.shift = state.perColumn(op.getShift());
  buffers.out = out;
  state.call(op.getLoc(), wordsOf(shape), spec,
             {2.0 * shape.rows * shape.columns}, buffers);
  return success();
}

LogicalResult lowering::lowerGate(Lowering &state, vit::GateOp op) {
  Value x = state.bufferOf(op.getInput()), gate = state.bufferOf(op.getGate());
  Value out = state.allocFor(op.getResult());
  Rows shape = rowsOf(out);
  auto spec = rowSpec<families::GateSpec>(x, out);
  spec.ldg = rowsOf(gate).stride;
  spec.rowsPerGate = shape.rows / rowsOf(gate).rows;
  spec.function = wordFor(op.getActivation());
  state.call(op.getLoc(), wordsOf(shape), spec,
             {9.0 * shape.rows * shape.columns}, {x, gate, out});
  return success();
}

LogicalResult lowering::lowerRotate(Lowering &state, vit::RotateOp op) {
  auto cos = cast<RankedTensorType>(op.getCos().getType());
  Value x = state.bufferOf(op.getInput());
  Value out = state.allocFor(op.getResult());
  Rows shape = rowsOf(out);
  families::RotateSpec spec;
  spec.rows = shape.rows;
  spec.tokens = cos.getDimSize(1);
  spec.heads = op.getHeads();
  spec.headDim = cos.getDimSize(2);
  spec.tableHeads = cos.getDimSize(0);
  spec.ldx = rowsOf(x).stride;
  spec.ldy = shape.stride;
  spec.ldt = llvm::alignTo(spec.headDim, state.panel);
  spec.pairing = wordFor(op.getPairing());
  state.call(op.getLoc(), wordsOf(shape), spec,
             {3.0 * shape.rows * shape.columns},
             {x, state.paddedRows(op.getCos(), spec.ldt),
              state.paddedRows(op.getSin(), spec.ldt), out});
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

static bool isWinograd(const Lowering::Alternative &alternative) {
  return alternative.algorithm == kernel::Algorithm::Winograd;
}
static bool isPlain(const Lowering::Alternative &alternative) {
  return alternative.algorithm == kernel::Algorithm::Plain;
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
  auto alternatives = state.alternativesOf(op);
  if (failed(alternatives))
    return failure();
  if (alternatives->size() > 1 ||
      !(isWinograd(alternatives->front()) || isPlain(alternatives->front())))
    return op.emitError("attention has plain kernels and Winograd's alone");
  bool learned = bool(op.getQuery().getDefiningOp<vit::GetOp>());
  families::AttentionArguments<Value> buffers;
  buffers.q =
      learned ? queriesOf(state, op.getQuery()) : state.bufferOf(op.getQuery());
  buffers.k = state.bufferOf(op.getKey());
  buffers.v = state.bufferOf(op.getValue());
  buffers.out = state.allocFor(op.getResult());

  families::AttentionSpec spec;
  spec.batch = batch;
  spec.heads = heads;
  spec.tokens = tokens;
  spec.queries = queries;
  spec.headDim = headDim;
  spec.scale = op.getScale().convertToDouble();
  spec.ldq = rowsOf(buffers.q).stride;
  spec.ldk = rowsOf(buffers.k).stride;
  spec.ldv = rowsOf(buffers.v).stride;
  spec.ldo = rowsOf(buffers.out).stride;
  spec.winograd = isWinograd(alternatives->front());
  std::string words =
      (Twine(heads) + "x" + Twine(tokens) + "x" + Twine(headDim)).str();
  if (op.getBias() || op.getMask())
    spec.ldb = llvm::alignTo(tokens, families::lineElements);
  if (op.getBias()) {
    spec.bias = true;
    buffers.bias = state.paddedRows(op.getBias(), spec.ldb);
    words += "_bias";
  }
  if (op.getMask()) {
    spec.masks = cast<RankedTensorType>(op.getMask().getType()).getDimSize(0);
    buffers.mask = state.paddedRows(op.getMask(), spec.ldb);
    words += "_mask";
  }
  buffers.scratch = state.scratchFor(op.getLoc(), spec);
  if (Value probabilities = op.getProbabilities()) {
    int64_t rows = heads * queries;
    spec.probabilities = true;
    spec.probBatchStride = rows * tokens;
    Value maps = state.outputView(probabilities);
    if (maps)
      spec.probBatchStride =
          cast<MemRefType>(maps.getType()).getStridesAndOffset().first[0];
    else
      maps = state.alloc(op.getLoc(), {batch * rows, tokens}, {tokens, 1});
    state.setBuffer(probabilities, maps);
    buffers.probabilities = maps;
  }
  double flops = 4.0 * batch * heads * queries * tokens * headDim;
  state.call(op.getLoc(), words, spec, {flops}, buffers);
  return success();
}

LogicalResult
lowering::lowerSingleQueryAttention(Lowering &state,
                                    vit::SingleQueryAttentionOp op) {
  auto sequence = cast<RankedTensorType>(op.getSequence().getType());
  int64_t heads = op.getHeads(),
          width = cast<RankedTensorType>(op.getType()).getDimSize(1);
  families::SingleQueryAttentionArguments<Value> buffers;
  buffers.x = state.alignedBufferOf(op.getSequence());
  buffers.query = queriesOf(state, op.getQuery());
  buffers.out = state.allocFor(op.getResult());
  families::SingleQueryAttentionSpec spec;
  spec.batch = sequence.getDimSize(0);
  spec.heads = heads;
  spec.tokens = sequence.getDimSize(1);
  spec.headDim = width / heads;
  spec.channels = sequence.getDimSize(2);
  spec.scale = op.getScale().convertToDouble();
  spec.panel = state.panel;
  spec.ldx = rowsOf(buffers.x).stride;
  spec.batchStride = spec.tokens * spec.ldx;
  spec.ldq = rowsOf(buffers.query).stride;
  spec.ldk = llvm::alignTo(spec.channels, state.panel);
  spec.ldo = rowsOf(buffers.out).stride;
  buffers.key = state.paddedRows(op.getKey(), spec.ldk);
  buffers.value = state.panels(op.getValue());
  spec.weights = storedWord(op.getKey());
  if (spec.weights == families::WeightFormat::I8) {
    buffers.keyScales = state.columnScales(op.getKey());
    buffers.valueScales = state.columnScales(op.getValue());
  }
  buffers.scratch = state.scratchFor(op.getLoc(), spec);
  state.call(op.getLoc(),
             Twine(heads) + "x" + Twine(spec.tokens) + "x" +
                 Twine(spec.channels),
             spec,
             {4.0 * spec.batch * width * spec.channels +
              4.0 * spec.batch * spec.tokens * spec.channels * heads},
             buffers);
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
