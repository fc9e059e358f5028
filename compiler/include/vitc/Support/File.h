// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Opening of input files: only regular files, so that a pipe or a device can
/// neither block nor flood the reader.
#ifndef VITC_SUPPORT_FILE_H
#define VITC_SUPPORT_FILE_H

#include "vitc/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>

namespace vitc {

/// The bytes of a regular file; links are followed. Large files are mapped, not
/// read. A file over `maxBytes` is refused unopened. The file must not shrink
/// while the buffer lives, as with every mapping.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
mapFile(llvm::StringRef path, uint64_t maxBytes = UINT64_MAX);

/// `name` inside `folder`.
std::string joinPath(llvm::StringRef folder, const llvm::Twine &name);

} // namespace vitc

#endif // VITC_SUPPORT_FILE_H
