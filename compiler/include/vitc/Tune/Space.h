// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The schedules of a kernel, as its backend declares them
/// (docs/KernelProtocol.md).
#ifndef VITC_TUNE_SPACE_H
#define VITC_TUNE_SPACE_H

#include "vitc/Tune/Store.h"

#include <map>

namespace vitc::tune {

/// The programs that make kernels, by the backends' names.
using Backends = std::map<std::string, std::string>;

struct Parameter {
  std::string name, meaning;
  int64_t standard; ///< what the default rule says
  std::vector<int64_t> values;
  bool forThreads;
};

class Space {
public:
  /// Asks the backend. `folder` is for files that pass between the programs.
  static llvm::Expected<Space> ask(llvm::StringRef backend,
                                   llvm::StringRef program,
                                   const KernelRow &kernel,
                                   llvm::StringRef folder);

  /// For each proposal the allowed schedule next to it; fewer where there is
  /// none.
  llvm::Expected<std::vector<llvm::json::Object>>
  complete(llvm::ArrayRef<llvm::json::Object> proposals) const;

  std::string backend;
  std::vector<Parameter> parameters;

private:
  std::string program, specPath, folder;
};

/// The document that a backend reads.
std::string specification(const KernelRow &kernel,
                          const llvm::json::Object &schedule);

/// What a program prints, as JSON.
llvm::Expected<llvm::json::Value>
askProgram(llvm::StringRef program, std::vector<std::string> arguments);

} // namespace vitc::tune

#endif // VITC_TUNE_SPACE_H
