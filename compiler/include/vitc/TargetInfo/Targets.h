// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The targets that vitc compiles for. schedules/targets describes them; this
/// is what the compiler asks about them.
#ifndef VITC_TARGETINFO_TARGETS_H
#define VITC_TARGETINFO_TARGETS_H

#include "vitc/Support/Error.h"

#include "targets/targets.h"

#include "llvm/ADT/ArrayRef.h"

#include <string>
#include <vector>

namespace vitc {

using targetinfo::Architecture;
using targetinfo::ElementType;
using targetinfo::Level;

/// One of the described targets, or several that share a library.
struct Target {
  std::string name; ///< several that share a library are joined by '+'
  std::string summary;
  const Architecture *architecture;
  std::vector<Level> levels; ///< from the least demanding to the most
  /// Columns in a panel of packed weights: a whole number of register tiles of
  /// every level, so that one copy of the weights serves all.
  int64_t panel;
  /// What the kernels run on beside the CPU, a folder of runtime/src/device:
  /// "cuda" or "opencl"; empty for the CPU itself. Such a target has one level.
  llvm::StringLiteral device = "";
  int64_t deviceLevel = 0; ///< vitc::rt::Model::deviceLevel

  /// The level of this target whose kernels of `type` are also those of
  /// `level`: itself, or an earlier one. They are in the library once.
  const Level &kernelsFor(const Level &level, ElementType type) const;
};

llvm::ArrayRef<Target> targets();
/// The target called `names`, or one that joins several: "x86-64-avx2+host".
/// `host` is resolved by what the CPU says of itself; an unknown name gets an
/// error that lists the known ones.
llvm::Expected<Target> findTarget(llvm::StringRef names);
/// The target that `host` means on this machine, or an error that says which
/// instructions are missing.
llvm::Expected<const Target *> hostTarget();

/// Whether vitc itself runs on the architecture.
bool isHost(const Architecture &architecture);
/// Whether this machine's CPU has all that the level needs. No GPU is asked.
bool runsHere(const Level &level);

/// What specifications of the level's kernels of `type` have as their target:
/// levels that share kernels have the same.
llvm::StringRef kernelTarget(const Level &level, ElementType type);
/// What a library asks the runtime for before it runs the level: an expression
/// of vitc::rt::CpuFeatures.
std::string runtimeFeatures(const Level &level);

} // namespace vitc

#endif // VITC_TARGETINFO_TARGETS_H
