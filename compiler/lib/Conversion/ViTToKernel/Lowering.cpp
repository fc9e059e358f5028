// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Lowering.h"

#include "llvm/ADT/TypeSwitch.h"

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

/// The function's type after conversion: the picture, then one dense buffer for
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

Lowering::Lowering(ModuleOp module, func::FuncOp source, Options options)
    : builder(source), panel(options.panel), fastMatmul(options.fastMatmul),
      pairs(options.pairs), tensorCores(options.tensorCores), module(module),
      source(source), symbols(module) {
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
    if (failed(lower(&op)))
      return failure();
  source.erase();
  return success();
}

/// Queries may be learned: those of an attention pool are.
static Value ifParameter(Value value) {
  return value.getDefiningOp<vit::GetOp>() ? value : Value();
}

/// The operands that kernels take from the weights file.
static SmallVector<Value> weightsOf(Operation *op) {
  return TypeSwitch<Operation *, SmallVector<Value>>(op)
      .Case([](vit::PatchEmbedOp op) {
        return SmallVector<Value>{op.getWeight(), op.getBias(),
                                  op.getPosition()};
      })
      .Case([](vit::ConcatTokensOp op) {
        return SmallVector<Value>{op.getTokens()};
      })
      .Case([](vit::AddPositionOp op) {
        return SmallVector<Value>{op.getPosition()};
      })
      .Case([](vit::LayerNormOp op) {
        return SmallVector<Value>{op.getGain(), op.getBias()};
      })
      .Case<vit::LinearOp, vit::ConvOp, vit::DepthwiseConvOp>([](auto op) {
        return SmallVector<Value>{op.getWeight(), op.getBias()};
      })
      .Case([](vit::AttentionOp op) {
        return SmallVector<Value>{op.getBias(), op.getMask(),
                                  ifParameter(op.getQuery())};
      })
      .Case([](vit::SingleQueryAttentionOp op) {
        return SmallVector<Value>{op.getKey(), op.getValue(),
                                  ifParameter(op.getQuery())};
      })
      .Case([](vit::RotateOp op) {
        return SmallVector<Value>{op.getCos(), op.getSin()};
      })
      .Case([](vit::AffineOp op) {
        return SmallVector<Value>{op.getScale(), op.getShift()};
      })
      .Case([](vit::GroupNormOp op) {
        return SmallVector<Value>{op.getGain(), op.getBias()};
      })
      .Default([](Operation *) { return SmallVector<Value>(); });
}

LogicalResult Lowering::checkOperands(Operation *op) const {
  SmallVector<Value> weights = weightsOf(op);
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
      return op->emitError("no kernel computes this operation: the picture can "
                           "only be embedded");
    // A stack exists as an output alone; the patches of an embedding may stand
    // in the concatenation's buffer already.
    bool isWritten =
        bufferOf(operand) ||
        (isa<vit::ConcatTokensOp>(op) && bufferOf(op->getResult(0))) ||
        (isa<func::ReturnOp>(op) && operand.getDefiningOp<vit::StackOp>());
    if (!isWritten)
      return op->emitError(
          "no kernel computes this operation: a stack can only be returned");
  }
  return success();
}

