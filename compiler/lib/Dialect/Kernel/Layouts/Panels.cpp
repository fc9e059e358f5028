// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Dialect/Kernel/IR/Kernel.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
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
      parameter.getElementType());
}

void PanelsAttr::pack(const ParameterReader &reader,
                      MutableArrayRef<float> out) const {
  auto [n, k] = MatrixShape(reader.getType());
  int64_t width = getWidth();
  std::vector<float> rows(width * k);
  for (int64_t first = 0; first < n; first += width) {
    int64_t count = std::min(width, n - first);
    reader.read(first * k, MutableArrayRef(rows).take_front(count * k));
    float *to = out.data() + first * k;
    for (int64_t j = 0; j < count; ++j)
      for (int64_t i = 0; i < k; ++i)
        to[i * width + j] = rows[j * k + i];
  }
}
