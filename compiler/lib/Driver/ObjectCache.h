// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Objects of C++ sources that were compiled before: the runtime's, which are
/// the same in every library, and those of models that are compiled again.
#ifndef VITC_LIB_DRIVER_OBJECTCACHE_H
#define VITC_LIB_DRIVER_OBJECTCACHE_H

#include "vitc/Driver/Toolchain.h"
#include "vitc/Support/Cache.h"

namespace vitc {

class ObjectCache {
public:
  /// `headerFolders` hold what the sources include, apart from the system's
  /// headers, which are taken to change with the compiler only.
  ObjectCache(Cache &cache, const Toolchain &toolchain,
              llvm::ArrayRef<std::string> flags,
              llvm::ArrayRef<std::string> headerFolders);

  /// What the object of this source is kept under.
  std::string keyFor(llvm::StringRef sourcePath) const;
  /// The path of the object if it is there and whole, else an empty one.
  llvm::Expected<std::string> find(llvm::StringRef key) const;
  /// Keeps a fresh object. A cache that cannot be written is no reason to fail.
  void keep(llvm::StringRef object, llvm::StringRef key) const;

private:
  Cache &cache;
  std::string common; ///< the key's part that all sources share
};

} // namespace vitc

#endif // VITC_LIB_DRIVER_OBJECTCACHE_H
