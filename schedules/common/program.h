// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Running another program.
#ifndef VITC_SCHEDULES_COMMON_PROGRAM_H
#define VITC_SCHEDULES_COMMON_PROGRAM_H

#include <string>
#include <vector>

namespace vitc::schedules {

/// Runs a program, found in the PATH if need be, and puts what it writes into
/// `output`; `log` is a file that holds it for a while. Whether it exited with
/// 0.
bool runProgram(const std::string &program,
                const std::vector<std::string> &arguments,
                const std::string &log, std::string &output);

} // namespace vitc::schedules

#endif // VITC_SCHEDULES_COMMON_PROGRAM_H