LogicalResult Lowering::lower(Operation *op) {
  if (failed(checkOperands(op)))
    return failure();
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](vit::GetOp) { return success(); }) // read where it is used
      .Case([&](vit::StackOp) {
        return success();
      }) // its inputs are written to the output one by one
      .Case([&](func::ReturnOp op) {
        lowerReturn(op);
        return success();
      })
      .Case([&](vit::PatchEmbedOp op) { return lowerPatchEmbed(*this, op); })
      .Case(
          [&](vit::ConcatTokensOp op) { return lowerConcatTokens(*this, op); })
      .Case([&](vit::AddPositionOp op) { return lowerAddPosition(*this, op); })
      .Case([&](vit::LayerNormOp op) { return lowerLayerNorm(*this, op); })
      .Case([&](vit::LinearOp op) { return lowerLinear(*this, op); })
      .Case([&](vit::ActivationOp op) { return lowerActivation(*this, op); })
      .Case([&](vit::AddOp op) { return lowerAdd(*this, op); })
      .Case([&](vit::AttentionOp op) { return lowerAttention(*this, op); })
      .Case([&](vit::SingleQueryAttentionOp op) {
        return lowerSingleQueryAttention(*this, op);
      })
      .Case([&](vit::SliceOp op) { return lowerSlice(*this, op); })
      .Case([&](vit::PoolOp op) { return lowerPool(*this, op); })
      .Case([&](vit::SoftmaxOp op) { return lowerSoftmax(*this, op); })
      .Case([&](vit::ScaleOp op) { return lowerScale(*this, op); })
      .Case([&](vit::AffineOp op) { return lowerAffine(*this, op); })
      .Case([&](vit::GateOp op) { return lowerGate(*this, op); })
      .Case([&](vit::RotateOp op) { return lowerRotate(*this, op); })
      .Case([&](vit::ConcatOp op) { return lowerConcat(*this, op); })
      .Case([&](vit::WindowPartitionOp op) {
        return lowerWindowPartition(*this, op);
      })
      .Case([&](vit::WindowMergeOp op) { return lowerWindowMerge(*this, op); })
      .Case(
          [&](vit::SpaceToDepthOp op) { return lowerSpaceToDepth(*this, op); })
      .Case([&](vit::ResizeMapOp op) { return lowerResizeMap(*this, op); })
      .Case([&](vit::ReshapeOp op) { return lowerReshape(*this, op); })
      .Case([&](vit::TransposeOp op) { return lowerTranspose(*this, op); })
      .Case([&](vit::ConvOp op) { return lowerConv(*this, op); })
      .Case([&](vit::DepthwiseConvOp op) {
        return lowerDepthwiseConv(*this, op);
      })
      .Case([&](vit::GroupNormOp op) { return lowerGroupNorm(*this, op); })
      .Case([&](vit::SpatialPoolOp op) { return lowerSpatialPool(*this, op); })
      .Default([](Operation *op) {
        return op->emitError("no kernel computes this operation");
      });
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
  return pairs && columns >= kernel::pairedSteps ? stride + kernel::pairFloats
                                                 : stride;
}

Value Lowering::alloc(Location location, ArrayRef<int64_t> shape,
                      ArrayRef<int64_t> strides) {
  auto layout =
      StridedLayoutAttr::get(builder.getContext(), /*offset=*/0, strides);
  return kernel::AllocOp::create(
      builder, location, MemRefType::get(shape, builder.getF32Type(), layout),
      IntegerAttr());
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
  return kernel::ViewOp::create(
      builder, location, MemRefType::get(shape, builder.getF32Type(), layout),
      buffer);
}

