#include "vitc/Frontend/ModelBuilder.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

#include <cmath>

using namespace mlir;
using namespace vitc;

static RankedTensorType tensorType(MLIRContext *context,
                                   ArrayRef<int64_t> shape) {
  return RankedTensorType::get(shape, Float32Type::get(context));
}

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

ModelBuilder::ModelBuilder(MLIRContext *context, const Checkpoint *checkpoint,
                           ArrayRef<int64_t> imageShape)
    : module(ModuleOp::create(UnknownLoc::get(context))), builder(context),
      checkpoint(checkpoint) {
  builder.setInsertionPointToEnd(module->getBody());
  function = func::FuncOp::create(
      builder, named("forward"), vit::forwardName,
      builder.getFunctionType({tensorType(context, imageShape)}, {}));
  builder.setInsertionPointToStart(function.addEntryBlock());
}

Location ModelBuilder::named(const Twine &name) {
  return NameLoc::get(builder.getStringAttr(name));
}

void ModelBuilder::fail(llvm::Error error) {
  std::string message = llvm::toString(std::move(error));
  if (firstError.empty())
    firstError = message;
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

bool ModelBuilder::hasTensor(StringRef name) const {
  return !checkpoint || checkpoint->find(name);
}

Value ModelBuilder::parameter(const Twine &nameTwine, ArrayRef<int64_t> shape) {
  std::string name = nameTwine.str();
  if (Value known = parameters.lookup(name))
    return known;

  auto type = tensorType(builder.getContext(), shape);
  Location location = named(name);
  if (checkpoint) {
    llvm::Expected<const TensorInfo *> tensor = checkpoint->get(name, shape);
    if (tensor)
      location = NameLoc::get(
          builder.getStringAttr(name),
          FileLineColLoc::get(builder.getStringAttr((*tensor)->place), 0, 0));
    else
      fail(tensor.takeError());
  }
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(function);
  vit::ParameterOp::create(builder, location, name, type);
  // Reads stand at the top of the function, so that a parameter read twice is
  // one value.
  builder.setInsertionPointToStart(&function.getBody().front());
  return parameters[name] = vit::GetOp::create(builder, location, type, name);
}

//===----------------------------------------------------------------------===//
// Layers
//===----------------------------------------------------------------------===//

Value ModelBuilder::patchEmbed(const Twine &name, int64_t width,
                               int64_t patchHeight, int64_t patchWidth,
                               bool bias) {
  ArrayRef<int64_t> picture = shapeOf(image());
  Value weight =
      parameter(name + ".weight", {width, picture[1], patchHeight, patchWidth});
  Value biasValue = bias ? parameter(name + ".bias", {width}) : Value();
  int64_t patches = (picture[2] / patchHeight) * (picture[3] / patchWidth);
  return vit::PatchEmbedOp::create(
      builder, named(name),
      tensorType(builder.getContext(), {picture[0], patches, width}), image(),
      weight, biasValue, /*position=*/Value());
}

Value ModelBuilder::concatTokens(StringRef name, Value tokens, Value sequence) {
  SmallVector<int64_t> shape(shapeOf(sequence));
  shape[1] += shapeOf(tokens)[1];
  return vit::ConcatTokensOp::create(builder, named(name + ".concat"),
                                     tensorType(builder.getContext(), shape),
                                     tokens, sequence);
}

Value ModelBuilder::addPosition(StringRef name, Value sequence, int64_t prefix,
                                std::pair<int64_t, int64_t> tableGrid,
                                std::pair<int64_t, int64_t> imageGrid) {
  int64_t channels = shapeOf(sequence)[2];
  Value table = parameter(
      name, {1, prefix + tableGrid.first * tableGrid.second, channels});
  if (tableGrid != imageGrid)
    table = vit::ResizePositionOp::create(
        builder, named(name + ".resized"),
        tensorType(builder.getContext(), {1, shapeOf(sequence)[1], channels}),
        table, ArrayRef<int64_t>{tableGrid.first, tableGrid.second},
        ArrayRef<int64_t>{imageGrid.first, imageGrid.second}, prefix);
  return vit::AddPositionOp::create(builder, named(name + ".add"), sequence,
                                    table);
}

Value ModelBuilder::layerNorm(const Twine &name, Value x, double eps) {
  int64_t channels = shapeOf(x).back();
  Value gain = parameter(name + ".weight", {channels}),
        bias = parameter(name + ".bias", {channels});
  return vit::LayerNormOp::create(builder, named(name), x, gain, bias,
                                  APFloat(eps));
}

Value ModelBuilder::linear(const Twine &name, Value x, int64_t outputs,
                           bool bias) {
  Value weight = parameter(name + ".weight", {outputs, shapeOf(x).back()});
  Value biasValue = bias ? parameter(name + ".bias", {outputs}) : Value();
  return vit::LinearOp::create(builder, named(name), x, weight, biasValue);
}

Value ModelBuilder::head(const Twine &name, Value pooled, int64_t outputs,
                         vit::Activation activation) {
  Value weight = parameter(name + ".weight", {outputs, shapeOf(pooled)[1]}),
        bias = parameter(name + ".bias", {outputs});
  return vit::HeadOp::create(
      builder, named(name),
      tensorType(builder.getContext(), {shapeOf(pooled)[0], outputs}), pooled,
      weight, bias, activation);
}

Value ModelBuilder::pool(const Twine &name, Value sequence, vit::PoolKind kind,
                         int64_t first) {
  ArrayRef<int64_t> shape = shapeOf(sequence);
  return vit::PoolOp::create(
      builder, named(name),
      tensorType(builder.getContext(), {shape[0], shape[2]}), sequence, kind,
      first);
}

Value ModelBuilder::softmax(const Twine &name, Value x) {
  return vit::SoftmaxOp::create(builder, named(name), x);
}

Value ModelBuilder::stack(const Twine &name, ArrayRef<Value> layers) {
  SmallVector<int64_t> shape(shapeOf(layers.front()));
  shape.insert(shape.begin() + 1, layers.size());
  return vit::StackOp::create(builder, named(name),
                              tensorType(builder.getContext(), shape), layers);
}

ModelBuilder::BlockResult ModelBuilder::encoderBlock(const BlockNames &names,
                                                     const BlockShape &shape,
                                                     Value x) {
  int64_t channels = shapeOf(x)[2];
  Value normed = layerNorm(names.normBeforeAttention, x, shape.eps);
  Value query = linear(names.query, normed, channels, shape.qkvBias);
  Value key = linear(names.key, normed, channels, shape.qkvBias);
  Value value = linear(names.value, normed, channels, shape.qkvBias);
  double scale = 1.0 / std::sqrt(double(channels / shape.heads));
  auto mapsType =
      tensorType(builder.getContext(),
                 {shapeOf(x)[0], shape.heads, shapeOf(x)[1], shapeOf(x)[1]});
  auto attention = vit::AttentionOp::create(
      builder, named(names.block + ".attention"), x.getType(), mapsType, query,
      key, value, shape.heads, APFloat(scale));
  Value attended = linear(names.attentionOutput, attention.getResult(),
                          channels, /*bias=*/true);
  x = vit::AddOp::create(builder, named(names.block + ".attention.residual"),
                         attended, x);

  Value normedAgain = layerNorm(names.normBeforeMlp, x, shape.eps);
  Value up = parameter(names.mlpUp + ".weight", {shape.hidden, channels});
  Value upBias = parameter(names.mlpUp + ".bias", {shape.hidden});
  Value down = parameter(names.mlpDown + ".weight", {channels, shape.hidden});
  Value downBias = parameter(names.mlpDown + ".bias", {channels});
  Value mlp =
      vit::MlpOp::create(builder, named(names.block + ".mlp"), normedAgain, up,
                         upBias, down, downBias, shape.activation);
  x = vit::AddOp::create(builder, named(names.block + ".mlp.residual"), mlp, x);
  return {x, attention.getProbabilities()};
}

//===----------------------------------------------------------------------===//
// The end of the import
//===----------------------------------------------------------------------===//

llvm::Error ModelBuilder::checkForExtraTensors(
    llvm::function_ref<bool(StringRef)> mayIgnore) {
  if (!checkpoint)
    return llvm::Error::success();
  SmallVector<StringRef> known;
  for (auto &entry : parameters)
    known.push_back(entry.getKey());
  llvm::sort(known);
  for (const TensorInfo &tensor : checkpoint->tensors()) {
    if (parameters.contains(tensor.name) || mayIgnore(tensor.name))
      continue;
    std::string message = "tensor " + tensor.name +
                          " does not belong to a model of this configuration";
    if (StringRef nearest = nearestName(tensor.name, known); !nearest.empty())
      message += " (the nearest name that does is " + nearest.str() + ")";
    return userError(tensor.place, message);
  }
  return llvm::Error::success();
}

/// An attention whose maps nobody reads does without them.
static void dropUnusedMaps(vit::AttentionOp op) {
  if (!op.getProbabilities() || !op.getProbabilities().use_empty())
    return;
  OpBuilder builder(op);
  auto plain = vit::AttentionOp::create(
      builder, op.getLoc(), op.getResult().getType(), Type(), op.getQuery(),
      op.getKey(), op.getValue(), op.getHeads(), op.getScale());
  op.getResult().replaceAllUsesWith(plain.getResult());
  op.erase();
}

llvm::Expected<OwningOpRef<ModuleOp>>
ModelBuilder::finish(ArrayRef<std::string> outputs, StringRef fallback,
                     llvm::function_ref<bool(StringRef)> mayIgnore) {
  if (!firstError.empty())
    return userError(firstError);
  if (llvm::Error error = checkForExtraTensors(mayIgnore))
    return error;

  SmallVector<std::string> wanted(outputs);
  if (wanted.empty())
    wanted.push_back(fallback.str());
  SmallVector<Value> results;
  SmallVector<DictionaryAttr> names;
  llvm::StringSet<> seen;
  for (const std::string &name : wanted) {
    Value value = available.lookup(name);
    if (!value) {
      auto known =
          llvm::map_range(available, [](auto &entry) { return entry.first; });
      return userError("--output " + name +
                       ": the model has no such output; it has " +
                       llvm::join(known, ", "));
    }
    if (!seen.insert(name).second)
      return userError("--output " + name + " is given twice");
    results.push_back(value);
    names.push_back(builder.getDictionaryAttr(builder.getNamedAttr(
        vit::outputAttrName, builder.getStringAttr(name))));
  }
  func::ReturnOp::create(builder, function.getLoc(), results);
  function.setType(builder.getFunctionType(function.getArgumentTypes(),
                                           ValueRange(results).getTypes()));
  function.setAllResultAttrs(names);

  // What is not asked for is not computed.
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(function.getBody().front()))) {
    if (op.use_empty() && !isa<func::ReturnOp>(op))
      op.erase();
    else if (auto attention = dyn_cast<vit::AttentionOp>(op))
      dropUnusedMaps(attention);
  }
  llvm::StringSet<> read;
  function.walk([&](vit::GetOp get) { read.insert(get.getParameter()); });
  for (auto parameter :
       llvm::make_early_inc_range(module->getOps<vit::ParameterOp>()))
    if (!read.contains(parameter.getSymName()))
      parameter.erase();
  return std::move(module);
}
