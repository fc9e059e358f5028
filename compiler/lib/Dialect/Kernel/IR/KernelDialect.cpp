// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Dialect/Kernel/IR/ElementTypes.h"
#include "vitc/Dialect/Kernel/IR/Kernel.h"
#include "vitc/Dialect/ViT/IR/ViT.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace vitc;
using namespace vitc::kernel;

bool kernel::isBuffer(Type type) {
  auto buffer = dyn_cast<MemRefType>(type);
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  if (!buffer || !isElementType(buffer.getElementType()) ||
      !buffer.hasStaticShape() ||
      failed(buffer.getStridesAndOffset(strides, offset)))
    return false;
  auto isSmall = [](int64_t number) {
    return number >= 0 && number < vit::maxElements;
  }; // a dynamic one is negative
  if (!isSmall(offset))
    return false;
  int64_t last = offset, elements = 1;
  for (auto [extent, stride] : llvm::zip(buffer.getShape(), strides)) {
    if (extent == 0 || !isSmall(stride) ||
        extent >= vit::maxElements / elements ||
        (stride != 0 && extent - 1 > (vit::maxElements - last) / stride))
      return false;
    elements *= extent;
    last += (extent - 1) * stride;
  }
  return true;
}

/// One past the last element, the padding of the last row too.
static int64_t reservedElements(MemRefType type) {
  auto [begin, end] = kernel::elementRange(type);
  for (auto [extent, stride] :
       llvm::zip(type.getShape(), type.getStridesAndOffset().first))
    end = std::max(end, begin + extent * stride);
  return end;
}

int64_t kernel::reservedBytes(MemRefType type) {
  return llvm::alignTo(
      reservedElements(type) * elementBytes(type.getElementType()), alignment);
}

std::pair<int64_t, int64_t> kernel::elementRange(MemRefType type) {
  auto [strides, offset] = type.getStridesAndOffset();
  int64_t last = offset;
  for (auto [extent, stride] : llvm::zip(type.getShape(), strides))
    last += (extent - 1) * stride;
  return {offset, last + 1};
}

bool kernel::isElementType(Type type, families::ElementType wanted) {
  return elementTypeInfo(type).number == int64_t(wanted);
}

Value kernel::rootBuffer(Value buffer) {
  while (auto view = buffer.getDefiningOp<ViewOp>())
    buffer = view.getSource();
  return buffer;
}

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

/// Fails unless the place, if there is one, can hold a buffer.
static LogicalResult verifyPlace(Operation *op, std::optional<int64_t> offset) {
  if (offset && (*offset < 0 || *offset % alignment))
    return op->emitOpError() << "offset " << *offset << " is not a multiple of "
                             << alignment << " at or above 0";
  return success();
}

LogicalResult SpecOp::verify() {
  for (const llvm::APFloat &number : {getFlops(), getBytes()})
    if (!number.isFinite() ||
        (number.isNegative() && !number.isZero())) // spec_c2
      return emitOpError()
             << "flops and bytes must be finite and not negative, not "
             << number.convertToDouble();
  return success();
}

LogicalResult ConstantOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto parameter = symbols.lookupNearestSymbolFrom<vit::ParameterOp>(
      *this, getParameterAttr());
  if (!parameter) // constant_c1
    return emitOpError() << "no vit.parameter named " << getParameterAttr();
  RankedTensorType tensor = parameter.getTensorType();
  auto error = [&] { return emitOpError(); };
  if (failed(getLayout().verifyParameter(error, tensor))) // constant_c2
    return failure();
  MemRefType wanted = getLayout().getBufferType(tensor);
  if (getBufferType() != wanted) // constant_c3
    return emitOpError() << "is " << getBufferType() << ", but " << getLayout()
                         << " of " << tensor << " is " << wanted;
  return verifyPlace(*this, getOffset()); // constant_c4
}

LogicalResult WeightOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto constant =
      symbols.lookupNearestSymbolFrom<ConstantOp>(*this, getConstantAttr());
  if (!constant || constant.getType() != getType()) // weight_c1
    return emitOpError() << "no kernel.constant named " << getConstantAttr()
                         << " of type " << getType();
  return success();
}

/// The call before, or null.
static CallOp callBefore(CallOp call) {
  for (Operation *op = call->getPrevNode(); op; op = op->getPrevNode())
    if (auto before = dyn_cast<CallOp>(op))
      return before;
  return {};
}

