// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Dialect/Kernel/IR/Kernel.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace vitc;
using namespace vitc::kernel;

LogicalResult
WinogradSumsAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                         int64_t width) {
  return verifyExtent(emitError, "width", width);
}

/// Every matrix has such sums.
LogicalResult
WinogradSumsAttr::verifyParameter(function_ref<InFlightDiagnostic()>,
                                  RankedTensorType) const {
  return success();
}

MemRefType WinogradSumsAttr::getBufferType(RankedTensorType parameter) const {
  int64_t columns = llvm::alignTo(MatrixShape(parameter).n, getWidth());
  return MemRefType::get({columns + families::winogradFloats},
                         parameter.getElementType());
}

/// In double, rounded once.
void WinogradSumsAttr::pack(const ParameterReader &reader,
                            MutableArrayRef<char> bytes) const {
  MutableArrayRef<float> out = elementsOf<float>(bytes);
  auto [n, k] = MatrixShape(reader.getType());
  const int64_t triples =
      k / families::winogradSteps * 2 * families::blockTriples;
  std::vector<float> row(k);
  double size = 0;
  for (int64_t j = 0; j < n; ++j) {
    reader.read(j * k, row);
    double sum = 0;
    for (int64_t g = 0; g < triples; ++g) {
      const float *pair = &row[g * families::tripleSteps];
      double product = double(pair[0]) * pair[1];
      sum += g / families::blockTriples % 2 == 0 ? product : -product;
    }
    out[j] = float(sum);
    for (float value : row)
      size += std::abs(double(value));
  }
  out[out.size() - families::winogradFloats] = float(size / double(n));
}
