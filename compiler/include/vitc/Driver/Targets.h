// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The targets that vitc compiles for.
#ifndef VITC_DRIVER_TARGETS_H
#define VITC_DRIVER_TARGETS_H

#include "vitc/Support/Error.h"

#include "llvm/ADT/ArrayRef.h"

#include <string>
#include <vector>

namespace vitc {

/// The kind of machine that runs a library, and what builds for it and runs it
/// on another kind: Toolchain.h.
struct Architecture {
  llvm::StringLiteral name;    ///< "aarch64", as compilers spell it
  llvm::StringLiteral triple;  ///< what the distribution's cross tools start in
  llvm::StringLiteral package; ///< that has its cross compiler
  llvm::StringLiteral emulator;        ///< "qemu-aarch64"
  llvm::StringLiteral emulatorPackage; ///< that has the emulator

  /// Whether vitc itself runs on it.
  bool isHost() const;
};

/// One instruction set.
struct Level {
  llvm::StringLiteral name; ///< "avx2"
  /// The backends' name for its float32 kernels: docs/KernelProtocol.md
  llvm::StringLiteral backend;
  llvm::StringLiteral cpu; ///< enumerator of vitc::rt::Cpu that it needs
  /// The level whose float32 kernels it runs: itself, or an earlier one of the
  /// target where it adds nothing that such kernels use. They are then in the
  /// library once.
  llvm::StringLiteral floatKernels;
  /// Additions of vectors are free beside multiplications.
  bool addsAside = false;
};

struct Target {
  std::string name; ///< several that share a library are joined by '+'
  std::string summary;
  const Architecture *architecture;
  std::vector<Level> levels; ///< from the least demanding to the most
  /// Columns in a panel of packed weights: a whole number of vectors of every
  /// level, so that one copy of the weights serves all.
  int64_t panel;
  /// What the kernels run on beside the CPU, a folder of runtime/src/device:
  /// "cuda" or "opencl"; empty for the CPU itself. Such a target has one level.
  llvm::StringLiteral device = "";
  int64_t deviceLevel = 0; ///< vitc::rt::Model::deviceLevel

  /// Whether linear layers and attention should be paired products: if a level
  /// gains by them; with Strassen's algorithm, whose place they take, if all do.
  bool gainsByPairs(bool fastMatmul) const;
};

llvm::ArrayRef<Target> targets();
/// The target called `names`, or one that joins several: "x86-64-avx2+host".
/// `host` is resolved by what the CPU says of itself; an unknown name gets an
/// error that lists the known ones.
llvm::Expected<Target> findTarget(llvm::StringRef names);
/// The target that `host` means on this machine, or an error that says which
/// instructions are missing.
llvm::Expected<const Target *> hostTarget();

} // namespace vitc

#endif // VITC_DRIVER_TARGETS_H
