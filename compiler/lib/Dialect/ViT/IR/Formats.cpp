// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Dialect/ViT/IR/Formats.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "llvm/ADT/APFloat.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace vitc;
using quant::AnyQuantizedType;

/// The largest value of a byte of activations, in 8 bits and in 7.
static constexpr int mostByte = 255, mostOfSevenBits = 127;

Type vit::elementType(MLIRContext *context, Format format) {
  Type real = Float32Type::get(context), byte = IntegerType::get(context, 8);
  switch (format) {
  case Format::F32:
    return real;
  case Format::F16:
    return Float16Type::get(context);
  case Format::Bf16:
    return BFloat16Type::get(context);
  case Format::U8Rows:
    return AnyQuantizedType::get(/*flags=*/0, byte, real, 0, mostByte);
  case Format::U7Rows:
    return AnyQuantizedType::get(/*flags=*/0, byte, real, 0, mostOfSevenBits);
  case Format::I8Rows:
    return AnyQuantizedType::get(quant::QuantizationFlags::Signed, byte, real,
                                 -mostWeight, mostWeight);
  }
  llvm_unreachable("unknown format");
}

std::optional<vit::Format> vit::formatOf(Type type) {
  for (Format format : {Format::F32, Format::F16, Format::Bf16, Format::U8Rows,
                        Format::U7Rows, Format::I8Rows})
    if (type == elementType(type.getContext(), format))
      return format;
  return std::nullopt;
}

Type vit::storageType(Type type) {
  auto quantized = dyn_cast<AnyQuantizedType>(type);
  if (!quantized)
    return type;
  return IntegerType::get(type.getContext(), 8,
                          quantized.isSigned() ? IntegerType::Signless
                                               : IntegerType::Unsigned);
}

double vit::weightScale(ArrayRef<float> row) {
  float most = 0;
  for (float value : row)
    most = std::max(most, std::abs(value));
  return double(most) / mostWeight;
}

/// Rounds to multiples of `scale` beyond `offset`.
static void roundToSteps(MutableArrayRef<double> row, double offset,
                         double scale) {
  for (double &value : row)
    value = scale > 0
                ? offset + scale * std::nearbyint((value - offset) / scale)
                : offset;
}

static void roundToFloats(MutableArrayRef<double> row,
                          const llvm::fltSemantics &semantics) {
  for (double &value : row) {
    llvm::APFloat number(value);
    bool isInexact;
    number.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &isInexact);
    number.convert(llvm::APFloat::IEEEdouble(),
                   llvm::APFloat::rmNearestTiesToEven, &isInexact);
    value = number.convertToDouble();
  }
}

void vit::roundRow(MutableArrayRef<double> row, Format format) {
  switch (format) {
  case Format::F32:
    return roundToFloats(row, llvm::APFloat::IEEEsingle());
  case Format::F16:
    return roundToFloats(row, llvm::APFloat::IEEEhalf());
  case Format::Bf16:
    return roundToFloats(row, llvm::APFloat::BFloat());
  case Format::U8Rows:
  case Format::U7Rows: {
    auto [least, most] = std::minmax_element(row.begin(), row.end());
    double steps = format == Format::U8Rows ? mostByte : mostOfSevenBits;
    return roundToSteps(row, *least, (*most - *least) / steps);
  }
  case Format::I8Rows: {
    double most = 0;
    for (double value : row)
      most = std::max(most, std::abs(value));
    return roundToSteps(row, /*offset=*/0, most / mostWeight);
  }
  }
  llvm_unreachable("unknown format");
}
