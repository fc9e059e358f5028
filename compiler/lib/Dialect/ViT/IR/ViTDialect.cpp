// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Dialect/ViT/IR/ViT.h"

using namespace mlir;

/// Whether a tensor's shape is one that ops take.
static bool hasModelShape(RankedTensorType tensor) {
  if (!tensor.hasStaticShape() || tensor.getEncoding() || tensor.getRank() == 0)
    return false;
  int64_t elements = 1;
  for (int64_t extent : tensor.getShape()) {
    if (extent == 0 || extent >= vitc::vit::maxElements / elements)
      return false;
    elements *= extent;
  }
  return true;
}

bool vitc::vit::isModelTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getElementType().isF32() && hasModelShape(tensor);
}

bool vitc::vit::isNarrowTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !hasModelShape(tensor))
    return false;
  std::optional<Format> format = formatOf(tensor.getElementType());
  return format && *format != Format::F32;
}

bool vitc::vit::isWeightTensor(Type type) {
  return isModelTensor(type) ||
         (isNarrowTensor(type) &&
          !isRowFormat(
              *formatOf(cast<RankedTensorType>(type).getElementType())));
}

std::string vitc::vit::layerName(Location location) {
  if (auto name = dyn_cast<NameLoc>(location))
    return name.getName().str();
  if (auto fused = dyn_cast<FusedLoc>(location))
    return fused.getLocations().empty()
               ? ""
               : layerName(fused.getLocations().back());
  return "";
}
