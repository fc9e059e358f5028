// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Records/Machine.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Threading.h"
#include "llvm/TargetParser/Host.h"

#include <ctime>
#include <unistd.h>

using namespace vitc::tune;

/// The first processor of /proc/cpuinfo, field by field.
static llvm::StringMap<std::string> readCpuInfo() {
  llvm::StringMap<std::string> fields;
  auto buffer = llvm::MemoryBuffer::getFileAsStream("/proc/cpuinfo");
  if (!buffer)
    return fields;
  for (llvm::StringRef rest = (*buffer)->getBuffer(); !rest.empty();) {
    llvm::StringRef line;
    std::tie(line, rest) = rest.split('\n');
    auto [name, value] = line.split(':');
    fields.try_emplace(name.trim(), value.trim().str());
  }
  return fields;
}

static Machine describeMachine() {
  llvm::StringMap<std::string> cpu = readCpuInfo();
  Machine machine;
  if (cpu.contains("vendor_id"))
    machine.cpu =
        cpu["vendor_id"] + "-" + cpu["cpu family"] + "-" + cpu["model"];
  else if (cpu.contains("CPU part"))
    machine.cpu = "arm-" + cpu["CPU implementer"] + "-" + cpu["CPU part"];
  else
    machine.cpu = llvm::sys::getHostCPUName().str();
  unsigned cores =
      llvm::heavyweight_hardware_concurrency().compute_thread_count();
  machine.description =
      (cpu.contains("model name") ? cpu["model name"]
                                  : llvm::sys::getHostCPUName().str()) +
      ", " + std::to_string(cores) + (cores == 1 ? " core" : " cores");
  char name[256] = "";
  gethostname(name, sizeof(name) - 1);
  machine.host = name;
  return machine;
}

const Machine &vitc::tune::thisMachine() {
  static const Machine machine = describeMachine();
  return machine;
}

std::string vitc::tune::timestamp(double seconds) {
  // What a row says may be any number; a date has four digits for its year.
  constexpr double latest = 253402300799; // 9999-12-31T23:59:59Z
  bool isDate = seconds >= 0 && seconds <= latest;
  std::time_t time = isDate ? std::time_t(seconds) : 0;
  std::tm parts;
  gmtime_r(&time, &parts);
  char text[32];
  std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}
