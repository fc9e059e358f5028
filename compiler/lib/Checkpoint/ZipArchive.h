// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// A zip archive, read from its central directory and mapped: `.npz` files and
/// PyTorch's checkpoints are such archives.
#ifndef VITC_LIB_CHECKPOINT_ZIPARCHIVE_H
#define VITC_LIB_CHECKPOINT_ZIPARCHIVE_H

#include "vitc/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <vector>

namespace vitc {

struct ZipMember {
  std::string name;
  uint64_t size = 0;      ///< of its data
  llvm::StringRef stored; ///< its bytes in the file: the data, or deflated
  bool deflated = false;
  uint32_t crc = 0;
};

/// Everything that the archive says is checked before it is believed: two
/// readers of one archive must not see two different things. Members have plain
/// relative names, all different, and do not overlap; both of their heads say
/// the same.
class ZipArchive {
public:
  static llvm::Expected<ZipArchive> open(llvm::StringRef path);

  /// In the order of their names.
  llvm::ArrayRef<ZipMember> members() const { return all; }
  const ZipMember *find(llvm::StringRef name) const;

  /// The first bytes of a member's data, at most `limit`, not yet checked
  /// against its sum.
  llvm::Expected<std::string> head(const ZipMember &member, size_t limit) const;
  /// All of its data, whose size and sum are right: in place if it is stored,
  /// else inflated into memory of the archive's.
  llvm::Expected<llvm::StringRef> data(const ZipMember &member);

  /// The memory behind all that data() gave.
  std::vector<std::unique_ptr<llvm::MemoryBuffer>> takeMemory() {
    return std::move(memory);
  }

private:
  std::string path;
  std::vector<std::unique_ptr<llvm::MemoryBuffer>> memory; ///< file, inflated
  std::vector<ZipMember> all;
  uint64_t inflatedBytes = 0, maxInflatedBytes = 0;
};

} // namespace vitc

#endif // VITC_LIB_CHECKPOINT_ZIPARCHIVE_H
