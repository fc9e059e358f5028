// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "DeviceCode.h"

#include "vitc/Support/Process.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Process.h"

#include <algorithm>

using namespace vitc;

/// A program of CUDA's, which the environment variable `name` may choose.
static std::string findCudaProgram(const Target &target, llvm::StringRef name,
                                   const std::string &program) {
  if (target.device != "cuda")
    return "";
  auto variable = [](llvm::StringRef name) {
    return llvm::sys::Process::GetEnv(name).value_or("");
  };
  std::vector<std::string> places = {program};
  if (std::string home = variable("CUDA_HOME"); !home.empty())
    places.push_back(home + "/bin/" + program);
  places.push_back("/usr/local/cuda/bin/" + program);
  // Whoever names one wants no other.
  if (std::string named = variable(name); !named.empty())
    places = {named};
  for (const std::string &place : places) {
    llvm::Expected<std::string> found = findProgram(place);
    if (found)
      return *found;
    llvm::consumeError(found.takeError());
  }
  return "";
}

std::string vitc::findDeviceAssembler(const Target &target) {
  return findCudaProgram(target, "PTXAS", "ptxas");
}

std::string vitc::findDeviceCompiler(const Target &target) {
  return findCudaProgram(target, "NVCC", "nvcc");
}

namespace {

/// The extremes over all launches.
struct Extremes {
  int64_t launches = 0, assembled = 0, spilling = 0;
  int64_t registers = 0, sharedBytes = 0;
  double leastOccupancy = 1, mostOccupancy = 0;

  void add(const llvm::json::Object &launch) {
    ++launches;
    sharedBytes =
        std::max(sharedBytes, launch.getInteger("shared_bytes").value_or(0));
    std::optional<int64_t> used = launch.getInteger("registers");
    std::optional<double> occupancy = launch.getNumber("occupancy");
    if (!used || !occupancy)
      return;
    ++assembled;
    registers = std::max(registers, *used);
    leastOccupancy = std::min(leastOccupancy, *occupancy);
    mostOccupancy = std::max(mostOccupancy, *occupancy);
  }
};

} // namespace

DeviceCodeSummary
vitc::summariseDeviceCode(llvm::ArrayRef<CompiledKernel> kernels,
                          const Target &target) {
  DeviceCodeSummary summary;
  Extremes all;
  for (const CompiledKernel &kernel : kernels) {
    const llvm::json::Array *launches = kernel.report.getArray("launches");
    if (!launches)
      continue;
    for (const llvm::json::Value &value : *launches) {
      const llvm::json::Object *launch = value.getAsObject();
      if (!launch)
        continue;
      all.add(*launch);
      auto warn = [&](llvm::StringRef what, int64_t bytes) {
        summary.warnings.push_back(
            llvm::formatv("kernel {0} {1}: {2} bytes in {3}", kernel.name, what,
                          bytes, launch->getString("entry").value_or("?")));
      };
      if (int64_t bytes = launch->getInteger("spill_bytes").value_or(0)) {
        ++all.spilling;
        warn("spills registers", bytes);
      } else if (int64_t bytes =
                     launch->getInteger("stack_bytes").value_or(0)) {
        warn("keeps an array of each thread in memory", bytes);
      }
    }
  }
  summary.text = llvm::formatv("{0} launches, up to {1:f1} kB of shared memory",
                               all.launches, double(all.sharedBytes) / 1000);
  if (target.device != "cuda")
    return summary;
  if (all.assembled == 0) {
    summary.text += "; not assembled: ptxas was not found";
    return summary;
  }
  summary.text += llvm::formatv(
      ", {0} registers, occupancy {1:f0} to {2:f0}%, {3} by ptxas",
      all.registers, 100 * all.leastOccupancy, 100 * all.mostOccupancy,
      all.spilling ? llvm::formatv("{0} spills", all.spilling).str()
                   : std::string("no spill"));
  return summary;
}
