/// The targets that vitc compiles for.
#ifndef VITC_DRIVER_TARGETS_H
#define VITC_DRIVER_TARGETS_H

#include "vitc/Support/Error.h"

#include "llvm/ADT/ArrayRef.h"

namespace vitc {

/// One instruction set, with kernels of its own.
struct Level {
  llvm::StringLiteral name; ///< "avx2"
  llvm::StringLiteral
      backend;             ///< the backends' name of it: docs/KernelProtocol.md
  llvm::StringLiteral cpu; ///< enumerator of vitc::rt::Cpu that it needs
};

struct Target {
  llvm::StringLiteral name;
  llvm::StringLiteral summary;
  llvm::ArrayRef<Level> levels; ///< from the least demanding to the most
  /// Columns in a panel of packed weights: a whole number of vectors of every
  /// level, so that one copy of the weights serves all.
  int64_t panel;
};

llvm::ArrayRef<Target> targets();
/// `host` is resolved by cpuid; an unknown name gets an error that lists the
/// known ones.
llvm::Expected<const Target *> findTarget(llvm::StringRef name);
/// The target that `host` means on this machine, or an error that says which
/// instructions are missing.
llvm::Expected<const Target *> hostTarget();

} // namespace vitc

#endif // VITC_DRIVER_TARGETS_H
