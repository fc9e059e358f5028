// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// ModelBuilder's layers on sequences.
#include "vitc/Frontend/Builder/ModelBuilder.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace vitc;

//===----------------------------------------------------------------------===//
// Computed at compile time
//===----------------------------------------------------------------------===//

Value ModelBuilder::constant(const Twine &name, ArrayRef<int64_t> shape,
                             ArrayRef<double> values) {
  auto type = RankedTensorType::get(shape, builder.getF64Type());
  return vit::ConstantOp::create(builder, named(name), tensorType(shape),
                                 DenseElementsAttr::get(type, values));
}

bool ModelBuilder::takesTable(const Twine &name, ArrayRef<int64_t> shape) {
  if (firstError)
    return false;
  int64_t elements = 1;
  for (int64_t extent : shape)
    if (llvm::MulOverflow(elements, extent, elements)) {
      elements = maxTableElements;
      break;
    }
  auto tooMany = [&](int64_t most, const Twine &where) {
    fail(userError(places.image, "the table " + name +
                                     " would have too many numbers, expected "
                                     "fewer than " +
                                     Twine(most) + where));
    return false;
  };
  if (elements >= maxTableElements)
    return tooMany(maxTableElements, "");
  if (elements >= maxTablesElements - tableElements)
    return tooMany(maxTablesElements, " in all such tables");
  tableElements += elements;
  return true;
}

Value ModelBuilder::zeros(const Twine &name, ArrayRef<int64_t> shape) {
  auto type = RankedTensorType::get(shape, builder.getF64Type());
  return vit::ConstantOp::create(builder, named(name), tensorType(shape),
                                 DenseElementsAttr::get(type, 0.0));
}

Value ModelBuilder::constant(
    const Twine &name, ArrayRef<int64_t> shape,
    llvm::function_ref<void(std::vector<double> &)> fill) {
  if (!takesTable(name, shape))
    return zeros(name, shape);
  std::vector<double> values;
  fill(values);
  return constant(name, shape, values);
}

Value ModelBuilder::reshape(Value x, ArrayRef<int64_t> shape) {
  return vit::ReshapeOp::create(builder, x.getLoc(), tensorType(shape), x);
}

Value ModelBuilder::transpose(Value x, ArrayRef<int64_t> order) {
  SmallVector<int64_t> shape;
  for (int64_t dimension : order)
    shape.push_back(shapeOf(x)[dimension]);
  return vit::TransposeOp::create(builder, x.getLoc(), tensorType(shape), x,
                                  order);
}

Value ModelBuilder::slice(Value x, int64_t dimension, int64_t offset,
                          int64_t count) {
  SmallVector<int64_t> shape(shapeOf(x));
  shape[dimension] = count;
  return vit::SliceOp::create(builder, x.getLoc(), tensorType(shape), x,
                              dimension, offset);
}

Value ModelBuilder::concat(ArrayRef<Value> parts, int64_t dimension) {
  SmallVector<int64_t> shape(shapeOf(parts.front()));
  for (Value part : parts.drop_front())
    shape[dimension] += shapeOf(part)[dimension];
  return vit::ConcatOp::create(builder, parts.front().getLoc(),
                               tensorType(shape), parts, dimension);
}

Value ModelBuilder::scale(Value x, double factor) {
  return vit::ScaleOp::create(builder, x.getLoc(), x, APFloat(factor));
}

Value ModelBuilder::exp(Value x, double limit) {
  return vit::ExpOp::create(builder, x.getLoc(), x, APFloat(limit));
}

Value ModelBuilder::standardize(Value weight, double eps) {
  return vit::StandardizeOp::create(builder, weight.getLoc(), weight,
                                    APFloat(eps));
}

Value ModelBuilder::spreadHeads(Value perHead, int64_t headDim) {
  int64_t heads = cast<RankedTensorType>(perHead.getType()).getNumElements();
  SmallVector<Value> copies(headDim, reshape(perHead, {heads, 1}));
  return reshape(concat(copies, 1), {heads * headDim});
}

Value ModelBuilder::repeatForHeads(Value vector, int64_t heads) {
  return concat(SmallVector<Value>(heads, vector), 0);
}

/// Whether kernels can address `planes` biases of all tokens by all tokens,
/// whose rows are padded to whole panels.
static bool fitsBias(int64_t planes, int64_t tokens) {
  constexpr int64_t mostElements = INT32_MAX, panel = 64;
  int64_t elements;
  return !llvm::MulOverflow(tokens, int64_t(llvm::alignTo(tokens, panel)),
                            elements) &&
         !llvm::MulOverflow(elements, planes, elements) &&
         elements <= mostElements;
}

