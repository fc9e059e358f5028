// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Writing a kernel's files: object, adapter, report, and on request what there
/// is to inspect.
#ifndef VITC_SCHEDULES_HALIDE_EMIT_H
#define VITC_SCHEDULES_HALIDE_EMIT_H

#include "common/command.h"
#include "kernel.h"

namespace vitc::halide {

/// "21.0.0"
std::string halideVersion();

/// Compiles `kernel` and writes its files: all of them, or none and an
/// exception. `milliseconds` have gone by before.
void emitKernel(const Kernel &kernel, const KernelSpec &spec,
                const EmitOptions &options, double milliseconds);

} // namespace vitc::halide

#endif // VITC_SCHEDULES_HALIDE_EMIT_H
