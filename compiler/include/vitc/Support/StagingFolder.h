// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Names and folders for unfinished work.
///
/// A name holds 64 random bits. Two vitc may have the same process number, in
/// containers that share a folder, and nobody can put a link in the place of a
/// name that he cannot guess.
#ifndef VITC_SUPPORT_STAGINGFOLDER_H
#define VITC_SUPPORT_STAGINGFOLDER_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/ErrorOr.h"

#include <string>

namespace vitc {

/// `PREFIX.vitc-` and 16 random digits.
std::string stagingName(llvm::StringRef prefix);

/// A folder that its owner alone may enter, removed with all that is in it by
/// the destructor or by an interrupt.
class StagingFolder {
public:
  /// Beside `prefix`, whose parent must exist. Takes an InterruptLock.
  static llvm::ErrorOr<StagingFolder> create(llvm::StringRef prefix);
  StagingFolder(StagingFolder &&other);
  StagingFolder &operator=(StagingFolder &&other);
  ~StagingFolder();

  const std::string &path() const { return folder; }

private:
  StagingFolder() = default;
  std::string folder;
  int lock = -1; ///< held while the folder is in use, against removeStale()
};

/// Removes what vitc staged in `parent` and left there because it was killed:
/// folders and files with a staging name that belong to the user, are more than
/// a day old and are not in use. What cannot be removed stays.
void removeStale(llvm::StringRef parent);

} // namespace vitc

#endif // VITC_SUPPORT_STAGINGFOLDER_H
