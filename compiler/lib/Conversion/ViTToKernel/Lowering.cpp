// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Lowering.h"

#include "vitc/Dialect/Kernel/IR/ElementTypes.h"
#include "vitc/Dialect/ViT/IR/Visit.h"

using namespace mlir;
using namespace vitc;
using namespace vitc::lowering;

Rows lowering::rowsOf(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  auto [strides, offset] = type.getStridesAndOffset();
  assert(type.getRank() == 2 && strides[1] == 1 &&
         "kernels see rows and columns");
  return {type.getDimSize(0), type.getDimSize(1), strides[0], offset};
}

/// The function's type after conversion: the image, then one dense buffer for
/// each output.
static FunctionType convertedType(func::FuncOp source) {
  auto toBuffer = [](Type type) -> Type {
    auto tensor = cast<RankedTensorType>(type);
    return MemRefType::get(tensor.getShape(), tensor.getElementType());
  };
  auto inputs =
      llvm::to_vector(llvm::map_range(source.getArgumentTypes(), toBuffer));
  llvm::append_range(inputs,
                     llvm::map_range(source.getResultTypes(), toBuffer));
  return FunctionType::get(source.getContext(), inputs, {});
}

Lowering::Lowering(ModuleOp module, func::FuncOp source)
    : builder(source), panel(kernel::targetOf(module).getPanel()),
      winograd(kernel::targetOf(module).offers(kernel::Algorithm::Winograd)),
      module(module), source(source), symbols(module) {
  target = func::FuncOp::create(builder, source.getLoc(), source.getName(),
                                convertedType(source));
  for (NamedAttribute attr : source->getDiscardableAttrs())
    target->setAttr(attr.getName(), attr.getValue());
  for (unsigned index = 0; index < source.getNumResults(); ++index)
    target.setArgAttrs(source.getNumArguments() + index,
                       source.getResultAttrDict(index));
  builder.setInsertionPointToStart(target.addEntryBlock());
  for (auto [tensor, buffer] :
       llvm::zip(source.getArguments(), target.getArguments()))
    buffers[tensor] = buffer;
}

LogicalResult Lowering::run() {
  for (Operation &op : source.getBody().front())
    if (failed(lower(&op)) || rejected)
      return failure();
  source.erase();
  return success();
}