static llvm::Error biasError(StringRef place, const Twine &name) {
  return userError(place, "the attention bias " + name +
                              " would have too many numbers, expected at most "
                              "2^31 for all heads and pairs of tokens");
}

Value ModelBuilder::relativeBias(const Twine &name, Value table, Grid grid,
                                 int64_t prefix) {
  int64_t tokens = prefix + grid.first * grid.second;
  Value bias = vit::RelativeBiasOp::create(
      builder, named(name), tensorType({shapeOf(table)[1], tokens, tokens}),
      table, ArrayRef<int64_t>{grid.first, grid.second}, prefix);
  if (!fitsBias(shapeOf(table)[1], tokens))
    fail(biasError(places.image, name));
  return bias;
}

Value ModelBuilder::windowMask(const Twine &name, Grid grid, Grid window,
                               Grid shift, double value) {
  int64_t pixels = window.first * window.second,
          windows = llvm::divideCeil(grid.first, window.first) *
                    llvm::divideCeil(grid.second, window.second);
  Value mask = vit::WindowMaskOp::create(
      builder, named(name), tensorType({windows, pixels, pixels}),
      ArrayRef<int64_t>{grid.first, grid.second},
      ArrayRef<int64_t>{window.first, window.second},
      ArrayRef<int64_t>{shift.first, shift.second}, APFloat(value));
  if (!fitsBias(windows, pixels))
    fail(biasError(places.image, name));
  return mask;
}

//===----------------------------------------------------------------------===//
// Layers
//===----------------------------------------------------------------------===//

Value ModelBuilder::patchEmbed(const Twine &name, int64_t width,
                               int64_t patchHeight, int64_t patchWidth,
                               bool bias) {
  Value weight = parameter(
      name + ".weight", {width, shapeOf(image())[1], patchHeight, patchWidth});
  return patchEmbed(name, weight,
                    bias ? parameter(name + ".bias", {width}) : Value());
}

Value ModelBuilder::patchEmbed(const Twine &name, Value weight, Value bias) {
  ArrayRef<int64_t> extents = shapeOf(image()), patch = shapeOf(weight);
  int64_t patches = (extents[2] / patch[2]) * (extents[3] / patch[3]);
  return vit::PatchEmbedOp::create(builder, named(name),
                                   tensorType({extents[0], patches, patch[0]}),
                                   image(), weight, bias, /*position=*/Value());
}

Value ModelBuilder::concatTokens(StringRef name, Value tokens, Value sequence) {
  SmallVector<int64_t> shape(shapeOf(sequence));
  shape[1] += shapeOf(tokens)[1];
  return vit::ConcatTokensOp::create(builder, named(name + ".concat"),
                                     tensorType(shape), tokens, sequence);
}

Value ModelBuilder::resizePosition(const Twine &name, Value table,
                                   int64_t prefix, Grid from, Grid to,
                                   const PositionResize &resize) {
  if (from == to)
    return table;
  int64_t channels = shapeOf(table)[2];
  DenseF64ArrayAttr factors;
  if (resize.factors)
    factors = builder.getDenseF64ArrayAttr(
        {resize.factors->first, resize.factors->second});
  return vit::ResizePositionOp::create(
      builder, named(name + ".resized"),
      tensorType({1, prefix + to.first * to.second, channels}), table,
      ArrayRef<int64_t>{from.first, from.second},
      ArrayRef<int64_t>{to.first, to.second}, prefix, resize.interpolation,
      resize.antialias, factors);
}

Value ModelBuilder::addPosition(StringRef name, Value sequence, int64_t prefix,
                                Grid tableGrid, Grid imageGrid,
                                const PositionResize &resize) {
  Value table = parameter(name, {1, prefix + tableGrid.first * tableGrid.second,
                                 shapeOf(sequence)[2]});
  return addPosition(
      name, sequence,
      resizePosition(name, table, prefix, tableGrid, imageGrid, resize));
}

Value ModelBuilder::addPosition(const Twine &name, Value sequence,
                                Value position) {
  return vit::AddPositionOp::create(builder, named(name + ".add"), sequence,
                                    position);
}

Value ModelBuilder::norm(const Twine &name, Value x, const Norm &norm) {
  int64_t channels = shapeOf(x).back();
  Value gain = parameter(name + ".weight", {channels});
  Value bias = norm.bias ? parameter(name + ".bias", {channels}) : Value();
  return vit::LayerNormOp::create(builder, named(name), x.getType(), x, gain,
                                  bias, APFloat(norm.eps), norm.kind,
                                  /*groups=*/1);
}

Value ModelBuilder::headNorm(const Twine &name, Value x, int64_t heads,
                             const Norm &norm) {
  int64_t size = shapeOf(x).back() / heads;
  Value gain = repeatForHeads(parameter(name + ".weight", {size}), heads);
  Value bias = norm.bias
                   ? repeatForHeads(parameter(name + ".bias", {size}), heads)
                   : Value();
  return vit::LayerNormOp::create(builder, named(name), x.getType(), x, gain,
                                  bias, APFloat(norm.eps), norm.kind, heads);
}

