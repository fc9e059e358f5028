// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// One function per model family; Import.cpp picks by `model_type`.
#ifndef VITC_LIB_FRONTEND_FAMILIES_H
#define VITC_LIB_FRONTEND_FAMILIES_H

#include "Family.h"

namespace vitc {

FamilyResult importTransformersBeit(FamilyImport &import);
FamilyResult importTransformersClip(FamilyImport &import);
FamilyResult importTransformersDeiT(FamilyImport &import);
FamilyResult importTransformersDinov2(FamilyImport &import);
FamilyResult importTransformersDinov3(FamilyImport &import);
FamilyResult importTransformersSiglip(FamilyImport &import);
FamilyResult importTransformersMobileViT(FamilyImport &import);
FamilyResult importTransformersSwin(FamilyImport &import);
FamilyResult importTransformersViT(FamilyImport &import);

/// vitc's own config.
FamilyResult importOwn(FamilyImport &import);

/// A config with `architecture`: the classes of timm.
FamilyResult importTimm(FamilyImport &import);

} // namespace vitc

#endif // VITC_LIB_FRONTEND_FAMILIES_H
