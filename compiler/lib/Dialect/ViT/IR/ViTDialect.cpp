// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Dialect/ViT/IR/ViT.h"

using namespace mlir;

bool vitc::vit::isModelTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.getElementType().isF32() || !tensor.hasStaticShape() ||
      tensor.getEncoding() || tensor.getRank() == 0)
    return false;
  int64_t elements = 1;
  for (int64_t extent : tensor.getShape()) {
    if (extent == 0 || extent >= maxElements / elements)
      return false;
    elements *= extent;
  }
  return true;
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
