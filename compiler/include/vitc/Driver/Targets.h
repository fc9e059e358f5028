/// The targets that vitc compiles for.
#ifndef VITC_DRIVER_TARGETS_H
#define VITC_DRIVER_TARGETS_H

#include "vitc/Support/Error.h"

namespace vitc {

struct Target {
  llvm::StringLiteral name;
  llvm::StringLiteral summary;
  llvm::StringLiteral cpu;     ///< enumerator of vitc::rt::Cpu that the library checks at create
  int64_t panel;               ///< columns in a panel of packed weights: a whole number of vectors, the tile's width
};

llvm::ArrayRef<Target> targets();
/// `host` is resolved by cpuid; an unknown name gets an error that lists the known ones.
llvm::Expected<const Target *> findTarget(llvm::StringRef name);
/// The target that `host` means on this machine, or an error that says which instructions are missing.
llvm::Expected<const Target *> hostTarget();

} // namespace vitc

#endif // VITC_DRIVER_TARGETS_H
