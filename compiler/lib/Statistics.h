// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Included before everything else in builds with assertions. The statistics of
/// MLIR's passes have another layout with assertions than without, and the
/// installed library was built without: a pass would write over its neighbours.
/// Methods for debuggers, too, are as the library has them; in builds with
/// assertions every file would hold a copy of all of them.
#ifndef NDEBUG
#define NDEBUG
#include "llvm/ADT/Statistic.h"
#undef NDEBUG
#endif
