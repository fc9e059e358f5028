// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "resize.h"

namespace vitc::rt {

RowWeights::RowWeights(const ResizeJob &job)
    : axis(job.vertical), top(job.window.top), table(job.memory.table),
      usedBytes(sizeof(double) * size_t(job.window.height)) {
  if (!axis.mixes() || usedBytes > filterTableBytes / 4)
    usedBytes = 0;
  auto *totals = reinterpret_cast<double *>(table);
  for (size_t row = 0; row < usedBytes / sizeof(double); ++row)
    totals[row] = axis.total(top + int32_t(row));
}

int32_t RowWeights::weight(int32_t out, int32_t in) const {
  if (!axis.mixes())
    return weightOne;
  double total = usedBytes ? reinterpret_cast<const double *>(table)[out]
                           : axis.total(top + out);
  return axis.weight(top + out, in, total);
}

/// Pillow 13 goes vertically first when that takes away more than twice as many
/// rows as the other way takes away columns (earlier releases never do). It
/// matters because of the rounding, and the clipping, between the passes.
static bool columnsFirst(const Axis &horizontal, const Axis &vertical) {
  return horizontal.mixes() && vertical.mixes() && vertical.shrinkage() > 0 &&
         vertical.shrinkage() > 2 * horizontal.shrinkage();
}

void resize(const ResizeJob &job) {
  size_t sums = job.rowSamples() * size_t(job.window.height);
  for (size_t index = 0; index < sums; ++index)
    job.memory.sums[index] = emptySum;
  if (columnsFirst(job.horizontal, job.vertical))
    resizeColumnsFirst(job);
  else
    resizeRowsFirst(job);
}

} // namespace vitc::rt
