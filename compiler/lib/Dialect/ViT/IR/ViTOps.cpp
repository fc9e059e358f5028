// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Dialect/ViT/IR/ViT.h"

#include "Verify.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/SetVector.h"

#include <cmath>

using namespace mlir;
using namespace vitc::vit;

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

void ParameterOp::build(OpBuilder &builder, OperationState &state,
                        StringRef name, RankedTensorType type) {
  state.addAttribute(getSymNameAttrName(state.name),
                     builder.getStringAttr(name));
  state.addAttribute(getTypeAttrName(state.name), TypeAttr::get(type));
  state.addRegion();
}

LogicalResult ParameterOp::verifyRegions() {
  if (!isDerived())
    return success();
  auto yield = dyn_cast_or_null<YieldOp>(getBody().front().getTerminator());
  if (!yield || yield.getValue().getType() != getType()) // parameter_c1
    return emitOpError() << "body must end in a vit.yield of " << getType();
  return success();
}

/// The parameters that a derived parameter reads, as far as they exist.
static SmallVector<ParameterOp>
parametersReadBy(ParameterOp parameter, SymbolTableCollection &symbols) {
  SmallVector<ParameterOp> result;
  parameter.getBody().walk([&](GetOp get) {
    if (auto read = symbols.lookupNearestSymbolFrom<ParameterOp>(
            get, get.getParameterAttr()))
      result.push_back(read);
  });
  return result;
}

LogicalResult ParameterOp::verifySymbolUses(SymbolTableCollection &symbols) {
  SetVector<Operation *> needed;
  auto need = [&](ParameterOp parameter) {
    for (ParameterOp read : parametersReadBy(parameter, symbols))
      needed.insert(read);
  };
  need(*this);
  for (size_t i = 0; i < needed.size(); ++i) {
    if (needed[i] == *this) // parameter_c2
      return emitOpError("is computed from itself");
    need(cast<ParameterOp>(needed[i]));
  }
  return success();
}

LogicalResult GetOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto parameter =
      symbols.lookupNearestSymbolFrom<ParameterOp>(*this, getParameterAttr());
  if (!parameter) // get_c1
    return emitOpError() << "no vit.parameter named " << getParameterAttr();
  if (parameter.getType() != getType()) // get_c2
    return emitOpError() << "result is " << getType() << ", but "
                         << getParameterAttr() << " is " << parameter.getType();
  return success();
}

//===----------------------------------------------------------------------===//
// Embedding
//===----------------------------------------------------------------------===//

LogicalResult PatchEmbedOp::verify() {
  auto image = shapeOf(getImage()), weight = shapeOf(getWeight());
  if (image[1] != weight[1]) // patch_embed_c1
    return emitOpError() << "image has " << image[1]
                         << " channels, weight takes " << weight[1];
  int64_t patches = (image[2] / weight[2]) * (image[3] / weight[3]);
  if (failed(expectShape(*this, "result", getTokens(),
                         {image[0], patches, weight[0]}))) // patch_embed_c2
    return failure();
  if (failed(
          expectShape(*this, "bias", getBias(), {weight[0]}))) // patch_embed_c3
    return failure();
  return expectShape(*this, "position", getPosition(),
                     {1, patches, weight[0]}); // patch_embed_c4
}

LogicalResult ConcatTokensOp::verify() {
  auto tokens = shapeOf(getTokens()), sequence = shapeOf(getSequence());
  if (failed(expectShape(*this, "tokens", getTokens(),
                         {1, tokens[1], sequence[2]}))) // concat_tokens_c1
    return failure();
  return expectShape(
      *this, "result", getResult(),
      {sequence[0], tokens[1] + sequence[1], sequence[2]}); // concat_tokens_c2
}

LogicalResult ResizePositionOp::verify() {
  if (!isGrid(getFrom()) || !isGrid(getTo())) // resize_position_c1
    return emitOpError()
           << "from " << words(getFrom()) << " to " << words(getTo())
           << " must each be rows and columns, one or more of each";
  auto table = shapeOf(getTable());
  int64_t prefix = getPrefix();
  if (prefix < 0 || prefix >= table[1])
    return emitOpError() << "prefix " << prefix << " leaves no patches of "
                         << table[1] << " tokens";
  if (failed(expectShape(*this, "table", getTable(),
                         {1, prefix + getFrom()[0] * getFrom()[1],
                          table[2]}))) // resize_position_c2
    return failure();
  if (auto factors = getFactors();
      factors && (factors->size() != 2 || !llvm::all_of(*factors, [](double f) {
                    return std::isfinite(f) && f > 0;
                  }))) // resize_position_c4
    return emitOpError("factors must be two positive numbers");
  return expectShape(
      *this, "result", getResult(),
      {1, prefix + getTo()[0] * getTo()[1], table[2]}); // resize_position_c3
}

