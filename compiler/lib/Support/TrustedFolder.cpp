// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Support/TrustedFolder.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <climits>
#include <deque>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

using namespace vitc;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Owners and permissions
//===----------------------------------------------------------------------===//

static std::string userName(uid_t user) {
  const passwd *entry = getpwuid(user);
  return entry ? entry->pw_name : "number " + std::to_string(user);
}

/// Where every user has a group of his own, files are often writable for it.
static bool isUsersOwnGroup(gid_t id) {
  const passwd *user = getpwuid(geteuid());
  if (!user)
    return false;
  std::string name = user->pw_name;
  const group *entry = getgrgid(id);
  if (!entry || entry->gr_name != name)
    return false;
  for (char **member = entry->gr_mem; *member; ++member)
    if (*member != name)
      return false;
  return true;
}

enum class Role { Parent, Contents, Link };

/// What is wrong with the place, and how to mend it; success if it is safe.
static llvm::Error judge(StringRef path, const struct stat &status, Role role) {
  const std::string another = "set VITC_CACHE_DIR to a folder of your own";
  if (status.st_uid != geteuid() && status.st_uid != 0)
    return userError(path, "is not safe for the kernel cache: it belongs to "
                           "the user " +
                               userName(status.st_uid) +
                               ", while vitc runs as " + userName(geteuid()) +
                               "; " + another);
  if (role == Role::Link) // has no permissions of its own
    return llvm::Error::success();
  mode_t mode = status.st_mode & 07777;
  bool guarded = role == Role::Parent && (mode & S_ISVTX);
  StringRef others = mode & S_IWOTH ? "every user"
                     : (mode & S_IWGRP) && !isUsersOwnGroup(status.st_gid)
                         ? "its group"
                         : "";
  if (guarded || others.empty())
    return llvm::Error::success();
  std::string octal;
  llvm::raw_string_ostream(octal) << llvm::format("%04o", unsigned(mode));
  return userError(path, "is not safe for the kernel cache: " + others +
                             " may write to it (its mode is " + octal +
                             "); `chmod go-w " + path + "`, or " + another);
}

//===----------------------------------------------------------------------===//
// The way to a folder
//===----------------------------------------------------------------------===//

namespace {

class Descriptor {
public:
  explicit Descriptor(int number) : number(number) {}
  Descriptor(Descriptor &&other) : number(std::exchange(other.number, -1)) {}
  Descriptor &operator=(Descriptor &&other) {
    std::swap(number, other.number);
    return *this;
  }
  ~Descriptor() {
    if (number >= 0)
      close(number);
  }
  int get() const { return number; }

private:
  int number;
};

/// From the root to a folder, one name at a time, and link by link: what was
/// judged is what is entered, whatever others do meanwhile.
class Walk {
public:
  Walk(StringRef folder, bool create) : asked(folder), create(create) {
    prepend(folder);
  }

  llvm::Error run() {
    if (llvm::Error error = enterRoot())
      return error;
    while (!rest.empty()) {
      std::string name = rest.front();
      rest.pop_front();
      if (llvm::Error error = enter(name))
        return error;
    }
    return llvm::Error::success();
  }

private:
  llvm::Error fail(std::error_code reason) {
    return userError(asked, "cannot " + StringRef(create ? "create" : "open") +
                                " the kernel cache: " + reason.message() +
                                "; VITC_CACHE_DIR names another folder");
  }

  /// Puts the names of a path before those that are left.
  void prepend(StringRef path) {
    llvm::SmallVector<StringRef> names;
    path.split(names, '/', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
    std::deque<std::string> all;
    for (StringRef name : names)
      if (name != ".")
        all.push_back(name.str());
    all.insert(all.end(), rest.begin(), rest.end());
    rest = std::move(all);
  }

  Role role() const { return rest.empty() ? Role::Contents : Role::Parent; }

  llvm::Error enterRoot() {
    at = Descriptor(open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
    path = "/";
    struct stat status = {};
    if (at.get() < 0 || fstat(at.get(), &status) != 0)
      return fail(llvm::errnoAsErrorCode());
    return judge(path, status, role());
  }

  /// Opens a name without following it; makes the folder if there is none.
  Descriptor find(const std::string &name) {
    constexpr int flags = O_PATH | O_NOFOLLOW | O_CLOEXEC;
    Descriptor found(openat(at.get(), name.c_str(), flags));
    if (found.get() >= 0 || errno != ENOENT || !create)
      return found;
    // For one's own group not to write either: it need not stay one's own.
    if (mkdirat(at.get(), name.c_str(), 0755) != 0 && errno != EEXIST)
      return found;
    return Descriptor(openat(at.get(), name.c_str(), flags));
  }

  llvm::Error enter(const std::string &name) {
    Descriptor found = find(name);
    struct stat status = {};
    if (found.get() < 0 || fstat(found.get(), &status) != 0)
      return fail(llvm::errnoAsErrorCode());
    std::string place = name == ".." ? llvm::sys::path::parent_path(path).str()
                                     : path + (path == "/" ? "" : "/") + name;
    if (place.empty())
      place = "/";
    if (S_ISLNK(status.st_mode)) {
      if (llvm::Error error = judge(place, status, Role::Link))
        return error;
      return follow(found.get());
    }
    if (!S_ISDIR(status.st_mode))
      return fail(std::make_error_code(std::errc::not_a_directory));
    at = std::move(found);
    path = std::move(place);
    return judge(path, status, role());
  }

  llvm::Error follow(int link) {
    constexpr unsigned most = 40; // as the kernel does
    char target[PATH_MAX];
    ssize_t length = readlinkat(link, "", target, sizeof(target));
    if (length < 0)
      return fail(llvm::errnoAsErrorCode());
    if (++links > most)
      return fail(
          std::make_error_code(std::errc::too_many_symbolic_link_levels));
    StringRef text(target, size_t(length));
    prepend(text);
    return text.starts_with("/") ? enterRoot() : llvm::Error::success();
  }

  StringRef asked;
  bool create;
  std::deque<std::string> rest; ///< names that are still to be entered
  Descriptor at{-1};
  std::string path; ///< of `at`, without links
  unsigned links = 0;
};

} // namespace

llvm::Error vitc::requireTrusted(StringRef folder, bool create) {
  llvm::SmallString<256> absolute(folder);
  if (std::error_code failed = llvm::sys::fs::make_absolute(absolute))
    return userError(folder, failed.message());
  return Walk(absolute, create).run();
}

llvm::Expected<std::string> vitc::readTrusted(StringRef path) {
  // A pipe must not block.
  Descriptor file(
      open(path.str().c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status = {};
  if (file.get() < 0 || fstat(file.get(), &status) != 0) {
    std::error_code failed = llvm::errnoAsErrorCode();
    return llvm::createStringError(failed, path + ": " + failed.message());
  }
  if (!S_ISREG(status.st_mode))
    return llvm::createStringError(path + ": not a regular file");
  if (llvm::Error error = judge(path, status, Role::Contents))
    return error;
  auto buffer = llvm::MemoryBuffer::getOpenFile(
      llvm::sys::fs::convertFDToNativeFile(file.get()), path,
      uint64_t(status.st_size), /*RequiresNullTerminator=*/false);
  if (!buffer)
    return llvm::createStringError(buffer.getError(),
                                   path + ": " + buffer.getError().message());
  return (*buffer)->getBuffer().str();
}
