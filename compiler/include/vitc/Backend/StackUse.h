// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// How much stack compiled functions use, read from their machine code: it
/// holds for kernels of any backend and for code of any C++ compiler.
#ifndef VITC_BACKEND_STACKUSE_H
#define VITC_BACKEND_STACKUSE_H

#include "vitc/Support/Error.h"

#include "llvm/ADT/StringMap.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace vitc {

/// The functions of some object files and who calls whom.
///
/// A bound counts a function's own frame with its return address and the
/// deepest of what it calls. Whose address a function takes may be called from
/// anywhere below it, as a kernel's tasks are by the threads, so that function
/// comes on top. What no object defines, the C library's functions, counts as
/// nothing. A function that calls itself, or that moves the stack pointer by
/// what is known at run time only, has no bound: that is an error.
class StackUse {
public:
  /// Reads one more object file (ELF, x86-64 or AArch64) and returns its
  /// number.
  llvm::Expected<size_t> add(llvm::StringRef objectPath);

  /// The bound of a function that is global in some object; nothing if there
  /// is no such function.
  llvm::Expected<uint64_t> ofFunction(llvm::StringRef name);

  /// The greatest bound among the functions of an object.
  llvm::Expected<uint64_t> ofObject(size_t object);

private:
  /// A function of one object, or the name of one that another may define.
  struct Target {
    std::optional<size_t> function;
    std::string name;
  };

  /// A direct call, or a jump to another function, at some depth of the stack.
  struct Call {
    Target target;
    int64_t depth;
  };

  struct Function {
    std::string name;
    size_t object;
    int64_t frame; ///< at its deepest
    std::vector<Call> calls;
    std::vector<Target> references; ///< functions whose address it takes
    std::optional<int64_t> bound;   ///< once it is known
    bool visiting = false;
  };

  class Reader;

  llvm::Expected<int64_t> boundOf(const Target &target);

  std::vector<Function> functions;
  llvm::StringMap<size_t> globals;
  size_t objects = 0;
};

} // namespace vitc

#endif // VITC_BACKEND_STACKUSE_H
