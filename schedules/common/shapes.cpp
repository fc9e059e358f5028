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

int paddedColumns(int cols, int stride) {
  return stride % paddingFloats == 0 ? roundUp(cols, paddingFloats) : cols;
}

} // namespace vitc::schedules
