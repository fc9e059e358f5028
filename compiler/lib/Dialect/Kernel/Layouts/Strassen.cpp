// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Dialect/Kernel/IR/Kernel.h"

using namespace mlir;
using namespace vitc;
using namespace vitc::kernel;

LogicalResult StrassenAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   int64_t width, int64_t parts) {
  if (failed(verifyExtent(emitError, "width", width)))
    return failure();
  return verifyExtent(emitError, "parts", parts);
}

LogicalResult
StrassenAttr::verifyParameter(function_ref<InFlightDiagnostic()> emitError,
                              RankedTensorType parameter) const {
  MatrixShape matrix(parameter);
  if (matrix.n % (2 * getWidth()) != 0 ||
      matrix.k % (2 * getParts()) != 0) // strassen_c1
    return emitError() << "halves of " << matrix.n << " x " << matrix.k
                       << " are not whole panels of " << getWidth() << " and "
                       << getParts() << " parts";
  return success();
}

MemRefType StrassenAttr::getBufferType(RankedTensorType parameter) const {
  MatrixShape matrix(parameter);
  return MemRefType::get({getParts() * (matrix.n / 2 / getWidth()),
                          families::strassenProducts, matrix.k / 2 / getParts(),
                          getWidth()},
                         parameter.getElementType());
}

/// The combinations are computed in double and rounded once.
void StrassenAttr::pack(const ParameterReader &reader,
                        MutableArrayRef<char> bytes) const {
  MutableArrayRef<float> out = elementsOf<float>(bytes);
  auto [n, k] = MatrixShape(reader.getType());
  int64_t width = getWidth(), parts = getParts(), half = n / 2,
          panels = half / width, depth = k / 2 / parts;
  std::vector<float> left(width * k),
      right(width * k); // columns of the two halves of the transpose
  for (int64_t panel = 0; panel < panels; ++panel) {
    reader.read(panel * width * k, left);
    reader.read((half + panel * width) * k, right);
    for (int64_t part = 0; part < parts; ++part) {
      float *to = out.data() + (part * panels + panel) *
                                   families::strassenProducts * depth * width;
      for (int64_t j = 0; j < width; ++j) {
        const float *b1 = &left[j * k + part * depth],
                    *b2 = &right[j * k + part * depth];
        for (int64_t i = 0; i < depth; ++i) {
          double b11 = b1[i], b21 = b1[k / 2 + i];
          double b12 = b2[i], b22 = b2[k / 2 + i];
          const double operands[families::strassenProducts] = {
              b12 - b22, b21 - b11, b11 + b22, b11, b22, b11 + b12, b21 + b22};
          for (auto [product, operand] : llvm::enumerate(operands))
            to[(product * depth + i) * width + j] = float(operand);
        }
      }
    }
  }
}
