// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Dialect/Kernel/IR/ElementTypes.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace vitc::kernel;

namespace {

enum class Id {
#define VITC_ELEMENT_TYPE(Id, NAME, Number, ...) Id,
#include "../../../../../runtime/include/vitc/runtime/element_types.def"
};

} // namespace

static constexpr ElementTypeInfo infos[] = {
#define VITC_ELEMENT_TYPE(Id, NAME, Number, Bytes, CType, Text)                \
  {Number, Bytes, "VITC_" #NAME, #CType, Text},
#include "../../../../../runtime/include/vitc/runtime/element_types.def"
};

static std::optional<Id> idOf(Type type) {
  if (type.isF32())
    return Id::F32;
  if (type.isF16())
    return Id::F16;
  if (type.isBF16())
    return Id::Bf16;
  // Signless integers are signed here, as everywhere in C.
  bool isUnsigned = type.isUnsignedInteger();
  switch (type.isInteger() ? type.getIntOrFloatBitWidth() : 0) {
  case 8:
    return isUnsigned ? Id::U8 : Id::I8;
  case 16:
    return isUnsigned ? Id::U16 : Id::I16;
  case 32:
    if (!isUnsigned)
      return Id::I32;
    break;
  case 64:
    if (!isUnsigned)
      return Id::I64;
    break;
  default:
    break;
  }
  return std::nullopt;
}

bool vitc::kernel::isElementType(Type type) { return idOf(type).has_value(); }

const ElementTypeInfo &vitc::kernel::elementTypeInfo(Type type) {
  std::optional<Id> id = idOf(type);
  assert(id && "the runtime has no such element type");
  return infos[size_t(*id)];
}
