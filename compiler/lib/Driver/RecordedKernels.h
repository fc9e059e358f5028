// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Tuned kernels in the place of default ones.
#ifndef VITC_LIB_DRIVER_RECORDEDKERNELS_H
#define VITC_LIB_DRIVER_RECORDEDKERNELS_H

#include "TunedSchedules.h"

namespace vitc {

/// The kernels of one compile, in the order of their requests.
struct KernelSet {
  std::vector<KernelRequest> requests;
  std::vector<CompiledKernel> kernels;
  std::vector<const tune::Record *> records; ///< null: the default schedule
};

/// Puts tuned kernels in the place of default ones where records say that they
/// are faster. A record may be older than its kernel, or than the backend's
/// parameters: that is no reason to fail, but a warning. Records below
/// `shippedFolder` come with vitc, and are left out without a word.
llvm::Error
useRecords(KernelSet &set, const TunedSchedules &tuned,
           llvm::StringRef shippedFolder,
           llvm::function_ref<llvm::Expected<std::vector<CompiledKernel>>(
               llvm::ArrayRef<KernelRequest>)>
               compile,
           std::vector<std::string> &warnings);

} // namespace vitc

#endif // VITC_LIB_DRIVER_RECORDEDKERNELS_H