Value ModelBuilder::unitHeads(const Twine &name, Value x, int64_t heads,
                              double eps, Value gain) {
  return vit::LayerNormOp::create(builder, named(name), x.getType(), x, gain,
                                  /*bias=*/Value(), APFloat(eps),
                                  vit::NormKind::L2, heads);
}

Value ModelBuilder::linear(const Twine &name, Value x, int64_t outputs,
                           bool bias) {
  Value weight = parameter(name + ".weight", {outputs, shapeOf(x).back()});
  return linear(name, x, weight,
                bias ? parameter(name + ".bias", {outputs}) : Value());
}

Value ModelBuilder::linear(const Twine &name, Value x, Value weight,
                           Value bias) {
  return vit::LinearOp::create(builder, named(name), x, weight, bias);
}

Value ModelBuilder::activate(Value x, vit::Activation function) {
  if (function == vit::Activation::None)
    return x;
  return vit::ActivationOp::create(builder,
                                   named(vit::layerName(x.getLoc()) + "." +
                                         vit::stringifyActivation(function)),
                                   x.getType(), x, function);
}

Value ModelBuilder::add(const Twine &name, Value x, Value y) {
  // Where a block halves a map of an odd size, its shortcut may round down and
  // its convolution up; the model's own library cannot run it either.
  if (x.getType() != y.getType()) {
    auto text = [](Value value) {
      std::string result;
      for (int64_t extent : shapeOf(value))
        result += (result.empty() ? "" : " x ") + std::to_string(extent);
      return result;
    };
    fail(userError(places.image, name + " adds " + text(y) + " numbers to " +
                                     text(x) +
                                     ": a map before it has an odd size"));
    return x;
  }
  return vit::AddOp::create(builder, named(name), x, y);
}

Value ModelBuilder::scaleChannels(const Twine &name, Value x, Value gain) {
  return vit::AffineOp::create(builder, named(name), x.getType(), x, gain,
                               /*shift=*/Value());
}

Value ModelBuilder::layerScale(const Twine &name, Value x) {
  return scaleChannels(name, x, parameter(name, {shapeOf(x).back()}));
}

Value ModelBuilder::gate(const Twine &name, Value x, Value gate,
                         vit::Activation activation) {
  return vit::GateOp::create(builder, named(name), x.getType(), x, gate,
                             activation);
}

