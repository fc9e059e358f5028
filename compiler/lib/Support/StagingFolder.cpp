// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Support/StagingFolder.h"

#include "vitc/Support/Interrupt.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cerrno>
#include <ctime>
#include <fcntl.h>
#include <random>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

using namespace vitc;
namespace fs = llvm::sys::fs;

static constexpr llvm::StringLiteral mark = ".vitc-";
static constexpr size_t digits = 16;

std::string vitc::stagingName(llvm::StringRef prefix) {
  std::random_device random; // the system's, not a sequence from a seed
  uint64_t bits = uint64_t(random()) << 32 | random();
  std::string text = llvm::utohexstr(bits, /*LowerCase=*/true);
  return (prefix + mark).str() + std::string(digits - text.size(), '0') + text;
}

static bool isStagingName(llvm::StringRef name) {
  size_t place = name.rfind(mark);
  if (place == llvm::StringRef::npos || place == 0)
    return false;
  llvm::StringRef random = name.drop_front(place + mark.size());
  return random.size() == digits && llvm::all_of(random, [](char c) {
           return llvm::isDigit(c) || (c >= 'a' && c <= 'f');
         });
}

//===----------------------------------------------------------------------===//
// StagingFolder
//===----------------------------------------------------------------------===//

llvm::ErrorOr<StagingFolder> StagingFolder::create(llvm::StringRef prefix) {
  StagingFolder result;
  InterruptLock interrupts;
  std::string name = stagingName(prefix);
  if (mkdir(name.c_str(), 0700) != 0)
    return llvm::errnoAsErrorCode();
  interrupts.add(name);
  result.folder = std::move(name);
  // A file system without locks leaves the age alone to tell what is stale.
  result.lock = open(result.folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (result.lock >= 0)
    flock(result.lock, LOCK_EX | LOCK_NB);
  return result;
}

StagingFolder::StagingFolder(StagingFolder &&other)
    : folder(std::exchange(other.folder, "")),
      lock(std::exchange(other.lock, -1)) {}

StagingFolder &StagingFolder::operator=(StagingFolder &&other) {
  std::swap(folder, other.folder);
  std::swap(lock, other.lock);
  return *this;
}

StagingFolder::~StagingFolder() {
  if (!folder.empty()) {
    InterruptLock interrupts;
    fs::remove_directories(folder);
    interrupts.drop(folder);
  }
  if (lock >= 0)
    close(lock);
}

//===----------------------------------------------------------------------===//
// What was left behind
//===----------------------------------------------------------------------===//

/// Whether the open file is nobody's work any more. It is locked then, so that
/// two vitc do not remove it together.
static bool isStale(int file) {
  constexpr time_t oneDay = 24 * 60 * 60;
  struct stat status = {};
  if (fstat(file, &status) != 0 || status.st_uid != geteuid() ||
      time(nullptr) - status.st_mtime < oneDay)
    return false;
  bool isPrivateFolder =
      S_ISDIR(status.st_mode) && (status.st_mode & 07777) == 0700;
  if (!isPrivateFolder && !S_ISREG(status.st_mode))
    return false;
  return flock(file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

void vitc::removeStale(llvm::StringRef parent) {
  std::error_code code;
  for (fs::directory_iterator it(parent, code, /*follow_symlinks=*/false), end;
       it != end && !code; it.increment(code)) {
    const std::string &path = it->path();
    if (!isStagingName(llvm::sys::path::filename(path)))
      continue;
    int file =
        open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0)
      continue;
    if (isStale(file)) {
      if (fs::is_directory(path))
        fs::remove_directories(path);
      else
        fs::remove(path);
    }
    close(file);
  }
}
