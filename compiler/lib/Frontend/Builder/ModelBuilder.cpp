// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Frontend/Builder/ModelBuilder.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace vitc;

RankedTensorType ModelBuilder::tensorType(ArrayRef<int64_t> shape) {
  return RankedTensorType::get(shape, builder.getF32Type());
}

ModelBuilder::ModelBuilder(MLIRContext *context, const Checkpoint *checkpoint,
                           ArrayRef<int64_t> imageShape, SizePlaces places)
    : module(ModuleOp::create(UnknownLoc::get(context))), builder(context),
      checkpoint(checkpoint), places(std::move(places)) {
  builder.setInsertionPointToEnd(module->getBody());
  function = func::FuncOp::create(
      builder, named("forward"), vit::forwardName,
      builder.getFunctionType({tensorType(imageShape)}, {}));
  builder.setInsertionPointToStart(function.addEntryBlock());
}

Location ModelBuilder::named(const Twine &name) {
  return NameLoc::get(builder.getStringAttr(name));
}

ModelBuilder::~ModelBuilder() {
  // Without finish() there is no model that could be wrong.
  llvm::consumeError(std::move(firstError));
}

void ModelBuilder::fail(llvm::Error error) {
  if (firstError)
    llvm::consumeError(std::move(error));
  else
    firstError = std::move(error);
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

  auto type = tensorType(shape);
  Location location = named(name);
  // Only the first error is told, and the hints of others would cost more than
  // the rest of the import.
  if (checkpoint && !firstError) {
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

llvm::Error ModelBuilder::tooLarge(const std::string &words, StringRef layer,
                                   ArrayRef<int64_t> shape) {
  std::string extents = llvm::join(
      llvm::map_range(shape,
                      [](int64_t extent) { return std::to_string(extent); }),
      " x ");
  if (llvm::is_contained(shape, 0))
    return userError(words, layer + " would be an empty tensor, " + extents);
  return userError(words, layer + " would be a tensor of " + extents +
                              ", expected fewer than 2^40 elements");
}

llvm::Error ModelBuilder::checkSizes() {
  static_assert(vit::maxElements == int64_t(1) << 40);
  for (auto parameter : module->getOps<vit::ParameterOp>())
    if (!vit::isModelTensor(parameter.getTensorType()))
      return tooLarge(places.parameters, parameter.getSymName(),
                      parameter.getTensorType().getShape());
  auto check = [&](Operation &op, ArrayRef<int64_t> shape) {
    return vit::isModelTensor(tensorType(shape))
               ? llvm::Error::success()
               : tooLarge(places.image, vit::layerName(op.getLoc()), shape);
  };
  if (llvm::Error error = check(*function, shapeOf(image())))
    return error;
  for (Operation &op : function.getBody().front()) {
    for (Value result : op.getResults())
      if (llvm::Error error = check(op, shapeOf(result)))
        return error;
    // It is written out later.
    if (auto mlp = dyn_cast<vit::MlpOp>(op)) {
      SmallVector<int64_t> hidden(shapeOf(mlp.getResult()));
      hidden.back() = shapeOf(mlp.getUp())[0];
      if (llvm::Error error = check(op, hidden))
        return error;
    }
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
      op.getKey(), op.getValue(), op.getHeads(), op.getScale(), op.getBias(),
      op.getMask());
  op.getResult().replaceAllUsesWith(plain.getResult());
  op.erase();
}

llvm::Expected<OwningOpRef<ModuleOp>>
ModelBuilder::finish(ArrayRef<std::string> outputs, StringRef fallback,
                     llvm::function_ref<bool(StringRef)> mayIgnore) {
  if (firstError)
    return std::move(firstError);
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
      auto known = llvm::map_range(
          available, [](auto &entry) -> StringRef { return entry.first; });
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
  if (llvm::Error error = checkSizes())
    return error;
  return std::move(module);
}
