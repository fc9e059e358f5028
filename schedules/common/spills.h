// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Registers that did not suffice: what the inner loops keep on the stack.
#ifndef VITC_SCHEDULES_COMMON_SPILLS_H
#define VITC_SCHEDULES_COMMON_SPILLS_H

#include <string>

namespace vitc::schedules {

/// Vector registers that the innermost loops of an assembly file store to the
/// stack or load back from it, as the code generator notes it in the file.
int countInnerSpills(const std::string &path);

} // namespace vitc::schedules

#endif // VITC_SCHEDULES_COMMON_SPILLS_H