Value ModelBuilder::mlp(const Twine &name, const Twine &up, const Twine &down,
                        Value x, int64_t hidden, vit::Activation activation,
                        bool bias) {
  int64_t channels = shapeOf(x).back();
  Value upWeight = parameter(up + ".weight", {hidden, channels});
  Value upBias = bias ? parameter(up + ".bias", {hidden}) : Value();
  Value downWeight = parameter(down + ".weight", {channels, hidden});
  Value downBias = bias ? parameter(down + ".bias", {channels}) : Value();
  return vit::MlpOp::create(builder, named(name), x, upWeight, upBias,
                            downWeight, downBias, activation);
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

Projections ModelBuilder::projections(const BlockNames &names,
                                      const BlockShape &shape, Value x,
                                      int64_t width) {
  return {linear(names.query, x, width, shape.queryBias),
          linear(names.key, x, width, shape.keyBias),
          linear(names.value, x, width, shape.valueBias)};
}

/// One of the layers of `width` outputs that stand in one weight.
static Value packedPart(ModelBuilder &model, const Twine &name, Value x,
                        Value weight, Value bias, int64_t index,
                        int64_t width) {
  Value partBias = bias ? model.slice(bias, 0, index * width, width) : Value();
  return model.linear(name, x, model.slice(weight, 0, index * width, width),
                      partBias);
}

Projections ModelBuilder::packedProjections(const Twine &nameTwine, Value x,
                                            int64_t width, Value bias) {
  std::string name = nameTwine.str();
  Value weight = parameter(name + ".weight", {3 * width, shapeOf(x).back()});
  return {packedPart(*this, name + ".query", x, weight, bias, 0, width),
          packedPart(*this, name + ".key", x, weight, bias, 1, width),
          packedPart(*this, name + ".value", x, weight, bias, 2, width)};
}

Value ModelBuilder::rotate(const Twine &name, Value x, Value cos, Value sin,
                           int64_t heads, vit::RotaryPairing pairing) {
  return vit::RotateOp::create(builder, named(name), x.getType(), x, cos, sin,
                               heads, pairing);
}

ModelBuilder::AttentionResult
ModelBuilder::attention(const Twine &name, const Projections &projections,
                        const AttentionShape &shape) {
  ArrayRef<int64_t> query = shapeOf(projections.query),
                    key = shapeOf(projections.key);
  double scale = shape.scale ? shape.scale
                             : 1.0 / std::sqrt(double(query[2] / shape.heads));
  auto op = vit::AttentionOp::create(
      builder, named(name), tensorType({key[0], query[1], query[2]}),
      tensorType({key[0], shape.heads, query[1], key[1]}), projections.query,
      projections.key, projections.value, shape.heads, APFloat(scale),
      shape.bias, shape.mask);
  return {op.getResult(), op.getProbabilities()};
}

/// The MLP of a block: up, activation, down; or down(up · gate).
static Value blockMlp(ModelBuilder &model, const BlockNames &names,
                      const BlockShape &shape, Value x) {
  if (names.mlpGate.empty() && !shape.packedGate)
    return model.mlp(names.block + ".mlp", names.mlpUp, names.mlpDown, x,
                     shape.hidden, shape.activation, shape.mlpBias);
  int64_t channels = ModelBuilder::shapeOf(x).back(), hidden = shape.hidden;
  Value up, gate;
  if (shape.packedGate) {
    Value weight =
        model.parameter(names.mlpUp + ".weight", {2 * hidden, channels});
    Value bias = shape.mlpBias
                     ? model.parameter(names.mlpUp + ".bias", {2 * hidden})
                     : Value();
    gate = packedPart(model, names.mlpUp + ".gate", x, weight, bias, 0, hidden);
    up = packedPart(model, names.mlpUp + ".up", x, weight, bias, 1, hidden);
  } else {
    gate = model.linear(names.mlpGate, x, hidden, shape.mlpBias);
    up = model.linear(names.mlpUp, x, hidden, shape.mlpBias);
  }
  Value gated =
      model.gate(names.block + ".mlp.gated", up, gate, shape.activation);
  return model.linear(names.mlpDown, gated, channels, shape.mlpBias);
}

ModelBuilder::AttentionResult
ModelBuilder::encoderBlock(const BlockNames &names, const BlockShape &shape,
                           Value x) {
  int64_t channels = shapeOf(x)[2];
  Value normed = layerNorm(names.normBeforeAttention, x, shape.eps);
  Projections projected = projections(names, shape, normed, channels);
  if (shape.cos) {
    projected.query =
        rotate(names.query + ".rotated", projected.query, shape.cos, shape.sin,
               shape.heads, vit::RotaryPairing::Halves);
    projected.key = rotate(names.key + ".rotated", projected.key, shape.cos,
                           shape.sin, shape.heads, vit::RotaryPairing::Halves);
  }
  AttentionResult attended =
      attention(names.block + ".attention", projected,
                {shape.heads, /*scale=*/0, shape.attentionBias});
  Value branch = linear(names.attentionOutput, attended.sequence, channels,
                        shape.outputBias);
  if (!names.attentionScale.empty())
    branch = layerScale(names.attentionScale, branch);
  x = add(names.block + ".attention.residual", branch, x);

  branch = blockMlp(*this, names, shape,
                    layerNorm(names.normBeforeMlp, x, shape.eps));
  if (!names.mlpScale.empty())
    branch = layerScale(names.mlpScale, branch);
  x = add(names.block + ".mlp.residual", branch, x);
  return {x, attended.probabilities};
}

//===----------------------------------------------------------------------===//
// Heads and outputs
//===----------------------------------------------------------------------===//

Value ModelBuilder::head(const Twine &name, Value pooled, int64_t outputs,
                         vit::Activation activation, bool bias) {
  Value weight = parameter(name + ".weight", {outputs, shapeOf(pooled)[1]});
  Value biasValue = bias ? parameter(name + ".bias", {outputs}) : Value();
  return vit::HeadOp::create(builder, named(name),
                             tensorType({shapeOf(pooled)[0], outputs}), pooled,
                             weight, biasValue, activation);
}

Value ModelBuilder::pool(const Twine &name, Value sequence, vit::PoolKind kind,
                         int64_t first) {
  ArrayRef<int64_t> shape = shapeOf(sequence);
  return vit::PoolOp::create(builder, named(name),
                             tensorType({shape[0], shape[2]}), sequence, kind,
                             first);
}

Value ModelBuilder::softmax(const Twine &name, Value x) {
  return vit::SoftmaxOp::create(builder, named(name), x);
}

Value ModelBuilder::stack(const Twine &name, ArrayRef<Value> layers) {
  SmallVector<int64_t> shape(shapeOf(layers.front()));
  shape.insert(shape.begin() + 1, layers.size());
  return vit::StackOp::create(builder, named(name), tensorType(shape), layers);
}
