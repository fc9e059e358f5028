// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Finished work that is kept between runs: kernels, objects, programs.
///
/// An entry is the folder KIND/ab/KEY with files and `sha256sums`, their hashes
/// in the format of the program of that name. It appears whole, is checked
/// whenever it is used, and is replaced if it was damaged.
#ifndef VITC_SUPPORT_CACHE_H
#define VITC_SUPPORT_CACHE_H

#include "vitc/Support/Error.h"
#include "vitc/Support/StagingFolder.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace vitc {

class Cache {
public:
  /// Refuses a folder that other users could change (requireTrusted), creates
  /// one that is missing, and removes what killed compiles left in it.
  static llvm::Expected<Cache> open(llvm::StringRef folder);

  const std::string &path() const { return folder; }

  /// The name of an entry that `text` decides all of.
  static std::string keyOf(llvm::StringRef text);

  struct Entry {
    std::string folder;
    std::map<std::string, std::string> files; ///< contents, as checked
    std::string path(llvm::StringRef name) const;
  };
  /// The entry if it is there, has all of `names`, and every file is what was
  /// kept. One that is damaged counts as missing, and is remembered for
  /// `describeDamage`. Fails for what another user may have put there.
  llvm::Expected<std::optional<Entry>>
  find(llvm::StringRef kind, llvm::StringRef key,
       llvm::ArrayRef<llvm::StringRef> names);

  /// An entry in the making, removed at the latest with the cache's object.
  class Draft {
  public:
    /// The path of a file of the entry.
    std::string path(llvm::StringRef name) const;
    /// A folder for files that are no part of the entry.
    const std::string &scratch() const { return root; }

  private:
    friend class Cache;
    explicit Draft(std::string root) : root(std::move(root)) {}
    std::string folder() const;
    std::string root;
  };
  llvm::Expected<Draft> begin();
  /// Writes the hashes, and makes the draft an entry. A good one that appeared
  /// meanwhile stays: it is the same.
  llvm::Error keep(const Draft &draft, llvm::StringRef kind,
                   llvm::StringRef key);

  /// One sentence on all entries that were found damaged; empty if none was.
  std::string describeDamage() const;

  /// "cannot write to the kernel cache", with the reason and the way out.
  llvm::Error fail(std::error_code reason) const;

private:
  explicit Cache(std::string folder) : folder(std::move(folder)) {}
  std::string folderOf(llvm::StringRef kind, llvm::StringRef key) const;

  std::string folder;
  std::optional<StagingFolder> staging; ///< holds all drafts
  unsigned drafts = 0;
  std::vector<std::string> damaged; ///< "kernels/ab/KEY: what is wrong"
};

} // namespace vitc

#endif // VITC_SUPPORT_CACHE_H
