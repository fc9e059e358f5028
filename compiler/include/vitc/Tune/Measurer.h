// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Compiles candidates and has them measured, each in a process of its own.
#ifndef VITC_TUNE_MEASURER_H
#define VITC_TUNE_MEASURER_H

#include "vitc/Tune/Space.h"

namespace vitc::tune {

/// Programs and folders that measuring needs.
struct Tools {
  Backends backends;
  std::vector<std::string> targets; ///< whose kernels this machine runs
  std::string measureProgram;       ///< vitc-measure
  std::string cxx;                  ///< compiles adapters and links candidates
  std::string runtimeFolder;        ///< for the adapters' headers
  std::string folder;               ///< for files; the caller removes it
};

/// A candidate's code, or why there is none.
struct Build {
  std::string library; ///< empty if it failed
  Outcome outcome = Outcome::Ok;
  std::string detail;
  llvm::json::Object schedule; ///< complete
  std::string backend, backendVersion;
  std::string code; ///< of its machine code: see hashCode
  double compileSeconds = 0;
  int64_t spills = 0;
};

class Measurer {
public:
  explicit Measurer(Tools tools);
  ~Measurer();

  /// Compiles several schedules of a kernel at a time. What was built before is
  /// not built again.
  llvm::Expected<std::vector<Build>>
  build(const KernelRow &kernel, llvm::StringRef backend,
        llvm::ArrayRef<llvm::json::Object> schedules);

  /// Checks a build against the reference and times it in turn with `baseline`,
  /// if there is one. Whatever the kernel or its code do to vitc-measure is an
  /// outcome.
  Measurement measure(const KernelRow &kernel, const Build &build,
                      const Build *baseline, bool thorough);

  Capabilities getCapabilities() const;

  const Tools &getTools() const { return tools; }

private:
  class Child;

  llvm::Expected<Child *> childFor(const KernelRow &kernel);
  llvm::Expected<std::string> adapterObject(llvm::StringRef source);
  llvm::Error finishBuild(llvm::StringRef prefix, Build &build);

  Tools tools;
  std::map<std::string, Build> builds;
  std::map<std::string, std::unique_ptr<Child>> children; ///< by kernel key
};

} // namespace vitc::tune

#endif // VITC_TUNE_MEASURER_H
