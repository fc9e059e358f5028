// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Dialect/Kernel/IR/Kernel.h"
#include "vitc/Dialect/ViT/IR/Formats.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace vitc;
using namespace vitc::kernel;

LogicalResult
ColumnScalesAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                         int64_t width, bool) {
  return verifyExtent(emitError, "width", width);
}

LogicalResult
ColumnScalesAttr::verifyParameter(function_ref<InFlightDiagnostic()> emitError,
                                  RankedTensorType parameter) const {
  if (vit::formatOf(parameter.getElementType()) !=
      vit::Format::I8Rows) // column_scales_c1
    return emitError() << parameter.getElementType() << " has no scales";
  return success();
}

MemRefType ColumnScalesAttr::getBufferType(RankedTensorType parameter) const {
  int64_t columns = llvm::alignTo(MatrixShape(parameter).n, getWidth());
  return MemRefType::get({getSums() ? 2 : 1, columns},
                         Float32Type::get(parameter.getContext()));
}

/// In double, rounded once.
void ColumnScalesAttr::pack(const ParameterReader &reader,
                            MutableArrayRef<char> bytes) const {
  MutableArrayRef<float> out = elementsOf<float>(bytes);
  auto [n, k] = MatrixShape(reader.getType());
  int64_t columns = llvm::alignTo(n, getWidth());
  std::vector<float> row(k);
  for (int64_t j = 0; j < n; ++j) {
    reader.read(j * k, row);
    double scale = vit::weightScale(row), sum = 0;
    out[j] = float(scale);
    if (!getSums())
      continue;
    for (float value : row)
      sum += scale > 0 ? std::nearbyint(value / scale) : 0;
    out[columns + j] = float(scale * sum);
  }
}
