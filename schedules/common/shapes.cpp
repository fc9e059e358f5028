// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/shapes.h"

#include <algorithm>
#include <limits>

namespace vitc::schedules {

void checkSize(const std::string &name,
               const std::vector<Dimension> &dimensions) {
  int64_t last = 0;
  for (const Dimension &dimension : dimensions)
    last += (dimension.extent - 1) * dimension.stride;
  if (last > std::numeric_limits<int32_t>::max())
    throw SpecError(name + ": the buffer has more than 2^31 elements");
}

int roundUp(int value, int multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

int divisorUpTo(int value, int most) {
  int divisor = std::max(1, std::min(value, most));
  while (value % divisor != 0)
    --divisor;
  return divisor;
}

int rowStride(Fields &spec, const std::string &name, int least) {
  int stride = spec.integer(name, 1);
  if (stride < least)
    spec.fail(name, std::to_string(stride) + " is less than the " +
                        std::to_string(least) + " floats of a row");
  return stride;
}

int paddedColumns(int cols, int stride) {
  return stride % paddingFloats == 0 ? roundUp(cols, paddingFloats) : cols;
}

const std::vector<std::string> &activationNames() {
  static const std::vector<std::string> names = {
      "none",         "gelu",  "gelu_tanh",  "quick_gelu", "relu",
      "sigmoid",      "silu",  "tanh",       "mish",       "hard_swish",
      "hard_sigmoid", "relu6", "leaky_relu", "elu"};
  return names;
}

} // namespace vitc::schedules
