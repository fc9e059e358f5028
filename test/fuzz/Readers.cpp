// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Readers.h"

#include <algorithm>
#include <array>

namespace vitc::fuzz {

std::string expectUserError(llvm::Error error) {
  bool isUsers = error.isA<UserError>();
  std::string message = llvm::toString(std::move(error));
  if (!isUsers)
    fault("not a user error: " + message);
  if (message.empty())
    fault("a user error without a word");
  return message;
}

template <typename T>
static void readEndsAs(const Checkpoint &checkpoint, const TensorInfo &tensor) {
  std::array<T, 16> values;
  int64_t elements = tensor.elements();
  auto count = std::min<int64_t>(elements, values.size());
  llvm::MutableArrayRef<T> out(values.data(), size_t(count));
  checkpoint.read(tensor, 0, out);
  checkpoint.read(tensor, elements - count, out);
}

void readEnds(const Checkpoint &checkpoint) {
  for (const TensorInfo &tensor : checkpoint.tensors()) {
    if (checkpoint.find(tensor.name) == nullptr)
      fault("a tensor that is there is not found: " + tensor.name);
    readEndsAs<float>(checkpoint, tensor);
    readEndsAs<double>(checkpoint, tensor);
    if (!isFloatingPoint(tensor.type))
      readEndsAs<int64_t>(checkpoint, tensor);
  }
}

} // namespace vitc::fuzz
