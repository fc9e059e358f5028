// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// One function per model family; Import.cpp picks by `model_type`.
#ifndef VITC_LIB_FRONTEND_FAMILIES_H
#define VITC_LIB_FRONTEND_FAMILIES_H

#include "Family.h"

namespace vitc {

#define VITC_MODEL_FAMILY(ModelType, Import, Source)                           \
  FamilyResult Import(FamilyImport &import);
#include "Families.def"

/// A config with `architecture`: the classes of timm.
FamilyResult importTimm(FamilyImport &import);

} // namespace vitc

#endif // VITC_LIB_FRONTEND_FAMILIES_H