LogicalResult AddPositionOp::verify() {
  auto sequence = shapeOf(getSequence());
  return expectShape(*this, "position", getPosition(),
                     {1, sequence[1], sequence[2]}); // add_position_c1
}

//===----------------------------------------------------------------------===//
// Encoder
//===----------------------------------------------------------------------===//

LogicalResult LayerNormOp::verify() {
  if (getBias() && !getGain()) // layer_norm_c3
    return emitOpError("a bias needs a gain");
  if (int64_t groups = getGroups();
      groups < 1 || lastDim(getInput()) % groups) // layer_norm_c4
    return emitOpError() << lastDim(getInput())
                         << " channels cannot be split into " << groups
                         << " groups";
  if (failed(expectShape(*this, "gain", getGain(),
                         {lastDim(getInput())})) || // layer_norm_c1
      failed(expectShape(*this, "bias", getBias(), {lastDim(getInput())})))
    return failure();
  if (double eps = getEps().convertToDouble();
      !std::isfinite(eps) || eps < 0) // layer_norm_c2
    return emitOpError() << "eps " << eps << " must be finite and not negative";
  return success();
}

void LinearOp::build(OpBuilder &builder, OperationState &state, Value input,
                     Value weight, Value bias) {
  auto type = cast<RankedTensorType>(input.getType())
                  .clone(withLastDim(shapeOf(input), shapeOf(weight)[0]));
  build(builder, state, type, input, weight, bias, /*residual=*/Value(),
        Activation::None);
}

LogicalResult LinearOp::verify() {
  auto weight = shapeOf(getWeight());
  if (lastDim(getInput()) != weight[1]) // linear_c1
    return emitOpError() << "input has " << lastDim(getInput())
                         << " channels, weight takes " << weight[1];
  if (failed(expectShape(
          *this, "result", getResult(),
          withLastDim(shapeOf(getInput()), weight[0])))) // linear_c2
    return failure();
  if (failed(expectShape(*this, "bias", getBias(), {weight[0]}))) // linear_c3
    return failure();
  if (failed(expectShape(*this, "residual", getResidual(),
                         shapeOf(getResult())))) // linear_c4
    return failure();
  auto elementOf = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getElementType();
  };
  Format input = *formatOf(elementOf(getInput())),
         stored = *formatOf(elementOf(getWeight()));
  bool fits = input == Format::F32 ? !isRowFormat(stored)
              : input == Format::Bf16
                  ? stored == Format::Bf16
                  : isRowFormat(input) && stored == Format::I8Rows;
  if (!fits) // linear_c5
    return emitOpError() << "no product takes an input of "
                         << elementOf(getInput()) << " and weights of "
                         << elementOf(getWeight());
  return success();
}

LogicalResult QuantizeOp::verify() {
  return expectShape(*this, "result", getResult(),
                     shapeOf(getInput())); // quantize_c1
}

void AttentionOp::build(OpBuilder &builder, OperationState &state, Type result,
                        Type probabilities, Value query, Value key, Value value,
                        int64_t heads, llvm::APFloat scale, Value bias,
                        Value mask) {
  build(builder, state, result, probabilities, query, key, value, bias, mask,
        heads, scale);
}

LogicalResult AttentionOp::verify() {
  auto query = shapeOf(getQuery()), key = shapeOf(getKey());
  int64_t images = key[0], queries = query[1], keys = key[1],
          channels = query[2], heads = getHeads();
  if (query[0] != images && query[0] != 1) // attention_c7
    return emitOpError() << "there are queries for " << query[0]
                         << " images and keys for " << images;
  if (failed(expectShape(*this, "key", getKey(),
                         {images, keys, channels})) || // attention_c1
      failed(expectShape(*this, "value", getValue(), key)) ||
      failed(expectShape(*this, "result", getResult(),
                         {images, queries, channels})))
    return failure();
  if (heads < 1 || channels % heads) // attention_c2
    return emitOpError() << channels << " channels cannot be split into "
                         << heads << " heads";
  if (failed(expectShape(*this, "probabilities", getProbabilities(),
                         {images, heads, queries, keys}))) // attention_c3
    return failure();
  if (double scale = getScale().convertToDouble();
      !std::isfinite(scale)) // attention_c4
    return emitOpError() << "scale " << scale << " must be finite";
  if (failed(expectShape(*this, "bias", getBias(),
                         {heads, queries, keys}))) // attention_c5
    return failure();
  if (!getMask())
    return success();
  int64_t masks = shapeOf(getMask())[0];
  if (images % masks) // attention_c6
    return emitOpError() << images << " images cannot share " << masks
                         << " masks";
  return expectShape(*this, "mask", getMask(), {masks, queries, keys});
}

