// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Dialect/Kernel/IR/Kernel.h"

#include "vitc/Dialect/ViT/IR/Formats.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace vitc;
using namespace vitc::kernel;

LogicalResult PanelsAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 int64_t width) {
  return verifyExtent(emitError, "width", width);
}

/// Panels hold every matrix.
LogicalResult PanelsAttr::verifyParameter(function_ref<InFlightDiagnostic()>,
                                          RankedTensorType) const {
  return success();
}

MemRefType PanelsAttr::getBufferType(RankedTensorType parameter) const {
  MatrixShape matrix(parameter);
  return MemRefType::get(
      {int64_t(llvm::divideCeil(matrix.n, getWidth())), matrix.k, getWidth()},
      vit::storageType(parameter.getElementType()));
}

void PanelsAttr::pack(const ParameterReader &reader,
                      MutableArrayRef<char> bytes) const {
  auto [n, k] = MatrixShape(reader.getType());
  int64_t width = getWidth();
  std::vector<float> row(k);
  for (int64_t j = 0; j < n; ++j) {
    reader.read(j * k, row);
    int64_t first = j / width * width * k + j % width;
    storeRow(reader.getType().getElementType(), row, bytes,
             [&](int64_t i) { return first + i * width; });
  }
}
