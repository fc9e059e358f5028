// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Ops whose levels have different algorithms.
#include "Lowering.h"

using namespace mlir;
using namespace vitc;
using namespace vitc::lowering;

/// The algorithm whose call a level takes part in.
static kernel::Algorithm callOf(kernel::Algorithm algorithm,
                                bool someAreWinograd) {
  bool joins = algorithm == kernel::Algorithm::Plain && someAreWinograd;
  return joins ? kernel::Algorithm::Winograd : algorithm;
}

FailureOr<SmallVector<Lowering::Alternative>>
Lowering::alternativesOf(Operation *op) const {
  Attribute selection = op->getAttr(kernel::selectedAttrName);
  if (!selection)
    return SmallVector<Alternative>{{kernel::Algorithm::Plain, {}}};
  SmallVector<kernel::LevelAttr> selected;
  auto array = dyn_cast<ArrayAttr>(selection);
  if (array)
    for (Attribute attr : array)
      if (auto level = dyn_cast<kernel::LevelAttr>(attr))
        selected.push_back(level);
  if (selected.empty() || selected.size() != array.size())
    return op->emitError() << kernel::selectedAttrName << " is " << selection
                           << ", expected a list of #kernel.level";
  bool someAreWinograd = llvm::any_of(selected, [](kernel::LevelAttr level) {
    return level.getAlgorithm() == kernel::Algorithm::Winograd;
  });
  SmallVector<Alternative> alternatives;
  for (kernel::LevelAttr level : selected) {
    kernel::Algorithm algorithm = callOf(level.getAlgorithm(), someAreWinograd);
    auto *known = llvm::find_if(alternatives, [&](const Alternative &other) {
      return other.algorithm == algorithm;
    });
    if (known == alternatives.end())
      known = alternatives.insert(known, {algorithm, {}});
    known->levels.push_back(level.getName());
  }
  return alternatives;
}

LogicalResult
Lowering::lowerAlternatives(Operation *op,
                            function_ref<void(kernel::Algorithm)> lower) {
  FailureOr<SmallVector<Alternative>> alternatives = alternativesOf(op);
  if (failed(alternatives))
    return failure();
  for (const Alternative &alternative : *alternatives) {
    if (alternatives->size() > 1)
      levels = builder.getStrArrayAttr(alternative.levels);
    lower(alternative.algorithm);
  }
  levels = ArrayAttr();
  return success();
}
