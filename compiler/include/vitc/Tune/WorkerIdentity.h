// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Who measures a trial, and whether that process is still there.
#ifndef VITC_TUNE_WORKERIDENTITY_H
#define VITC_TUNE_WORKERIDENTITY_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace vitc::tune {

/// The name under which this process claims trials: "HOST:PID:START".
std::string workerName();
/// False if `worker` was a process on this host that is no more.
bool mayBeRunning(llvm::StringRef worker);

} // namespace vitc::tune

#endif // VITC_TUNE_WORKERIDENTITY_H
