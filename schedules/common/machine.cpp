// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/machine.h"

#include "common/spec.h"

#include "targets/levels.h"

#include <algorithm>
#include <stdexcept>

namespace vitc::schedules {

using namespace targetinfo;

static Api apiOf(Device device) {
  switch (device) {
  case Device::None:
    return Api::Cpu;
  case Device::Cuda:
    return Api::Cuda;
  case Device::OpenCl:
    return Api::OpenCl;
  }
  throw std::logic_error("unknown device");
}

static Machine machineOf(const Level &level) {
  Machine machine;
  machine.name = level.kernelTarget;
  machine.lanes = level.lanes(ElementType::F32);
  machine.registers = level.registers;
  // A GPU's tiles are a matter of gpu/product.cpp.
  machine.tileN = level.isGpu() ? machine.lanes : level.tile.columns;
  machine.tileRowsMax = level.tile.rows;
  machine.strassenDepth = level.blocking.strassenDepth;
  machine.leftFloats = level.blocking.leftFloats;
  machine.blockDepth = level.blocking.depth;
  machine.unrollK = level.blocking.unrollK;
  machine.multipliesByLane = level.multipliesByLane;
  machine.hasSeparateAdders = level.hasSeparateAdders();
  machine.signedRows = level.signedRows;
  machine.mostByte = level.mostByte();
  machine.hasByteDots = level.hasByteDots();
  machine.hasBf16Dots = level.hasBf16Dots();
  machine.api = apiOf(level.device);
  return machine;
}

Machine machineFor(const std::string &name) {
  if (const Level *level = findLevel(name))
    return machineOf(*level);
  std::string list;
  for (const std::string &known : machineNames())
    list += (list.empty() ? "" : ", ") + known;
  throw SpecError("target: '" + name + "' is not one of " + list);
}

std::vector<std::string> machineNames() {
  std::vector<std::string> names;
  for (const Level *level : levels)
    names.emplace_back(level->kernelTarget);
  return names;
}

std::string describeMachines() {
  nlohmann::ordered_json machines = nlohmann::ordered_json::array();
  for (const Level *level : levels) {
    nlohmann::ordered_json instructions = nlohmann::ordered_json::array();
    for (const FeatureInfo &info : allFeatures)
      if (level->features.contains(info.set) && !info.linuxName.empty())
        instructions.push_back(info.linuxName);
    machines.push_back({{"target", level->kernelTarget},
                        {"architecture", level->architecture->name},
                        {"gpu", level->isGpu()},
                        {"instructions", instructions},
                        {"panel", level->tile.columns},
                        {"separate_adders", level->hasSeparateAdders()},
                        {"signed_rows", level->signedRows},
                        {"most_byte", level->mostByte()},
                        {"float32_kernels",
                         kernelsFor(*level, ElementType::F32).kernelTarget}});
  }
  return machines.dump();
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
