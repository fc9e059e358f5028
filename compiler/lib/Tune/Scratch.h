// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// A folder for the files of one process that measures.
#ifndef VITC_LIB_TUNE_SCRATCH_H
#define VITC_LIB_TUNE_SCRATCH_H

#include "vitc/Support/Error.h"

#include <string>

namespace vitc::tune {

/// Removed at the end, and by signals that can be caught. What a process left
/// that was killed outright is removed by the next one.
class Scratch {
public:
  static llvm::Expected<Scratch> make(llvm::StringRef cacheFolder);
  ~Scratch();
  Scratch(Scratch &&other) : folder(std::move(other.folder)) {
    other.folder.clear();
  }

  const std::string &path() const { return folder; }

private:
  explicit Scratch(std::string folder) : folder(std::move(folder)) {}

  std::string folder;
};

} // namespace vitc::tune

#endif // VITC_LIB_TUNE_SCRATCH_H
