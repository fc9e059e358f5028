// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// From scheduled loops to a module with one plain function per section.
#ifndef VITC_SCHEDULES_TVM_LOWER_H
#define VITC_SCHEDULES_TVM_LOWER_H

#include "kernel.h"

namespace vitc::tvm_backend {

/// The symbol of a section of the kernel called `name`.
std::string sectionSymbol(const std::string &name, size_t stage,
                          size_t section);

/// The loops of all sections after lowering: functions of the task's number
/// inside the section and the kernel's arguments, as pointers.
Node lowerKernel(const Kernel &kernel, const std::string &name,
                 const Node &target);

} // namespace vitc::tvm_backend

#endif // VITC_SCHEDULES_TVM_LOWER_H
