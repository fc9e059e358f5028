// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Dialect/Kernel/IR/Kernel.h"
#include "vitc/Dialect/ViT/IR/ViT.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace vitc;
using namespace vitc::kernel;

bool kernel::isBuffer(Type type) {
  auto buffer = dyn_cast<MemRefType>(type);
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  if (!buffer || !buffer.getElementType().isF32() || !buffer.hasStaticShape() ||
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

int64_t kernel::reservedBytes(MemRefType type) {
  auto [begin, end] = elementRange(type);
  for (auto [extent, stride] :
       llvm::zip(type.getShape(), type.getStridesAndOffset().first))
    end = std::max(end, begin + extent * stride);
  return llvm::alignTo(end * int64_t(sizeof(float)), alignment);
}

std::pair<int64_t, int64_t> kernel::elementRange(MemRefType type) {
  auto [strides, offset] = type.getStridesAndOffset();
  int64_t last = offset;
  for (auto [extent, stride] : llvm::zip(type.getShape(), strides))
    last += (extent - 1) * stride;
  return {offset, last + 1};
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

/// True for what the kernel protocol can say: integers, floats, booleans,
/// strings, lists of integers.
static bool isSpecValue(Attribute value) {
  if (auto number = dyn_cast<FloatAttr>(value))
    return number.getType().isF64() && number.getValue().isFinite();
  if (auto number = dyn_cast<IntegerAttr>(value))
    return number.getType().isSignlessInteger(64) ||
           number.getType().isSignlessInteger(1);
  return isa<StringAttr, DenseI64ArrayAttr>(value);
}

LogicalResult SpecOp::verify() {
  for (NamedAttribute field : getConfig())
    if (!isSpecValue(field.getValue())) // spec_c1
      return emitOpError() << "field " << field.getName() << " is "
                           << field.getValue()
                           << ", expected an i64, a finite f64, a boolean, a "
                              "string or an array<i64>";
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
  ArrayRef<int64_t> shape = parameter.getTensorType().getShape();
  ArrayRef<int64_t> buffer = getBufferType().getShape();
  if (elementRange(getBufferType()) !=
          std::pair<int64_t, int64_t>(0, getBufferType().getNumElements()) ||
      !getBufferType().areTrailingDimsContiguous(buffer.size())) // constant_c4
    return emitOpError() << "is " << getBufferType()
                         << ", but the weights file holds dense buffers only";
  if (failed(verifyPlace(*this, getOffset()))) // constant_c5
    return failure();
  if (getLayout() == Layout::Panels) {
    int64_t k = parameter.getTensorType().getNumElements() / shape.front();
    if (buffer.size() != 3 || buffer[1] != k ||
        buffer[0] !=
            int64_t(llvm::divideCeil(shape.front(), buffer[2]))) // constant_c2
      return emitOpError() << "panels of " << getBufferType() << " do not hold "
                           << shape.front() << " x " << k;
    return success();
  }
  if (getLayout() == Layout::Strassen) {
    int64_t k = parameter.getTensorType().getNumElements() / shape.front();
    int64_t parts =
        buffer.size() == 4 && buffer[2] > 0 ? k / (2 * buffer[2]) : 0;
    if (parts == 0 || buffer[1] != strassenProducts ||
        2 * buffer[2] * parts != k ||
        2 * buffer[0] * buffer[3] != shape.front() * parts) // constant_c6
      return emitOpError() << "products of " << getBufferType()
                           << " do not hold the halves of " << shape.front()
                           << " x " << k;
    return success();
  }
  if (getLayout() == Layout::Pairs) {
    if (buffer.size() != 1 || buffer[0] < shape.front() + pairFloats)
      return emitOpError() << "pairs of " << getBufferType()
                           << " do not hold the sums of " << shape.front()
                           << " rows and " << pairFloats
                           << " floats"; // constant_c7
    return success();
  }
  if (buffer.empty() || buffer.back() < shape.back() ||
      getBufferType().getNumElements() / buffer.back() !=
          parameter.getTensorType().getNumElements() /
              shape.back()) // constant_c3
    return emitOpError() << "rows of " << getBufferType()
                         << " do not hold those of "
                         << parameter.getTensorType();
  return success();
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

bool vitc::kernel::goesOnSideBySide(CallOp call) {
  CallOp before = callBefore(call);
  return call.getBranch() && before && before.getBranch() &&
         *before.getBranch() <= *call.getBranch();
}

std::string vitc::kernel::specName(const Twine &words, StringRef family,
                                   DictionaryAttr config) {
  std::string key;
  llvm::raw_string_ostream(key) << family << " " << config;
  return (words + "_" +
          llvm::utohexstr(uint32_t(llvm::xxh3_64bits(key)), /*LowerCase=*/true))
      .str();
}

LogicalResult CallOp::verify() {
  if (CallOp before = callBefore(*this);
      before && before.getImages() && before.getImages() != getImages())
    return emitOpError() << "follows a call for " << *before.getImages()
                         << " images, but is for "
                         << getImages().value_or(1); // call_c3
  if (!getBranch())
    return success();
  int64_t branch = *getBranch();
  if (branch != 0 && (branch != 1 || !goesOnSideBySide(*this))) // call_c2
    return emitOpError() << "is branch " << branch
                         << ", but branches are 0 and, after it, 1";
  return success();
}

LogicalResult CallOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (!symbols.lookupNearestSymbolFrom<SpecOp>(*this, getSpecAttr())) // call_c1
    return emitOpError() << "no kernel.spec named " << getSpecAttr();
  return success();
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
