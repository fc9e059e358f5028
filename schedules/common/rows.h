// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// How kernels that work on rows share them out.
#ifndef VITC_SCHEDULES_COMMON_ROWS_H
#define VITC_SCHEDULES_COMMON_ROWS_H

#include "common/schedule.h"

namespace vitc::schedules {

struct RowTasks {
  int rows;      ///< of a task
  bool parallel; ///< whether tasks go to threads at all
};

/// The schedule's block_rows and parallel, for `rows` rows.
RowTasks readRowTasks(Schedule &schedule, int rows, double flopsPerRow);

} // namespace vitc::schedules

#endif // VITC_SCHEDULES_COMMON_ROWS_H
