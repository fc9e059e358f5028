// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The same for readers that return llvm::Expected.
#ifndef VITC_TEST_FUZZ_READERS_H
#define VITC_TEST_FUZZ_READERS_H

#include "Fuzz.h"

#include "vitc/Checkpoint/Checkpoint.h"

namespace vitc::fuzz {

/// A wrong input is the user's: any other error is a fault. Returns the
/// message.
std::string expectUserError(llvm::Error error);

/// Whether there is a value; what there is else must be a user error.
template <typename T>
bool isValue(llvm::Expected<T> &result) {
  if (result)
    return true;
  refused(expectUserError(result.takeError()));
  return false;
}

/// Reads the ends of every tensor in all ways there are.
void readEnds(const Checkpoint &checkpoint);

} // namespace vitc::fuzz

#endif // VITC_TEST_FUZZ_READERS_H
