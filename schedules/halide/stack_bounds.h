// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The sizes of buffers on the stack.
#ifndef VITC_SCHEDULES_HALIDE_STACK_BOUNDS_H
#define VITC_SCHEDULES_HALIDE_STACK_BOUNDS_H

#include "Halide.h"

#include <map>
#include <string>

namespace vitc::halide {

/// A pass that gives buffers the sizes in `floats`, by their functions' names.
/// Halide bounds the size of a block of rows [b·n, min(b·n + n, rows)) by its
/// ends one by one, as if it were all rows: for attention over 577 tokens that
/// is 1.5 MB of stack where 64 KB are used.
Halide::Internal::IRMutator *
boundStack(const std::map<std::string, int> &floats);

} // namespace vitc::halide

#endif // VITC_SCHEDULES_HALIDE_STACK_BOUNDS_H
