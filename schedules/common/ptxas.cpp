// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/ptxas.h"

#include "common/program.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <regex>
#include <sstream>

using nlohmann::ordered_json;

namespace vitc::schedules {

namespace {

/// A multiprocessor's means, from NVIDIA's table of technical specifications by
/// compute capability.
struct Multiprocessor {
  int capability;
  int warps, blocks, registers, sharedBytes;
};

/// What ptxas says of one kernel.
struct Usage {
  int registers, spillBytes;
  int stackBytes; ///< of a thread: spilled registers, arrays that fit in none
};

} // namespace

static const Multiprocessor multiprocessors[] = {
    {80, /*warps=*/64, /*blocks=*/32, /*registers=*/65536, 164 * 1024},
    {86, /*warps=*/48, /*blocks=*/16, /*registers=*/65536, 100 * 1024},
    {90, /*warps=*/64, /*blocks=*/32, /*registers=*/65536, 228 * 1024},
};

double occupancy(int computeCapability, int threads, int registers,
                 int sharedBytes) {
  // Registers are given to warps in units of 256, shared memory to blocks in
  // units of 128 bytes, with 1 KiB on top for the system.
  constexpr int warpThreads = 32, registerUnit = 256, sharedUnit = 128,
                systemBytes = 1024;
  for (const Multiprocessor &sm : multiprocessors) {
    if (sm.capability != computeCapability)
      continue;
    auto roundUp = [](int value, int unit) {
      return (value + unit - 1) / unit * unit;
    };
    int warps = (threads + warpThreads - 1) / warpThreads;
    int warpRegisters = roundUp(registers * warpThreads, registerUnit);
    int shared = roundUp(sharedBytes + systemBytes, sharedUnit);
    int blocks = std::min({sm.blocks, sm.warps / warps,
                           sm.registers / (warpRegisters * warps),
                           sm.sharedBytes / shared});
    return double(blocks) * warps / sm.warps;
  }
  throw std::logic_error("no table for compute capability " +
                         std::to_string(computeCapability));
}

int capabilityOf(const Machine &machine) {
  return std::stoi(machine.name.substr(machine.name.find("sm") + 2));
}

/// Reads the lines that `ptxas -v` writes for each entry: its name, then its
/// stack and spills, then its registers.
static std::map<std::string, Usage> readUsage(const std::string &text) {
  static const std::regex name("Compiling entry function '([^']+)'"),
      memory("(\\d+) bytes stack frame, (\\d+) bytes spill stores, "
             "(\\d+) bytes spill loads"),
      registers("Used (\\d+) registers");
  std::map<std::string, Usage> result;
  std::string entry, line;
  std::istringstream lines(text);
  while (std::getline(lines, line)) {
    std::smatch match;
    if (std::regex_search(line, match, name))
      result[entry = match[1]] = {};
    else if (entry.empty())
      continue;
    else if (std::regex_search(line, match, memory)) {
      result[entry].stackBytes = std::stoi(match[1]);
      result[entry].spillBytes = std::stoi(match[2]) + std::stoi(match[3]);
    } else if (std::regex_search(line, match, registers))
      result[entry].registers = std::stoi(match[1]);
  }
  return result;
}

void assembleLaunches(ordered_json &launches, const Machine &machine,
                      const std::string &ptxas, const std::string &ptxPath) {
  int capability = capabilityOf(machine);
  std::string text;
  if (!runProgram(ptxas,
                  {"-v", "-arch=sm_" + std::to_string(capability), ptxPath,
                   "-o", "/dev/null"},
                  ptxPath + ".log", text))
    throw std::runtime_error(ptxas + " refuses the kernel: " + text);
  std::map<std::string, Usage> usage = readUsage(text);
  for (ordered_json &launch : launches) {
    auto found = usage.find(launch["entry"]);
    if (found == usage.end())
      throw std::runtime_error(ptxas + " says nothing of " +
                               launch["entry"].get<std::string>());
    int threads = 1;
    for (int extent : launch["threads"])
      threads *= extent;
    launch["registers"] = found->second.registers;
    launch["spill_bytes"] = found->second.spillBytes;
    launch["stack_bytes"] = found->second.stackBytes;
    double share = occupancy(capability, threads, found->second.registers,
                             launch["shared_bytes"]);
    launch["occupancy"] = std::round(1000 * share) / 1000;
  }
}

} // namespace vitc::schedules
