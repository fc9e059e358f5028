// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Files, read and written. Input files are regular files only, so that a pipe
/// or a device can neither block nor flood the reader; output files appear
/// whole or not at all.
#ifndef VITC_SUPPORT_FILE_H
#define VITC_SUPPORT_FILE_H

#include "vitc/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>

namespace vitc {

/// The bytes of a regular file; links are followed. Large files are mapped, not
/// read. A file over `maxBytes` is refused unopened. The file must not shrink
/// while the buffer lives: as with every mapping, reading what is gone ends the
/// process with SIGBUS.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
mapFile(llvm::StringRef path, uint64_t maxBytes = UINT64_MAX);

/// Writes the parts one after another to a file that replaces `path` when it
/// is whole; a link is followed, and a device or a pipe is written to directly.
/// The umask decides who may read it. Takes an InterruptLock.
std::error_code replaceFile(llvm::StringRef path,
                            llvm::ArrayRef<llvm::StringRef> parts);

/// The same for one text, with a message that names the file and the reason.
llvm::Error writeFile(llvm::StringRef path, llvm::StringRef text);

/// Creates a folder and those above it that are missing. The umask alone
/// decides who may enter; LLVM's own default takes more away.
std::error_code createFolders(llvm::StringRef folder);

/// `name` inside `folder`.
std::string joinPath(llvm::StringRef folder, const llvm::Twine &name);

} // namespace vitc

#endif // VITC_SUPPORT_FILE_H