LogicalResult RotateOp::verify() {
  auto input = shapeOf(getInput()), cos = shapeOf(getCos());
  int64_t heads = getHeads();
  if (heads < 1 || input[2] % (2 * heads)) // rotate_c1
    return emitOpError() << input[2] << " channels cannot be split into "
                         << heads << " heads of an even number each";
  if (cos[0] != 1 && cos[0] != heads) // rotate_c2
    return emitOpError() << "there are " << cos[0] << " tables for " << heads
                         << " heads";
  SmallVector<int64_t> table = {cos[0], input[1], input[2] / heads};
  if (failed(expectShape(*this, "cos", getCos(), table)))
    return failure();
  return expectShape(*this, "sin", getSin(), table);
}

LogicalResult AffineOp::verify() {
  if (failed(expectShape(*this, "scale", getScale(),
                         {lastDim(getInput())}))) // affine_c1
    return failure();
  return expectShape(*this, "shift", getShift(), {lastDim(getInput())});
}

LogicalResult GateOp::verify() {
  auto input = shapeOf(getInput());
  if (input.size() == 3 && shapeOf(getGate()).size() == 2) // gate_c1
    return expectShape(*this, "gate", getGate(), {input[0], input[2]});
  return expectShape(*this, "gate", getGate(), input);
}

LogicalResult SingleQueryAttentionOp::verify() {
  auto sequence = shapeOf(getSequence()), key = shapeOf(getKey());
  if (failed(expectShape(*this, "query", getQuery(),
                         {sequence[0], key[0]})) || // single_query_attention_c1
      failed(expectShape(*this, "key", getKey(),
                         {key[0], sequence[2]})) || // single_query_attention_c2
      failed(expectShape(*this, "value", getValue(), {key[0], sequence[2]})))
    return failure();
  if (int64_t(getHeads()) < 1 ||
      key[0] % int64_t(getHeads())) // single_query_attention_c3
    return emitOpError() << key[0] << " channels cannot be split into "
                         << int64_t(getHeads()) << " heads";
  if (getKey().getType() != getValue().getType()) // single_query_attention_c5
    return emitOpError() << "key is " << getKey().getType() << ", value "
                         << getValue().getType();
  return expectShape(*this, "result", getResult(),
                     shapeOf(getQuery())); // single_query_attention_c4
}

LogicalResult MlpOp::verify() {
  int64_t channels = lastDim(getInput()), hidden = shapeOf(getUp())[0];
  if (failed(expectShape(*this, "up", getUp(), {hidden, channels})) || // mlp_c1
      failed(expectShape(*this, "down", getDown(), {channels, hidden})))
    return failure();
  if (failed(expectShape(*this, "up bias", getUpBias(), {hidden}))) // mlp_c2
    return failure();
  return expectShape(*this, "down bias", getDownBias(), {channels});
}

//===----------------------------------------------------------------------===//
// Pooling, heads, outputs
//===----------------------------------------------------------------------===//

LogicalResult PoolOp::verify() {
  auto sequence = shapeOf(getSequence());
  int64_t first = getFirst();
  if (first < 0 || first >= sequence[1]) // pool_c1
    return emitOpError() << "first token " << first << " is not one of "
                         << sequence[1];
  return expectShape(*this, "result", getResult(),
                     {sequence[0], sequence[2]}); // pool_c2
}

LogicalResult HeadOp::verify() {
  int64_t outputs = shapeOf(getWeight())[0];
  if (failed(expectShape(*this, "weight", getWeight(),
                         {outputs, lastDim(getPooled())}))) // head_c1
    return failure();
  if (failed(expectShape(*this, "bias", getBias(), {outputs}))) // head_c2
    return failure();
  return expectShape(*this, "result", getResult(),
                     {shapeOf(getPooled())[0], outputs}); // head_c3
}

