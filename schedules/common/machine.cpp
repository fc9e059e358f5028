// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/machine.h"

#include "common/spec.h"

#include <algorithm>

namespace vitc::schedules {

/// A warp of NVIDIA's, and a divisor or multiple of what other GPUs have.
constexpr int gpuLanes = 32;

/// A GPU. Its registers and tiles are a matter of gpu/product.cpp.
static Machine gpu(const char *name, Api api) {
  Machine machine = {};
  machine.name = name;
  machine.lanes = machine.tileN = gpuLanes;
  machine.api = api;
  return machine;
}

/// Tiles, measured on 197 rows. AVX2 has 16 registers: 6x16 uses 12
/// accumulators, 2 vectors of weights and 1 broadcast, and does 12 FMAs for 8
/// loads. AVX-512 has 32: 11x32 uses 22 accumulators and 2 vectors of weights;
/// the broadcast is part of the FMA's memory operand. Wider AVX-512 tiles
/// (9x48) spill in Halide, 11 divides 198. Eight steps of k share a branch and
/// use every float of the left operand's half cache lines.
///
/// ARM has 32 registers of 4 floats. 6x16 uses them all: 24 accumulators, 6 of
/// the left operand and 2 of weights, which a single instruction loads. Four
/// steps of k are 96 multiply-adds for 14 loads; 7x12 has 84 for 13, 8x8 64 for
/// 12, 5x16 80 for 13. 8x12 would need a left operand that is packed. 16 steps
/// share a branch and a prefetch, so that 85% of all instructions multiply.
/// Chosen by counting instructions, not by measuring.
///
/// Passes of a fast product, whose seven left operands are read once per column
/// tile. For 197 rows and k = 3072 one pass of 1536 steps (4.3 MB) is best on
/// Zen 3, which reads them from its third-level cache in time: 8.95 ms, 9.07 in
/// two passes, 9.15 in three, 9.25 in four. A Xeon with AVX-512 takes twice the
/// bandwidth and has 2 MB of second-level cache: four passes, one is 60%
/// slower. ARM's servers have 1 to 2 MB.
///
/// Zen 4 is like the Xeon but for its paired products, whose tiles of 10 rows
/// leave registers for the weights of three steps; plain ones do not care.
///
/// The left operand of other products, likewise: 1 MB of a Xeon's second-level
/// cache, beside a column tile's weights and the next one's.
static const Machine machines[] = {
    {/*name=*/"x86-64-avx2", /*lanes=*/8, /*registers=*/16, /*tileN=*/16,
     /*tileRowsMax=*/6, /*fastDepth=*/1536, /*leftFloats=*/0, /*blockDepth=*/0,
     /*unrollK=*/8,
     /*multipliesByLane=*/false},
    {/*name=*/"x86-64-avx512", /*lanes=*/16, /*registers=*/32, /*tileN=*/32,
     /*tileRowsMax=*/11, /*fastDepth=*/384, /*leftFloats=*/256 * 1024,
     /*blockDepth=*/1024, /*unrollK=*/8,
     /*multipliesByLane=*/false},
    {/*name=*/"x86-64-zen4", /*lanes=*/16, /*registers=*/32, /*tileN=*/32,
     /*tileRowsMax=*/10, /*fastDepth=*/384, /*leftFloats=*/256 * 1024,
     /*blockDepth=*/1024, /*unrollK=*/8,
     /*multipliesByLane=*/false, /*addsAside=*/true},
    {/*name=*/"arm-64", /*lanes=*/4, /*registers=*/32, /*tileN=*/16,
     /*tileRowsMax=*/6, /*fastDepth=*/384, /*leftFloats=*/0, /*blockDepth=*/0,
     /*unrollK=*/16,
     /*multipliesByLane=*/true},
    {/*name=*/"arm-64-dotprod", /*lanes=*/4, /*registers=*/32, /*tileN=*/16,
     /*tileRowsMax=*/6, /*fastDepth=*/384, /*leftFloats=*/0, /*blockDepth=*/0,
     /*unrollK=*/16,
     /*multipliesByLane=*/true},
    gpu("cuda-sm80", Api::Cuda),
    gpu("cuda-sm86", Api::Cuda),
    gpu("cuda-sm90", Api::Cuda),
    gpu("opencl", Api::OpenCl),
};

Machine machineFor(const std::string &name) {
  std::string list;
  for (const Machine &machine : machines) {
    if (name == machine.name)
      return machine;
    list += (list.empty() ? "" : ", ") + machine.name;
  }
  throw SpecError("target: '" + name + "' is not one of " + list);
}

std::vector<std::string> machineNames() {
  std::vector<std::string> names;
  for (const Machine &machine : machines)
    names.push_back(machine.name);
  return names;
}

int Machine::lanesFor(int extent) const {
  int result = lanes;
  while (extent % result != 0)
    result /= 2;
  return result;
}

int Machine::tileRows(int columns, int lanes) const {
  int vectors = std::max(1, columns / lanes);
  int rows =
      std::max(1, multipliesByLane ? (registers - 2) / (vectors + 1)
                                   : (registers - 1 - vectors) / vectors);
  // Narrow tiles may be taller, but address registers are few: 12 rows are
  // enough to hide the FMA's latency.
  return std::min(rows, columns >= tileN ? tileRowsMax : 12);
}

bool worthParallel(double flopsPerTask, double tasks) {
  constexpr double leastFlopsPerTask = 1e5;
  return tasks >= 2 && flopsPerTask >= leastFlopsPerTask;
}

} // namespace vitc::schedules
