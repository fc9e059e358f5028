// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Small arithmetic that every family needs: extents, strides and the padding
/// of rows.
#ifndef VITC_SCHEDULES_COMMON_SHAPES_H
#define VITC_SCHEDULES_COMMON_SHAPES_H

#include "common/spec.h"

#include <cstdint>
#include <string>
#include <vector>

namespace vitc::schedules {

/// A dimension of a buffer, in floats.
struct Dimension {
  int64_t extent, stride;
};

/// Every pointer of the protocol is aligned to a cache line, except where its
/// tables say otherwise.
constexpr int lineAlignment = 64;
constexpr int floatAlignment = 4;

/// Strides that are multiples of this many floats promise padding up to the
/// next multiple.
constexpr int paddingFloats = families::lineElements;

/// Both backends address elements with 32-bit numbers.
void checkSize(const std::string &name,
               const std::vector<Dimension> &dimensions);

int roundUp(int value, int multiple);

/// The largest divisor of `value` that is not more than `most`.
int divisorUpTo(int value, int most);

/// How many floats of a row of `cols` may be read and written: the padding
/// belongs to the row where there is one.
int paddedColumns(int cols, int stride);

} // namespace vitc::schedules

#endif // VITC_SCHEDULES_COMMON_SHAPES_H
