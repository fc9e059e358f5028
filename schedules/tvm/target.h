// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The machines as TVM spells them.
#ifndef VITC_SCHEDULES_TVM_TARGET_H
#define VITC_SCHEDULES_TVM_TARGET_H

#include "ir.h"

namespace vitc::tvm_backend {

/// The target of the machine called `name` (common/machine.h).
Node tvmTarget(const std::string &name);

} // namespace vitc::tvm_backend

#endif // VITC_SCHEDULES_TVM_TARGET_H
