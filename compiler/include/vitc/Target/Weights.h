// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Writes the weights file that an emitted library maps (docs/WeightsFile.md).
#ifndef VITC_TARGET_WEIGHTS_H
#define VITC_TARGET_WEIGHTS_H

#include "vitc/Checkpoint/Checkpoint.h"
#include "vitc/Dialect/Kernel/IR/Kernel.h"
#include "vitc/Target/StrassenErrors.h"

namespace vitc {

struct WeightsFile {
  uint64_t bytes;    ///< of the data
  uint64_t checksum; ///< of the data
  uint64_t identity; ///< ties the file to the library: depends on the program
                     ///< and on the data
  StrassenErrors strassenErrors; ///< of the layers that use it
};

/// Packs every `kernel.constant` of the planned module, one after the other, so
/// that memory holds one of them at a time. `program` is any text that differs
/// between libraries that could not share a weights file.
llvm::Expected<WeightsFile>
writeWeights(mlir::ModuleOp module, const Checkpoint &checkpoint,
             llvm::StringRef program, llvm::StringRef path,
             llvm::function_ref<void(unsigned done, unsigned total)> progress);

} // namespace vitc

#endif // VITC_TARGET_WEIGHTS_H
