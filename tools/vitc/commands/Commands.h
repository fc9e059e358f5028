// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The subcommands of vitc: one function and one file each.
#ifndef VITC_TOOLS_COMMANDS_COMMANDS_H
#define VITC_TOOLS_COMMANDS_COMMANDS_H

#include "vitc/Support/Error.h"

#include <string>

namespace vitc::tool {

/// What a subcommand gets from the command line.
struct Invocation {
  const char *program; ///< argv[0], from which the tool's own files are found
  llvm::ArrayRef<std::string> arguments; ///< after the subcommand's name
};

/// Each parses its own arguments and prints its results to standard output. A
/// user error ends the tool with 1, any other with 2.
#define VITC_COMMAND(Name, Run, Summary, Source)                               \
  llvm::Error Run(const Invocation &invocation);
#include "commands/Commands.def"

} // namespace vitc::tool

#endif // VITC_TOOLS_COMMANDS_COMMANDS_H
