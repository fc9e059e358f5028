// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Support/File.h"

#include "vitc/Support/Interrupt.h"
#include "vitc/Support/StagingFolder.h"

#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

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

/// Opens, writes and closes; the reason of the first step that fails.
static std::error_code writeParts(const std::string &path, int flags,
                                  ArrayRef<StringRef> parts) {
  int file = open(path.c_str(), O_WRONLY | O_CLOEXEC | flags, 0666);
  if (file < 0)
    return errnoAsErrorCode();
  std::error_code failed;
  for (StringRef part : parts)
    while (!failed && !part.empty()) {
      ssize_t count =
          sys::RetryAfterSignal(-1, ::write, file, part.data(), part.size());
      if (count < 0)
        failed = errnoAsErrorCode();
      else
        part = part.drop_front(size_t(count));
    }
  // Some file systems report a full disk only now.
  if (close(file) != 0 && !failed)
    failed = errnoAsErrorCode();
  return failed;
}

std::error_code replaceFile(StringRef path, ArrayRef<StringRef> parts) {
  SmallString<256> place(path);
  sys::fs::file_status status;
  if (!sys::fs::status(path, status)) {
    if (status.type() == sys::fs::file_type::directory_file)
      return std::make_error_code(std::errc::is_a_directory);
    if (status.type() != sys::fs::file_type::regular_file)
      return writeParts(path.str(), O_TRUNC, parts);
    if (std::error_code failed = sys::fs::real_path(path, place))
      return failed;
  }
  std::string unfinished = stagingName(place);
  InterruptLock().add(unfinished);
  std::error_code failed = writeParts(unfinished, O_CREAT | O_EXCL, parts);
  InterruptLock lock;
  if (!failed)
    failed = sys::fs::rename(unfinished, place);
  if (failed)
    unlink(unfinished.c_str());
  lock.drop(unfinished);
  return failed;
}

Error writeFile(StringRef path, StringRef text) {
  if (std::error_code failed = replaceFile(path, text))
    return userError(path, "cannot be written: " + failed.message());
  return Error::success();
}

std::error_code createFolders(StringRef folder) {
  return sys::fs::create_directories(folder, /*IgnoreExisting=*/true,
                                     sys::fs::all_all);
}

std::string joinPath(StringRef folder, const Twine &name) {
  SmallString<256> path(folder);
  sys::path::append(path, name);
  return std::string(path);
}

} // namespace vitc
