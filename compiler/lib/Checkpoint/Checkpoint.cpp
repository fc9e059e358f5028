// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Checkpoint/Checkpoint.h"

#include "StoredData.h"
#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace llvm;

namespace vitc {

int64_t TensorInfo::elements() const {
  int64_t result = 1;
  for (int64_t extent : shape)
    result *= extent;
  return result;
}

const TensorInfo *Checkpoint::find(StringRef name) const {
  ArrayRef<TensorInfo> all = tensors();
  const TensorInfo *it =
      lower_bound(all, name, [](const TensorInfo &tensor, StringRef wanted) {
        return StringRef(tensor.name) < wanted;
      });
  return it != all.end() && it->name == name ? it : nullptr;
}

Expected<const TensorInfo *>
Checkpoint::getOfShape(StringRef name, ArrayRef<int64_t> shape) const {
  const TensorInfo *tensor = find(name);
  if (!tensor) {
    std::vector<StringRef> names;
    for (const TensorInfo &other : tensors())
      names.push_back(other.name);
    StringRef nearest = nearestName(name, names);
    std::string hint = nearest.empty()
                           ? std::string()
                           : "; the nearest name there is " + inQuotes(nearest);
    return userError(describe(), "the tensor " + inQuotes(name) + " of shape " +
                                     shownShape(shape) + " is missing" + hint);
  }
  if (ArrayRef<int64_t>(tensor->shape) != shape)
    return userError(tensor->place, "the tensor " + inQuotes(name) +
                                        " has the shape " +
                                        shownShape(tensor->shape) +
                                        ", expected " + shownShape(shape));
  return tensor;
}

static Error wrongType(const TensorInfo &tensor, StringRef expected) {
  return userError(tensor.place,
                   "the tensor " + inQuotes(tensor.name) + " has the dtype " +
                       storedTypeName(tensor.type) + ", expected " + expected);
}

Expected<const TensorInfo *> Checkpoint::get(StringRef name,
                                             ArrayRef<int64_t> shape) const {
  Expected<const TensorInfo *> tensor = getOfShape(name, shape);
  // Indices and masks are no weights.
  if (tensor && !isFloatingPoint((*tensor)->type))
    return wrongType(**tensor, "F64, F32, F16 or BF16");
  return tensor;
}

Expected<std::vector<int64_t>>
Checkpoint::getIntegers(StringRef name, ArrayRef<int64_t> shape) const {
  Expected<const TensorInfo *> tensor = getOfShape(name, shape);
  if (!tensor)
    return tensor.takeError();
  if (isFloatingPoint((*tensor)->type))
    return wrongType(**tensor, "I64, I32, I16, I8, U8 or BOOL");
  std::vector<int64_t> values((*tensor)->elements());
  read(**tensor, 0, MutableArrayRef<int64_t>(values));
  return values;
}

template <typename T>
static int64_t countNonFiniteAs(const Checkpoint &checkpoint,
                                const TensorInfo &tensor) {
  constexpr int64_t chunk = 16384; // stays in the first-level cache
  std::vector<T> values(std::min(chunk, tensor.elements()));
  int64_t count = 0;
  for (int64_t first = 0; first < tensor.elements(); first += chunk) {
    size_t size = std::min(chunk, tensor.elements() - first);
    checkpoint.read(tensor, first, MutableArrayRef<T>(values.data(), size));
    for (size_t i = 0; i < size; ++i)
      count += !std::isfinite(values[i]);
  }
  return count;
}

int64_t countNonFinite(const Checkpoint &checkpoint, const TensorInfo &tensor) {
  switch (tensor.type) {
  case StoredType::F64: // a large one is only infinite as a float
    return countNonFiniteAs<double>(checkpoint, tensor);
  case StoredType::F32:
  case StoredType::F16:
  case StoredType::BF16:
    return countNonFiniteAs<float>(checkpoint, tensor);
  default:
    return 0;
  }
}

} // namespace vitc
