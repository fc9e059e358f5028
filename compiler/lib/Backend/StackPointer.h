// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What instructions do to the stack pointer.
#ifndef VITC_LIB_BACKEND_STACKPOINTER_H
#define VITC_LIB_BACKEND_STACKPOINTER_H

#include "MachineCode.h"

namespace vitc {

/// How deep the stack is at some place of a function.
struct StackState {
  int64_t depth = 0; ///< bytes below the place before the call
  /// Registers that hold a former value of the stack pointer, and how deep that
  /// is: the frame pointer, and what an aligned frame is restored from.
  std::map<unsigned, int64_t> copies;
  /// Registers that hold a number: ARM's large frames come from one.
  std::map<unsigned, int64_t> numbers;

  /// The deeper one of two ways to the same place.
  void join(const StackState &other);
};

/// The state at a function's first instruction: x86 has pushed where to return.
StackState stateAtEntry(const MachineCode &machine);

/// The state after one instruction that is neither a call nor a return;
/// `returnsNext` says that the next one is a return. An error if it moves the
/// stack pointer in a way that is not known here.
llvm::Error advance(StackState &state, const llvm::MCInst &code,
                    bool returnsNext, const MachineCode &machine);

} // namespace vitc

#endif // VITC_LIB_BACKEND_STACKPOINTER_H
