/// CUDA's assembler as a witness: what it makes of a kernel's PTX.
#ifndef VITC_SCHEDULES_HALIDE_GPU_PTXAS_H
#define VITC_SCHEDULES_HALIDE_GPU_PTXAS_H

#include "common/machine.h"

#include <nlohmann/json.hpp>

namespace vitc::halide {

using namespace vitc::schedules;

/// Assembles `ptxPath` for the machine with the program `ptxas`, and adds to
/// each of `launches` the fields registers, spill_bytes, stack_bytes and
/// occupancy.
void assembleLaunches(nlohmann::ordered_json &launches, const Machine &machine,
                      const std::string &ptxas, const std::string &ptxPath);

/// The share of a multiprocessor's warps that can be active at a time, by what
/// the resident blocks take of its registers and shared memory.
double occupancy(int computeCapability, int threads, int registers,
                 int sharedBytes);

} // namespace vitc::halide

#endif // VITC_SCHEDULES_HALIDE_GPU_PTXAS_H