Value Lowering::alignedBufferOf(Value tensor) {
  Value buffer = bufferOf(tensor);
  Rows from = rowsOf(buffer);
  if (from.offset * sizeof(float) % kernel::alignment == 0)
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
// Constants
//===----------------------------------------------------------------------===//

Value Lowering::constant(Value tensor, kernel::Layout layout, MemRefType type) {
  auto get = tensor.getDefiningOp<vit::GetOp>();
  assert(get && "weights are parameters after vit-hoist-parameters");
  std::string key;
  llvm::raw_string_ostream(key)
      << get.getParameter() << " " << stringifyLayout(layout) << " " << type;
  if (Value known = constants.lookup(key))
    return known;

  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(target);
  auto op = kernel::ConstantOp::create(
      builder, get.getLoc(),
      (get.getParameter() + "." + stringifyLayout(layout)).str(),
      get.getParameter(), layout, type, IntegerAttr());
  StringAttr name = symbols.insert(op);
  builder.setInsertionPointToStart(&target.getBody().front());
  return constants[key] = kernel::WeightOp::create(
             builder, get.getLoc(), type, FlatSymbolRefAttr::get(name));
}

Value Lowering::panels(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  int64_t n = type.getDimSize(0), k = type.getNumElements() / n;
  return constant(
      tensor, kernel::Layout::Panels,
      MemRefType::get({int64_t(llvm::divideCeil(n, panel)), k, panel},
                      type.getElementType()));
}

Value Lowering::strassenPanels(Value tensor, int64_t parts) {
  auto type = cast<RankedTensorType>(tensor.getType());
  int64_t n = type.getDimSize(0), k = type.getNumElements() / n;
  return constant(
      tensor, kernel::Layout::Strassen,
      MemRefType::get({parts * (n / 2 / panel), kernel::strassenProducts,
                       k / parts / 2, panel},
                      type.getElementType()));
}

Value Lowering::pairSums(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  int64_t columns = llvm::alignTo(type.getDimSize(0), panel);
  return constant(
      tensor, kernel::Layout::Pairs,
      MemRefType::get({columns + kernel::pairFloats}, type.getElementType()));
}

Value Lowering::paddedRows(Value tensor, int64_t stride) {
  auto type = cast<RankedTensorType>(tensor.getType());
  return constant(
      tensor, kernel::Layout::Rows,
      MemRefType::get({rowsOf(type).rows, stride}, type.getElementType()));
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

static double bytesOf(ArrayRef<Value> buffers) {
  double bytes = 0;
  for (Value buffer : buffers)
    bytes += double(sizeof(float)) *
             cast<MemRefType>(buffer.getType()).getNumElements();
  return bytes;
}

void Lowering::call(Location location, StringRef family, const Twine &words,
                    ArrayRef<Field> fields, Cost cost, ArrayRef<Value> inputs,
                    ArrayRef<Value> outputs, std::optional<int64_t> branch) {
  SmallVector<NamedAttribute> attrs;
  for (const Field &field : fields)
    attrs.push_back(builder.getNamedAttr(field.first, field.second));
  auto config = builder.getDictionaryAttr(attrs);

  // The same family and config is the same kernel, wherever it is called.
  std::string key;
  llvm::raw_string_ostream(key) << family << " " << config;
  kernel::SpecOp &spec = specs[key];
  if (!spec) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(target);
    spec = kernel::SpecOp::create(
        builder, location,
        builder.getStringAttr(
            kernel::specName(family + "_" + words, family, config)),
        builder.getStringAttr(family), config,
        builder.getF64FloatAttr(cost.flops),
        builder.getF64FloatAttr(bytesOf(inputs) + bytesOf(outputs)));
    symbols.insert(spec);
  }
  kernel::CallOp::create(
      builder, location, FlatSymbolRefAttr::get(spec.getSymNameAttr()), inputs,
      outputs, branch ? builder.getI64IntegerAttr(*branch) : IntegerAttr(),
      /*images=*/IntegerAttr());
}

void Lowering::add(Location location, Value a, Value b, Value out) {
  Rows shape = rowsOf(out);
  call(location, "add", Twine(shape.rows) + "x" + Twine(shape.columns),
       {{"rows", integer(shape.rows)},
        {"cols", integer(shape.columns)},
        {"lda", integer(rowsOf(a).stride)},
        {"ldb", integer(rowsOf(b).stride)},
        {"ldc", integer(shape.stride)},
        {"period", integer(rowsOf(b).rows)}},
       {double(shape.rows) * shape.columns}, {a, b}, {out});
}

void Lowering::copy(Location location, Value from, Value to,
                    ArrayRef<int64_t> shape, ArrayRef<int64_t> fromStrides,
                    ArrayRef<int64_t> toStrides) {
  std::string words;
  llvm::raw_string_ostream os(words);
  llvm::interleave(shape, os, "x");
  call(location, "copy", words,
       {{"shape", builder.getDenseI64ArrayAttr(shape)},
        {"src_strides", builder.getDenseI64ArrayAttr(fromStrides)},
        {"dst_strides", builder.getDenseI64ArrayAttr(toStrides)}},
       {/*flops=*/0}, {from}, {to});
}
