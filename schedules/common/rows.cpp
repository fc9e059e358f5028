#include "common/rows.h"

#include "common/machine.h"

#include <algorithm>
#include <cmath>

namespace vitc::schedules {

RowTasks readRowTasks(Schedule &schedule, int rows, double flopsPerRow) {
  constexpr double flopsPerTask = 2e5;
  int block = schedule.get(
      "block_rows",
      int(std::min<double>(rows, std::ceil(flopsPerTask / flopsPerRow))), 1,
      rows);
  int tasks = (rows + block - 1) / block;
  bool parallel =
      schedule.get("parallel", worthParallel(flopsPerRow * block, tasks), 0, 1);
  return {block, parallel};
}

} // namespace vitc::schedules
