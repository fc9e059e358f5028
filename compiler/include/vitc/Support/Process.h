// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Other programs: backends, C++ compilers, binutils.
#ifndef VITC_SUPPORT_PROCESS_H
#define VITC_SUPPORT_PROCESS_H

#include "vitc/Support/Error.h"

#include <string>
#include <vector>

namespace vitc {

struct ProcessRequest {
  std::string program; ///< a path
  std::vector<std::string> arguments;
  std::vector<std::string> environment =
      {};          ///< NAME=value; the rest is vitc's own
  int output = -1; ///< an open file for standard output; -1: dropped
};

struct ProcessResult {
  int exitCode =
      0; ///< -1: not started; -2: killed by a signal or by the time limit
  std::string
      error; ///< what it wrote to standard error, and why it could not run
  bool timedOut = false;
  unsigned limitSeconds = 0; ///< the time that it had
  double cpuSeconds = 0; ///< if it timed out: what it and its children took of
                         ///< the processors

  bool succeeded() const { return exitCode == 0; }
  /// Whether it timed out for want of a processor, or waiting, and not because
  /// it had too much to do: a fault of the machine, or of its load.
  bool stalled() const { return timedOut && 2 * cpuSeconds < limitSeconds; }
  /// The first lines of its complaint, for a message.
  std::string describe() const;
};

/// Runs all of them, at most `jobs` at a time, each for at most
/// `timeoutSeconds` (0: no limit). `finished` is called on the caller's thread;
/// an error that it returns ends the others and is returned.
llvm::Error runProcesses(
    llvm::ArrayRef<ProcessRequest> requests, unsigned jobs,
    unsigned timeoutSeconds,
    llvm::function_ref<llvm::Error(size_t index, const ProcessResult &result)>
        finished);

/// One program; its failure is an error that has the command and the complaint.
llvm::Error runProcess(const ProcessRequest &request);

/// One program, and what it wrote to standard output, without the blanks
/// around it. For programs that answer at once; those that do not are ended
/// after `timeoutSeconds`.
llvm::Expected<std::string> runForOutput(ProcessRequest request,
                                         unsigned timeoutSeconds = 120);

/// The path of a program: as it is if it has a slash, else looked up in PATH.
llvm::Expected<std::string> findProgram(llvm::StringRef name);

} // namespace vitc

#endif // VITC_SUPPORT_PROCESS_H
