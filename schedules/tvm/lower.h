/// From scheduled loops to a module with one plain function per stage.
#ifndef VITC_SCHEDULES_TVM_LOWER_H
#define VITC_SCHEDULES_TVM_LOWER_H

#include "kernel.h"

namespace vitc::tvm_backend {

/// The symbol of stage number `stage` of the kernel called `name`.
std::string stageSymbol(const std::string &name, size_t stage);

/// The loops of all stages after lowering: functions of the task's number and
/// the kernel's arguments, as pointers.
Node lowerKernel(const Kernel &kernel, const std::string &name,
                 const Node &target);

} // namespace vitc::tvm_backend

#endif // VITC_SCHEDULES_TVM_LOWER_H
