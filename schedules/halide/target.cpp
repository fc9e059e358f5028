#include "target.h"

#include "common/spec.h"

namespace vitc::halide {

namespace {
struct Entry {
  const char *name, *features;
};
} // namespace

static const Entry entries[] = {
    {/*name=*/"x86-64-avx2", /*features=*/"sse41-avx-avx2-fma-f16c"},
    {/*name=*/"x86-64-avx512",
     /*features=*/"sse41-avx-avx2-fma-f16c-avx512-avx512_skylake"},
};

/// Kernels are pure: shapes are constants, so nothing is left to check or to
/// ask at run time, and no runtime of Halide's stands behind them. The user
/// context carries the caller's threads to halide_do_par_for.
constexpr const char *pureKernels =
    "-no_asserts-no_bounds_query-no_runtime-user_context";

Halide::Target halideTarget(const std::string &name) {
  for (const Entry &entry : entries)
    if (name == entry.name)
      return Halide::Target(std::string("x86-64-linux-") + entry.features +
                            pureKernels);
  throw schedules::SpecError("target: '" + name + "' is not one of Halide's");
}

} // namespace vitc::halide
