// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// A folder that appears whole or not at all.
#ifndef VITC_LIB_DRIVER_STAGING_H
#define VITC_LIB_DRIVER_STAGING_H

#include "vitc/Support/Error.h"
#include "vitc/Support/StagingFolder.h"

#include <optional>
#include <string>
#include <vector>

namespace vitc {

/// Files are written to `out` in a hidden folder beside the final one, which
/// nobody else may enter, and `out` is moved to its place at the end. The
/// destructor removes the hidden folder, and the folders above it that it made,
/// unless they hold something.
class Staging {
public:
  /// Fails if `output` exists or its parent cannot be written.
  static llvm::Expected<Staging> create(llvm::StringRef output);
  Staging(Staging &&other);
  ~Staging();

  /// A path inside the folder; its parents are created.
  std::string path(const llvm::Twine &name) const;
  llvm::Error write(const llvm::Twine &name, llvm::StringRef text) const;
  /// A scratch folder that is not part of the result.
  std::string scratch(const llvm::Twine &name) const;

  /// Makes the folder visible under its final name.
  llvm::Error commit();
  /// `error`, or a clear one if the real cause is a full disk. The user knows
  /// the folder by its final name only, so that it is the one in the message.
  llvm::Error explain(llvm::Error error) const;

private:
  Staging() = default;
  std::string result() const;        ///< inside `root`
  std::string scratchFolder() const; ///< likewise
  std::string asked;                 ///< as the user wrote it, for messages
  std::string output;                ///< the same, absolute
  std::optional<StagingFolder> root;
  /// Folders that were made to hold the output, innermost first.
  std::vector<std::string> parents;
};

} // namespace vitc

#endif // VITC_LIB_DRIVER_STAGING_H