bool vitc::kernel::continuesConcurrentRun(CallOp call) {
  CallOp before = callBefore(call);
  return call.getBranch() && before && before.getBranch() &&
         *before.getBranch() <= *call.getBranch();
}

/// The images of the last call before that computes several, or nothing. A call
/// without images ends the search: none of several may stand before it.
static std::optional<int64_t> imagesBefore(CallOp call) {
  for (CallOp before = callBefore(call); before && before.getImages();
       before = callBefore(before))
    if (*before.getImages() != 1)
      return before.getImages();
  return std::nullopt;
}

LogicalResult CallOp::verify() {
  if (std::optional<int64_t> before = imagesBefore(*this);
      before && getImages() != before && getImages() != 1)
    return emitOpError() << "follows a call for " << *before
                         << " images, but is for " << getImages().value_or(1)
                         << (getImages() ? ""
                                         : " before all others"); // call_c3
  if (getLevels()) {                                              // call_c5
    llvm::StringSet<> names;
    for (StringRef level : getLevels()->getAsValueRange<StringAttr>())
      if (!names.insert(level).second)
        return emitOpError() << "has level \"" << level << "\" twice";
    if (names.empty())
      return emitOpError() << "is for no level";
  }
  if (!getBranch())
    return success();
  int64_t branch = *getBranch();
  if (branch != 0 && (branch != 1 || !continuesConcurrentRun(*this))) // call_c2
    return emitOpError() << "is branch " << branch
                         << ", but branches are 0 and, after it, 1";
  return success();
}

/// Fails unless the buffers are what the family's function takes: a pointer in
/// the wrong place would be read as something else.
static LogicalResult verifyOperands(CallOp call, SpecInterface spec) {
  std::vector<families::Argument> arguments = spec.getArguments();
  size_t inputs = llvm::count_if(arguments, [](const auto &argument) {
    return !families::isWritten(argument.role);
  });
  if (call.getInputs().size() != inputs ||
      call.getOutputs().size() != arguments.size() - inputs)
    return call.emitOpError()
           << "has " << call.getInputs().size() << " inputs and "
           << call.getOutputs().size() << " outputs, but " << spec.getFamily()
           << " takes " << inputs << " and " << arguments.size() - inputs;
  for (auto [argument, buffer] : llvm::zip(arguments, call->getOperands())) {
    auto type = cast<MemRefType>(buffer.getType());
    if (!isElementType(type.getElementType(), argument.type))
      return call.emitOpError()
             << argument.name << " is " << type << ", expected elements of "
             << families::toWord(argument.type);
    // The buffers of a call for all images are those of the first one.
    auto root = cast<MemRefType>(rootBuffer(buffer).getType());
    int64_t held = reservedElements(root) - elementRange(type).first;
    if (!call.getImages() && held < argument.span())
      return call.emitOpError()
             << argument.name << " is " << type << ", which holds " << held
             << " elements, but the kernel's has " << argument.span();
  }
  return success();
}

LogicalResult CallOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto spec = symbols.lookupNearestSymbolFrom<SpecOp>(*this, getSpecAttr());
  if (!spec) // call_c1
    return emitOpError() << "no kernel.spec named " << getSpecAttr();
  return verifyOperands(*this, spec.getConfig()); // call_c4
}

LogicalResult AllocOp::verify() {
  if (failed(verifyPlace(*this, getOffset()))) // alloc_c1
    return failure();
  auto [strides, offset] = getType().getStridesAndOffset();
  if (offset != 0) // alloc_c2
    return emitOpError() << getType() << " does not start at its first element";
  int64_t inner = 1;
  for (auto [extent, stride] :
       llvm::reverse(llvm::zip(getType().getShape(), strides))) {
    if (stride < inner)
      return emitOpError() << "elements of " << getType() << " overlap: stride "
                           << stride << " is less than " << inner;
    inner = stride * extent;
  }
  return success();
}

LogicalResult ViewOp::verify() {
  auto [sourceBegin, sourceEnd] = elementRange(getSource().getType());
  auto [begin, end] = elementRange(getResult().getType());
  if (begin < sourceBegin || end > sourceEnd) // view_c1
    return emitOpError() << "elements " << begin << " to " << end
                         << " leave the source's " << sourceBegin << " to "
                         << sourceEnd;
  return success();
}

Value ViewOp::getViewSource() { return getSource(); }
