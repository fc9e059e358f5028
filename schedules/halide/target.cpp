// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "target.h"

#include "common/spec.h"

#include "targets/levels.h"

namespace vitc::halide {

/// Kernels are pure: shapes are constants, so nothing is left to check or to
/// ask at run time, and no runtime of Halide's stands behind them. The user
/// context carries the caller's threads to halide_do_par_for.
constexpr const char *pureKernels =
    "-no_asserts-no_bounds_query-no_runtime-user_context";

Halide::Target halideTarget(const std::string &name, bool narrow) {
  if (const targetinfo::Level *level = targetinfo::findLevel(name)) {
    std::string_view features = narrow && !level->halideNarrow.empty()
                                    ? level->halideNarrow
                                    : level->halide;
    return Halide::Target(std::string(features) + pureKernels);
  }
  throw schedules::SpecError("target: '" + name + "' is not one of Halide's");
}

} // namespace vitc::halide