LogicalResult Lowering::checkOperands(Operation *op) const {
  auto weighted = dyn_cast<vit::WeightsOpInterface>(op);
  SmallVector<Value> weights =
      weighted ? weighted.getWeights() : SmallVector<Value>();
  for (Value operand : op->getOperands()) {
    bool isParameter = bool(operand.getDefiningOp<vit::GetOp>());
    if (llvm::is_contained(weights, operand)) {
      if (!isParameter)
        return op->emitError("no kernel computes this operation: its weights "
                             "are not parameters");
      continue;
    }
    if (isParameter)
      return op->emitError("no kernel computes this operation: a parameter "
                           "stands in the place of an activation");
    if (isa<BlockArgument>(operand) && !isa<vit::PatchEmbedOp, vit::ConvOp>(op))
      return op->emitError("no kernel computes this operation: the image can "
                           "only be embedded");
    // A stack exists as an output alone; the patches of an embedding may stand
    // in the concatenation's buffer already, and a norm's rows may be written
    // in fewer bits.
    bool isWritten =
        bufferOf(operand) ||
        (isa<vit::ConcatTokensOp, vit::QuantizeOp>(op) &&
         bufferOf(op->getResult(0))) ||
        (isa<func::ReturnOp>(op) && operand.getDefiningOp<vit::StackOp>());
    if (!isWritten)
      return op->emitError(
          "no kernel computes this operation: a stack can only be returned");
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Ops without a kernel of their own
//===----------------------------------------------------------------------===//

static LogicalResult noKernel(Operation *op) {
  return op->emitError("no kernel computes this operation");
}

/// Read where it is used.
LogicalResult lowering::lowerGet(Lowering &, vit::GetOp) { return success(); }
/// Its inputs are written to the output one by one.
LogicalResult lowering::lowerStack(Lowering &, vit::StackOp) {
  return success();
}

#define VITC_WITHOUT_KERNEL(Name)                                              \
  LogicalResult lowering::lower##Name(Lowering &, vit::Name##Op op) {          \
    return noKernel(op);                                                       \
  }
// Composite ops, which vit-decompose writes out.
VITC_WITHOUT_KERNEL(Head)
VITC_WITHOUT_KERNEL(Mlp)
// Ops on parameters, which are computed at compile time.
VITC_WITHOUT_KERNEL(Constant)
VITC_WITHOUT_KERNEL(Exp)
VITC_WITHOUT_KERNEL(Fill)
VITC_WITHOUT_KERNEL(InverseRoot)
VITC_WITHOUT_KERNEL(RelativeBias)
VITC_WITHOUT_KERNEL(ResizePosition)
VITC_WITHOUT_KERNEL(ScaleColumns)
VITC_WITHOUT_KERNEL(ScaleRows)
VITC_WITHOUT_KERNEL(Standardize)
VITC_WITHOUT_KERNEL(WindowMask)
// They are in no function.
VITC_WITHOUT_KERNEL(Parameter)
VITC_WITHOUT_KERNEL(Yield)
#undef VITC_WITHOUT_KERNEL

namespace {

struct OpLowering {
#define VITC_VIT_OP(Name)                                                      \
  LogicalResult operator()(vit::Name##Op op) const {                           \
    return lower##Name(state, op);                                             \
  }
#include "vitc/Dialect/ViT/IR/ViTOpList.h.inc"

  Lowering &state;
};

} // namespace

LogicalResult Lowering::lower(Operation *op) {
  if (failed(checkOperands(op)))
    return failure();
  if (auto result = dyn_cast<func::ReturnOp>(op)) {
    lowerReturn(result);
    return success();
  }
  if (!isa_and_nonnull<vit::ViTDialect>(op->getDialect()))
    return noKernel(op);
  return vit::visit<LogicalResult>(op, OpLowering{*this});
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

void Lowering::setBuffer(Value tensor, Value buffer) {
  buffers[tensor] = buffer;
}

int64_t Lowering::paddedStride(int64_t columns) const {
  int64_t stride = llvm::alignTo(columns, panel);
  constexpr int64_t longRow = 1024, step = 64;
  bool crowded = stride >= longRow && stride % (2 * step) == 0;
  if (crowded)
    return stride + step;
  return winograd && columns >= families::winogradSteps
             ? stride + families::winogradFloats
             : stride;
}

Value Lowering::alloc(Location location, ArrayRef<int64_t> shape,
                      ArrayRef<int64_t> strides, Type elementType) {
  if (!elementType)
    elementType = builder.getF32Type();
  auto layout =
      StridedLayoutAttr::get(builder.getContext(), /*offset=*/0, strides);
  return kernel::AllocOp::create(builder, location,
                                 MemRefType::get(shape, elementType, layout),
                                 IntegerAttr());
}

Value Lowering::allocNarrow(Value tensor, int64_t stride) {
  auto type = cast<RankedTensorType>(tensor.getType());
  Rows shape = rowsOf(type);
  Value buffer = alloc(tensor.getLoc(), {shape.rows, shape.columns},
                       {stride, 1}, vit::storageType(type.getElementType()));
  setBuffer(tensor, buffer);
  return buffer;
}

Value Lowering::allocFor(Value tensor) {
  Rows shape = rowsOf(cast<RankedTensorType>(tensor.getType()));
  Value buffer = alloc(tensor.getLoc(), {shape.rows, shape.columns},
                       {paddedStride(shape.columns), 1});
  setBuffer(tensor, buffer);
  return buffer;
}

Value Lowering::view(Location location, Value buffer, ArrayRef<int64_t> shape,
                     ArrayRef<int64_t> strides, int64_t offset) {
  auto layout = StridedLayoutAttr::get(builder.getContext(), offset, strides);
  Type elementType = cast<MemRefType>(buffer.getType()).getElementType();
  return kernel::ViewOp::create(
      builder, location, MemRefType::get(shape, elementType, layout), buffer);
}

Value Lowering::alignedBufferOf(Value tensor) {
  Value buffer = bufferOf(tensor);
  Rows from = rowsOf(buffer);
  if (from.offset *
          kernel::elementBytes(
              cast<MemRefType>(buffer.getType()).getElementType()) %
          kernel::alignment ==
      0)
    return buffer;
  int64_t stride = paddedStride(from.columns);
  Value copied = alloc(tensor.getLoc(), {from.rows, from.columns}, {stride, 1});
  copy(tensor.getLoc(), buffer, copied, {1, 1, from.rows, from.columns},
       {0, 0, from.stride, 1}, {0, 0, stride, 1});
  return copied;
}

Value Lowering::outputView(Value tensor) {
  if (!tensor.hasOneUse())
    return Value();
  OpOperand &use = *tensor.getUses().begin();
  auto shape = cast<RankedTensorType>(tensor.getType()).getShape();
  // Dense strides of the tensor itself.
  SmallVector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size() - 1; i > 0; --i)
    strides[i - 1] = strides[i] * shape[i];

  if (isa<func::ReturnOp>(use.getOwner())) {
    Value output =
        target.getArgument(source.getNumArguments() + use.getOperandNumber());
    return view(tensor.getLoc(), output, shape, strides, /*offset=*/0);
  }
  auto stack = dyn_cast<vit::StackOp>(use.getOwner());
  if (!stack || !stack->hasOneUse() ||
      !isa<func::ReturnOp>(*stack->getUsers().begin()))
    return Value();
  Value output = target.getArgument(
      source.getNumArguments() + stack->getUses().begin()->getOperandNumber());
  int64_t perLayer = strides[0];
  strides[0] *= stack.getInputs().size();
  return view(tensor.getLoc(), output, shape, strides,
              use.getOperandNumber() * perLayer);
}

bool Lowering::isLastUse(Value tensor, Operation *op) const {
  Value root = kernel::rootBuffer(bufferOf(tensor));
  for (auto [other, buffer] : buffers) {
    if (kernel::rootBuffer(buffer) != root)
      continue;
    for (Operation *user : other.getUsers()) {
      // A stack is written out at the end, whatever its place.
      if (isa<vit::StackOp>(user) || op->isBeforeInBlock(user))
        return false;
    }
  }
  return true;
}

void Lowering::lowerReturn(func::ReturnOp op) {
  auto copyOut = [&](Value tensor, Value output, int64_t layers,
                     int64_t layer) {
    // [rows][columns] of the buffer as [image][row of the image][columns] of
    // the output.
    Rows from = rowsOf(bufferOf(tensor));
    int64_t images = cast<RankedTensorType>(tensor.getType()).getDimSize(0);
    int64_t rows = from.rows / images;
    Value to = view(op.getLoc(), output, {images, rows, from.columns},
                    {layers * rows * from.columns, from.columns, 1},
                    layer * rows * from.columns);
    copy(tensor.getLoc(), bufferOf(tensor), to, {1, images, rows, from.columns},
         {0, rows * from.stride, from.stride, 1},
         {0, layers * rows * from.columns, from.columns, 1});
  };
  for (auto [index, result] : llvm::enumerate(op.getOperands())) {
    Value output = target.getArgument(source.getNumArguments() + index);
    auto stack = result.getDefiningOp<vit::StackOp>();
    SmallVector<Value> parts =
        stack ? llvm::to_vector(stack.getInputs()) : SmallVector<Value>{result};
    for (auto [layer, part] : llvm::enumerate(parts))
      // A tensor whose kernel wrote straight to the output has nothing left to
      // do.
      if (!isa<BlockArgument>(kernel::rootBuffer(bufferOf(part))))
        copyOut(part, output, parts.size(), layer);
  }
  func::ReturnOp::create(builder, op.getLoc());
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

static double bytesOf(ArrayRef<Value> buffers) {
  double bytes = 0;
  for (Value buffer : buffers) {
    auto type = cast<MemRefType>(buffer.getType());
    bytes += double(kernel::elementBytes(type.getElementType()) *
                    type.getNumElements());
  }
  return bytes;
}

void Lowering::reject(Location location, StringRef family,
                      const families::Problem &problem) {
  emitError(location) << "no kernel computes this operation: " << family
                      << " has " << problem.name << ": " << problem.message;
  rejected = true;
}

Value Lowering::allocScratch(Location location,
                             ArrayRef<families::Argument> arguments) {
  for (const families::Argument &argument : arguments)
    if (argument.role == families::Role::Scratch)
      return alloc(location, {argument.elements}, {1});
  return {};
}

void Lowering::call(Location location, const Twine &words,
                    kernel::SpecInterface config, Cost cost,
                    ArrayRef<Value> inputs, ArrayRef<Value> outputs,
                    std::optional<int64_t> branch) {
  // The same config is the same kernel, wherever it is called.
  kernel::SpecOp &spec = specs[config];
  if (!spec) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(target);
    std::string text = words.str();
    spec = kernel::SpecOp::create(
        builder, location,
        builder.getStringAttr(kernel::specName(text, config)), config,
        builder.getStringAttr(text), builder.getF64FloatAttr(cost.flops),
        builder.getF64FloatAttr(bytesOf(inputs) + bytesOf(outputs)));
    symbols.insert(spec);
  }
  kernel::CallOp::create(
      builder, location, FlatSymbolRefAttr::get(spec.getSymNameAttr()), inputs,
      outputs, branch ? builder.getI64IntegerAttr(*branch) : IntegerAttr(),
      /*images=*/IntegerAttr(), levels);
}

void Lowering::add(Location location, Value a, Value b, Value out) {
  Rows shape = rowsOf(out);
  families::AddSpec spec;
  spec.rows = shape.rows;
  spec.cols = shape.columns;
  spec.lda = rowsOf(a).stride;
  spec.ldb = rowsOf(b).stride;
  spec.ldc = shape.stride;
  spec.period = rowsOf(b).rows;
  call(location, Twine(shape.rows) + "x" + Twine(shape.columns), spec,
       {double(shape.rows) * shape.columns}, {a, b, out});
}

void Lowering::copy(Location location, Value from, Value to,
                    ArrayRef<int64_t> shape, ArrayRef<int64_t> fromStrides,
                    ArrayRef<int64_t> toStrides) {
  std::string words;
  llvm::raw_string_ostream os(words);
  llvm::interleave(shape, os, "x");
  families::CopySpec spec;
  assert(shape.size() == spec.shape.size() && "a box has four dimensions");
  llvm::copy(shape, spec.shape.begin());
  llvm::copy(fromStrides, spec.srcStrides.begin());
  llvm::copy(toStrides, spec.dstStrides.begin());
  call(location, words, spec, {/*flops=*/0}, {from, to});
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

families::Activation lowering::wordFor(vit::Activation function) {
  return vit::definitionOf(function);
}

families::WeightFormat lowering::storedWord(Value parameter) {
  Type element = cast<RankedTensorType>(parameter.getType()).getElementType();
  switch (*vit::formatOf(element)) {
  case vit::Format::F16:
    return families::WeightFormat::F16;
  case vit::Format::Bf16:
    return families::WeightFormat::Bf16;
  case vit::Format::I8Rows:
    return families::WeightFormat::I8;
  case vit::Format::F32:
  case vit::Format::U8Rows:
  case vit::Format::U7Rows:
    return families::WeightFormat::F32;
  }
  llvm_unreachable("unknown format");
}

families::NormKind lowering::wordFor(vit::NormKind kind) {
  return *families::toNormKind(vit::stringifyNormKind(kind).str());
}

families::PoolKind lowering::wordFor(vit::PoolKind kind) {
  return *families::toPoolKind(vit::stringifyPoolKind(kind).str());
}

families::SpatialPoolKind lowering::wordFor(vit::SpatialPoolKind kind) {
  return *families::toSpatialPoolKind(
      vit::stringifySpatialPoolKind(kind).str());
}

families::RotaryPairing lowering::wordFor(vit::RotaryPairing pairing) {
  return *families::toRotaryPairing(vit::stringifyRotaryPairing(pairing).str());
}

families::WindowOrder lowering::wordFor(vit::WindowOrder order) {
  return *families::toWindowOrder(vit::stringifyWindowOrder(order).str());
}

families::BlockOrder lowering::wordFor(vit::BlockOrder order) {
  return *families::toBlockOrder(vit::stringifyBlockOrder(order).str());
}
