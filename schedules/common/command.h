// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The command line of a backend program, and what its files have in common
/// (docs/KernelProtocol.md).
#ifndef VITC_SCHEDULES_COMMON_COMMAND_H
#define VITC_SCHEDULES_COMMON_COMMAND_H

#include "common/schedule.h"

#include <functional>
#include <string>
#include <vector>

namespace vitc::schedules {

struct EmitOptions {
  std::string prefix;
  bool assembly = false; ///< also PREFIX.s
  bool stmt = false;     ///< also PREFIX.stmt, the loops after lowering
};

struct BackendProgram {
  std::string name;    ///< "halide": the program is vitc-halide
  std::string title;   ///< "Halide"
  std::string version; ///< "21.0.0"
  std::vector<std::string> families;
  /// Compiles one kernel and writes its files: all of them, or none and an
  /// exception.
  std::function<void(const KernelSpec &, const EmitOptions &)> compile;
  /// Reads the specification and fills in the schedule, but compiles nothing.
  std::function<Schedule::Result(const KernelSpec &, Schedule::Mode)> plan;
};

/// The whole of main(). Returns the exit code.
int runBackend(const BackendProgram &program, int argc, char **argv);

/// The first line of PREFIX.cpp: a comment that says what wrote it.
std::string headline(const std::string &backend, const std::string &title,
                     const std::string &version, const KernelSpec &spec);

/// PREFIX.json. With an assembly file it also says how many registers the inner
/// loops spill. `extra` has
/// further fields, if any.
std::string reportText(const std::string &backend, const std::string &version,
                       const KernelSpec &spec,
                       const nlohmann::ordered_json &schedule,
                       const std::string &objectPath, double milliseconds,
                       const std::string &assemblyPath = "",
                       const nlohmann::ordered_json &extra = {});

} // namespace vitc::schedules

#endif // VITC_SCHEDULES_COMMON_COMMAND_H
