// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Numbers as the weights file stores them.
#include "vitc/Dialect/Kernel/IR/Kernel.h"
#include "vitc/Dialect/ViT/IR/Formats.h"

#include "llvm/ADT/APFloat.h"

#include <cmath>

using namespace mlir;
using namespace vitc;

/// The bits of the nearest float of 16 bits.
static uint16_t shortBits(float value, const llvm::fltSemantics &semantics) {
  llvm::APFloat number(value);
  bool isInexact;
  number.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &isInexact);
  return uint16_t(number.bitcastToAPInt().getZExtValue());
}

void kernel::storeRow(Type elementType, ArrayRef<float> row,
                      MutableArrayRef<char> out,
                      function_ref<int64_t(int64_t)> at) {
  auto store = [&](auto elements, auto convert) {
    for (auto [i, value] : llvm::enumerate(row))
      elements[at(int64_t(i))] = convert(value);
  };
  switch (*vit::formatOf(elementType)) {
  case vit::Format::F32:
    return store(elementsOf<float>(out), [](float value) { return value; });
  case vit::Format::F16:
    return store(elementsOf<uint16_t>(out), [](float value) {
      return shortBits(value, llvm::APFloat::IEEEhalf());
    });
  case vit::Format::Bf16:
    return store(elementsOf<uint16_t>(out), [](float value) {
      return shortBits(value, llvm::APFloat::BFloat());
    });
  case vit::Format::I8Rows: {
    double scale = vit::weightScale(row);
    return store(elementsOf<int8_t>(out), [&](float value) {
      return int8_t(scale > 0 ? std::nearbyint(value / scale) : 0);
    });
  }
  case vit::Format::U8Rows:
  case vit::Format::U7Rows:
    break;
  }
  llvm_unreachable("parameters are not rows of activations");
}
