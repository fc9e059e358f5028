// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All kernel families.

#ifndef VITC_SCHEDULES_FAMILIES_FAMILIES_TD
#define VITC_SCHEDULES_FAMILIES_FAMILIES_TD

include "families/Base.td"
include "families/Attention.td"
include "families/Maps.td"
include "families/Products.td"
include "families/Quantized.td"
include "families/RowFamilies.td"

#endif // VITC_SCHEDULES_FAMILIES_FAMILIES_TD
