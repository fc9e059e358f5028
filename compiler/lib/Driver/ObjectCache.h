// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Objects of C++ sources that were compiled before: the runtime's, which are
/// the same in every library, and those of models that are compiled again.
#ifndef VITC_LIB_DRIVER_OBJECTCACHE_H
#define VITC_LIB_DRIVER_OBJECTCACHE_H

#include "vitc/Driver/Toolchain.h"

namespace vitc {

class ObjectCache {
public:
  /// `headerFolders` hold what the sources include, apart from the system's
  /// headers, which are taken to change with the compiler only.
  ObjectCache(llvm::StringRef cacheFolder, const Toolchain &toolchain,
              llvm::ArrayRef<std::string> flags,
              llvm::ArrayRef<std::string> headerFolders);

  /// Where the object of this source is kept, now or in future.
  std::string pathFor(llvm::StringRef sourcePath) const;
  /// Whether the object at this place is there and whole.
  static bool has(llvm::StringRef path);
  /// Keeps a fresh object. A cache that cannot be written is no reason to fail.
  static void keep(llvm::StringRef object, llvm::StringRef path);

private:
  std::string folder, key; ///< the key's part that all sources share
};

} // namespace vitc

#endif // VITC_LIB_DRIVER_OBJECTCACHE_H
