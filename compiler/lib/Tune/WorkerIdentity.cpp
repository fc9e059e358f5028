// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Tune/WorkerIdentity.h"

#include "vitc/Records/Machine.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#include <unistd.h>

using namespace vitc::tune;

/// Seconds since boot at which a process started, in the kernel's ticks; empty
/// if there is no such process. Tells it from a later one of the same number.
static std::string startOf(llvm::StringRef process) {
  auto buffer =
      llvm::MemoryBuffer::getFileAsStream("/proc/" + process + "/stat");
  if (!buffer)
    return "";
  // The name, in parentheses, may hold anything; 20 fields on is the start.
  llvm::SmallVector<llvm::StringRef> fields;
  (*buffer)->getBuffer().rsplit(')').second.trim().split(fields, ' ');
  return fields.size() > 19 ? fields[19].str() : "";
}

std::string vitc::tune::workerName() {
  std::string process = std::to_string(getpid());
  return thisMachine().host + ":" + process + ":" + startOf(process);
}

bool vitc::tune::mayBeRunning(llvm::StringRef worker) {
  llvm::SmallVector<llvm::StringRef> parts;
  worker.split(parts, ':');
  return parts.size() != 3 || parts[0] != thisMachine().host ||
         !llvm::all_of(parts[1], llvm::isDigit) ||
         startOf(parts[1]) == parts[2];
}
