// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Dialect/Kernel/IR/Kernel.h"

#include "vitc/Dialect/ViT/IR/Formats.h"

using namespace mlir;
using namespace vitc;
using namespace vitc::kernel;

LogicalResult
vitc::kernel::verifyExtent(function_ref<InFlightDiagnostic()> emitError,
                           StringRef name, int64_t extent) {
  if (extent < 1 || extent > longestRow)
    return emitError() << name << " " << extent << " is not between 1 and "
                       << longestRow;
  return success();
}

LogicalResult RowsAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t stride) {
  return verifyExtent(emitError, "stride", stride);
}

LogicalResult
RowsAttr::verifyParameter(function_ref<InFlightDiagnostic()> emitError,
                          RankedTensorType parameter) const {
  if (parameter.getShape().back() > getStride()) // rows_c1
    return emitError() << "rows of " << getStride()
                       << " floats do not hold those of " << parameter;
  return success();
}

MemRefType RowsAttr::getBufferType(RankedTensorType parameter) const {
  int64_t rows = parameter.getNumElements() / parameter.getShape().back();
  return MemRefType::get({rows, getStride()},
                         vit::storageType(parameter.getElementType()));
}

void RowsAttr::pack(const ParameterReader &reader,
                    MutableArrayRef<char> bytes) const {
  int64_t columns = reader.getType().getShape().back(),
          rows = reader.getType().getNumElements() / columns;
  std::vector<float> values(columns);
  for (int64_t row = 0; row < rows; ++row) {
    reader.read(row * columns, values);
    storeRow(reader.getType().getElementType(), values, bytes,
             [&](int64_t i) { return row * getStride() + i; });
  }
}
