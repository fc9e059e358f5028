// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Writing a kernel's files: object, adapter, report, and on request what there
/// is to inspect.
#ifndef VITC_SCHEDULES_TVM_EMIT_H
#define VITC_SCHEDULES_TVM_EMIT_H

#include "common/command.h"
#include "kernel.h"

namespace vitc::tvm_backend {

/// "0.27.0.post1"
std::string tvmVersion();

/// Compiles `kernel` and writes its files: all of them, or none and an
/// exception. `milliseconds` have gone by before.
void emitKernel(const Kernel &kernel, const KernelSpec &spec,
                const EmitOptions &options, double milliseconds);

/// The adapter's parameters: ", const float *a, float *out".
std::string parameterList(const Kernel &kernel);
/// The adapter's first line.
std::string headline(const KernelSpec &spec);

} // namespace vitc::tvm_backend

#endif // VITC_SCHEDULES_TVM_EMIT_H
