// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What a GPU kernel asks of the device: launches, and for CUDA what ptxas says
/// of each.
#ifndef VITC_SCHEDULES_HALIDE_GPU_REPORT_H
#define VITC_SCHEDULES_HALIDE_GPU_REPORT_H

#include "../kernel.h"

namespace vitc::halide {

/// A list with one object for each launch of `module`, in their order: `entry`,
/// `blocks`, `threads` and `shared_bytes`; for CUDA, where the environment
/// variable PTXAS names the assembler, also `registers`, `spill_bytes`,
/// `stack_bytes` and `occupancy`. `deviceCode` is the file that the module's
/// kernels were written to. Throws if the assembler refuses it.
nlohmann::ordered_json describeLaunches(const Halide::Module &module,
                                        const Machine &machine,
                                        const std::string &deviceCode);

} // namespace vitc::halide

#endif // VITC_SCHEDULES_HALIDE_GPU_REPORT_H
