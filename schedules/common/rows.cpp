// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/rows.h"

#include "common/machine.h"

#include <algorithm>
#include <cmath>

namespace vitc::schedules {

RowTasks readRowTasks(Schedule &schedule, int rows, double flopsPerRow) {
  constexpr double flopsPerTask = 2e5;
  int block = schedule.get(
      "block_rows", "rows of a task",
      int(std::min<double>(rows, std::ceil(flopsPerTask / flopsPerRow))),
      Values(1, rows).forThreads());
  int tasks = (rows + block - 1) / block;
  bool parallel = schedule.parallel(worthParallel(flopsPerRow * block, tasks));
  return {block, parallel};
}

} // namespace vitc::schedules
