#include "vitc/Dialect/Kernel/IR/Kernel.h"
#include "vitc/Dialect/ViT/IR/ViT.h"

#include "mlir/IR/Builders.h"
#include "llvm/Support/MathExtras.h"

#include "vitc/Dialect/Kernel/IR/KernelDialect.cpp.inc"
#include "vitc/Dialect/Kernel/IR/KernelEnums.cpp.inc"

#define GET_OP_CLASSES
#include "vitc/Dialect/Kernel/IR/KernelOps.cpp.inc"

using namespace mlir;
using namespace vitc;
using namespace vitc::kernel;

void KernelDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "vitc/Dialect/Kernel/IR/KernelOps.cpp.inc"
      >();
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

LogicalResult ConstantOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto parameter = symbols.lookupNearestSymbolFrom<vit::ParameterOp>(*this, getParameterAttr());
  if (!parameter) // constant_c1
    return emitOpError() << "no vit.parameter named " << getParameterAttr();
  ArrayRef<int64_t> shape = parameter.getTensorType().getShape();
  ArrayRef<int64_t> buffer = getBufferType().getShape();
  if (getLayout() == Layout::Panels) {
    int64_t k = parameter.getTensorType().getNumElements() / shape.front();
    if (buffer.size() != 3 || buffer[1] != k || buffer[0] != int64_t(llvm::divideCeil(shape.front(), buffer[2]))) // constant_c2
      return emitOpError() << "panels of " << getBufferType() << " do not hold " << shape.front() << " x " << k;
    return success();
  }
  if (buffer.empty() || buffer.back() < shape.back() ||
      getBufferType().getNumElements() / buffer.back() != parameter.getTensorType().getNumElements() / shape.back()) // constant_c3
    return emitOpError() << "rows of " << getBufferType() << " do not hold those of " << parameter.getTensorType();
  return success();
}

LogicalResult WeightOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto constant = symbols.lookupNearestSymbolFrom<ConstantOp>(*this, getConstantAttr());
  if (!constant || constant.getType() != getType()) // weight_c1
    return emitOpError() << "no kernel.constant named " << getConstantAttr() << " of type " << getType();
  return success();
}

LogicalResult CallOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (!symbols.lookupNearestSymbolFrom<SpecOp>(*this, getSpecAttr())) // call_c1
    return emitOpError() << "no kernel.spec named " << getSpecAttr();
  return success();
}

LogicalResult AllocOp::verify() {
  if (auto offset = getOffset(); offset && (int64_t(*offset) < 0 || *offset % alignment)) // alloc_c1
    return emitOpError() << "offset " << int64_t(*offset) << " is not a multiple of " << alignment;
  auto [strides, offset] = getType().getStridesAndOffset();
  int64_t inner = 1;
  for (auto [extent, stride] : llvm::reverse(llvm::zip(getType().getShape(), strides))) {
    if (stride < inner || offset != 0) // alloc_c2
      return emitOpError() << "elements of " << getType() << " overlap or do not start at the first";
    inner = stride * extent;
  }
  return success();
}

LogicalResult ViewOp::verify() {
  auto [sourceBegin, sourceEnd] = elementRange(getSource().getType());
  auto [begin, end] = elementRange(getResult().getType());
  if (begin < sourceBegin || end > sourceEnd) // view_c1
    return emitOpError() << "elements " << begin << " to " << end << " leave the source's " << sourceBegin << " to " << sourceEnd;
  return success();
}

Value ViewOp::getViewSource() { return getSource(); }
