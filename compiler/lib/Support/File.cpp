// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Support/File.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace vitc {

Expected<std::unique_ptr<MemoryBuffer>> mapFile(StringRef path,
                                                uint64_t maxBytes) {
  if (path.empty() || path.contains('\0'))
    return userError("the file name " + inQuotes(path) + " is not valid");

  sys::fs::file_status status;
  if (std::error_code error = sys::fs::status(path, status)) {
    sys::fs::file_status link;
    bool dangling = error == std::errc::no_such_file_or_directory &&
                    !sys::fs::status(path, link, /*follow=*/false) &&
                    link.type() == sys::fs::file_type::symlink_file;
    if (dangling)
      return userError(path, "the link leads to a file that does not exist");
    return userError(path, "cannot open the file: " + error.message());
  }
  if (status.type() == sys::fs::file_type::directory_file)
    return userError(path, "is a folder, expected a file");
  if (status.type() != sys::fs::file_type::regular_file)
    return userError(path, "is not a regular file");
  if (status.getSize() > maxBytes)
    return userError(path, "the file has " + Twine(status.getSize()) +
                               " bytes, expected at most " + Twine(maxBytes));

  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer = MemoryBuffer::getFile(
      path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return userError(path,
                     "cannot read the file: " + buffer.getError().message());
  return std::move(*buffer);
}

std::string joinPath(StringRef folder, const Twine &name) {
  SmallString<256> path(folder);
  sys::path::append(path, name);
  return std::string(path);
}

} // namespace vitc
