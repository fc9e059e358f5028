// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Python's pickle format, read as data. A pickle is a program for a small
/// stack machine that may call any function of Python; here only the
/// instructions that build values are understood, nothing is called, and names
/// of functions and classes are only noted, if the caller knows them.
#ifndef VITC_LIB_CHECKPOINT_TORCH_PICKLE_H
#define VITC_LIB_CHECKPOINT_TORCH_PICKLE_H

#include "vitc/Support/Error.h"

#include <deque>
#include <vector>

namespace vitc {

struct PickleValue {
  enum class Kind {
    None,
    Bool,
    Int,
    Float,
    String,
    Tuple,
    List,
    Dict,
    Global,     ///< the name of a function or class: text
    Call,       ///< what the function `text` would make of the tuple items[0]
    Persistent, ///< what the file keeps elsewhere under the id items[0]
  };
  Kind kind = Kind::None;
  int64_t integer = 0;  ///< Int, Bool
  llvm::StringRef text; ///< String; Global and Call, as "module.name"
  /// Elements; of a Dict keys and values in turn.
  std::vector<const PickleValue *> items;
  /// What was set on the result of a Call: keys and values in turn.
  std::vector<const PickleValue *> entries;
};

/// The value, which may refer to itself: look into it only as deep as is
/// needed.
struct Pickle {
  const PickleValue *value = nullptr;
  size_t bytes = 0; ///< up to and including its STOP
  std::deque<PickleValue> values;
  std::deque<std::string> names; ///< of globals
};

/// Reads the pickle at the start of `bytes`, which must outlive the result.
/// `place` is what messages call it. A global for which `isKnown` is false is
/// refused with its name. Time and memory are linear in `bytes`; the number of
/// values is bounded.
llvm::Expected<Pickle>
readPickle(llvm::StringRef place, llvm::StringRef bytes,
           llvm::function_ref<bool(llvm::StringRef)> isKnown);

} // namespace vitc

#endif // VITC_LIB_CHECKPOINT_TORCH_PICKLE_H
