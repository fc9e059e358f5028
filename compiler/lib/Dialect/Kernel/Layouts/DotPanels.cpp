// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Dialect/Kernel/IR/ElementTypes.h"
#include "vitc/Dialect/Kernel/IR/Kernel.h"
#include "vitc/Dialect/ViT/IR/Formats.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace vitc;
using namespace vitc::kernel;

LogicalResult
DotPanelsAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                      int64_t width) {
  return verifyExtent(emitError, "width", width);
}

LogicalResult
DotPanelsAttr::verifyParameter(function_ref<InFlightDiagnostic()> emitError,
                               RankedTensorType parameter) const {
  std::optional<vit::Format> format = vit::formatOf(parameter.getElementType());
  if (format != vit::Format::Bf16 &&
      format != vit::Format::I8Rows) // dot_panels_c1
    return emitError() << "dot products take bf16 and 8-bit rows, not "
                       << parameter.getElementType();
  return success();
}

/// Steps of k that a dot product takes at once: 32 bits of them.
static int64_t groupOf(RankedTensorType parameter) {
  constexpr int64_t bytes = 4;
  return bytes / elementBytes(vit::storageType(parameter.getElementType()));
}

MemRefType DotPanelsAttr::getBufferType(RankedTensorType parameter) const {
  MatrixShape matrix(parameter);
  int64_t group = groupOf(parameter);
  return MemRefType::get({int64_t(llvm::divideCeil(matrix.n, getWidth())),
                          int64_t(llvm::divideCeil(matrix.k, group)),
                          getWidth(), group},
                         vit::storageType(parameter.getElementType()));
}

void DotPanelsAttr::pack(const ParameterReader &reader,
                         MutableArrayRef<char> bytes) const {
  auto [n, k] = MatrixShape(reader.getType());
  int64_t width = getWidth(), group = groupOf(reader.getType()),
          groups = int64_t(llvm::divideCeil(k, group));
  std::vector<float> row(k);
  for (int64_t j = 0; j < n; ++j) {
    reader.read(j * k, row);
    int64_t first = (j / width * width * groups + j % width) * group;
    storeRow(reader.getType().getElementType(), row, bytes, [&](int64_t i) {
      return first + i / group * width * group + i % group;
    });
  }
}