LogicalResult StackOp::verify() {
  if (getInputs().empty() ||
      !llvm::all_equal(getInputs().getTypes())) // stack_c1
    return emitOpError("needs one or more inputs of one type");
  SmallVector<int64_t> shape(shapeOf(getInputs().front()));
  shape.insert(shape.begin() + 1, getInputs().size());
  return expectShape(*this, "result", getResult(), shape); // stack_c2
}

//===----------------------------------------------------------------------===//
// Shape
//===----------------------------------------------------------------------===//

LogicalResult ConcatOp::verify() {
  int64_t dimension = getDimension();
  if (getInputs().empty())
    return emitOpError("needs one or more inputs");
  if (dimension < 0 ||
      dimension >= int64_t(shapeOf(getInputs().front()).size())) // concat_c1
    return emitOpError() << "dimension " << dimension
                         << " is not one of the inputs' "
                         << shapeOf(getInputs().front()).size();
  SmallVector<int64_t> shape(shapeOf(getInputs().front()));
  shape[dimension] = 0;
  for (Value input : getInputs()) {
    if (shapeOf(input).size() != shape.size()) // concat_c2
      return emitOpError() << "inputs have " << shape.size() << " and "
                           << shapeOf(input).size() << " dimensions";
    SmallVector<int64_t> expected(shape);
    expected[dimension] = shapeOf(input)[dimension];
    if (failed(expectShape(*this, "input", input, expected)))
      return failure();
  }
  for (Value input : getInputs())
    shape[dimension] += shapeOf(input)[dimension];
  return expectShape(*this, "result", getResult(), shape); // concat_c3
}

LogicalResult SliceOp::verify() {
  auto input = shapeOf(getInput()), result = shapeOf(getResult());
  int64_t dimension = getDimension(), offset = getOffset();
  if (dimension < 0 || dimension >= int64_t(input.size())) // slice_c1
    return emitOpError() << "dimension " << dimension
                         << " is not one of the input's " << input.size();
  if (result.size() != input.size())
    return emitOpError() << "result has " << result.size()
                         << " dimensions, the input " << input.size();
  if (offset < 0 || offset > input[dimension] - result[dimension]) // slice_c2
    return emitOpError() << result[dimension] << " elements from " << offset
                         << " on exceed the input's " << input[dimension];
  SmallVector<int64_t> expected(input);
  expected[dimension] = result[dimension];
  return expectShape(*this, "result", getResult(), expected); // slice_c3
}

LogicalResult ReshapeOp::verify() {
  if (getInput().getType().getNumElements() !=
      getResult().getType().getNumElements()) // reshape_c1
    return emitOpError() << words(shapeOf(getInput())) << " has not as many "
                         << "elements as " << words(shapeOf(getResult()));
  return success();
}

LogicalResult TransposeOp::verify() {
  auto input = shapeOf(getInput());
  SmallVector<int64_t> sorted(getOrder()), expected;
  llvm::sort(sorted);
  if (sorted != llvm::to_vector(llvm::seq<int64_t>(0, input.size())))
    return emitOpError() << "order " << words(getOrder()) // transpose_c1
                         << " does not have each of the input's "
                         << input.size() << " dimensions once";
  for (int64_t dimension : getOrder())
    expected.push_back(input[dimension]);
  return expectShape(*this, "result", getResult(), expected); // transpose_c2
}

//===----------------------------------------------------------------------===//
// Arithmetic on parameters
//===----------------------------------------------------------------------===//

LogicalResult ConstantOp::verify() {
  auto type = cast<RankedTensorType>(getValues().getShapedType());
  if (type.getShape() != shapeOf(getResult()) ||
      !type.getElementType().isF64()) // constant_c1
    return emitOpError() << "values are " << type << ", expected "
                         << RankedTensorType::get(
                                shapeOf(getResult()),
                                Float64Type::get(getContext()));
  return success();
}

LogicalResult ScaleRowsOp::verify() {
  return expectShape(*this, "factors", getFactors(),
                     {shapeOf(getTensor())[0]}); // scale_rows_c1
}

LogicalResult ScaleColumnsOp::verify() {
  return expectShape(*this, "factors", getFactors(),
                     {lastDim(getTensor())}); // scale_columns_c1
}
