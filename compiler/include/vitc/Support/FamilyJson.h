// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The fields of kernel families as LLVM's JSON.
#ifndef VITC_SUPPORT_FAMILYJSON_H
#define VITC_SUPPORT_FAMILYJSON_H

#include "families/spec.h"

#include "llvm/Support/JSON.h"

namespace vitc {

/// The object `spec` of the kernel protocol.
llvm::json::Object toJson(const families::FieldValues &fields);

/// The fields of such an object, for the family to read.
families::FieldValues fieldValues(const llvm::json::Object &spec);

} // namespace vitc

#endif // VITC_SUPPORT_FAMILYJSON_H
