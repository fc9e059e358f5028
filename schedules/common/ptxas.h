// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// CUDA's assembler as a witness: what it makes of a kernel's PTX.
#ifndef VITC_SCHEDULES_COMMON_PTXAS_H
#define VITC_SCHEDULES_COMMON_PTXAS_H

#include "common/machine.h"

#include <nlohmann/json.hpp>

namespace vitc::schedules {

/// The compute capability: "cuda-sm80" gives 80.
int capabilityOf(const Machine &machine);

/// Assembles `ptxPath` for the machine with the program `ptxas`, and adds to
/// each of `launches` the fields registers, spill_bytes, stack_bytes and
/// occupancy.
void assembleLaunches(nlohmann::ordered_json &launches, const Machine &machine,
                      const std::string &ptxas, const std::string &ptxPath);

/// The share of a multiprocessor's warps that can be active at a time, by what
/// the resident blocks take of its registers and shared memory.
double occupancy(int computeCapability, int threads, int registers,
                 int sharedBytes);

} // namespace vitc::schedules

#endif // VITC_SCHEDULES_COMMON_PTXAS_H
