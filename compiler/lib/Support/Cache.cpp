// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Support/Cache.h"

#include "vitc/Support/File.h"
#include "vitc/Support/Interrupt.h"
#include "vitc/Support/TrustedFolder.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"

#include <cstdio>
#include <fcntl.h>

using namespace vitc;
using llvm::StringRef;
namespace fs = llvm::sys::fs;

static constexpr llvm::StringLiteral sumsName = "sha256sums";

static std::string hashOf(StringRef text) {
  return llvm::toHex(llvm::SHA256::hash(llvm::arrayRefFromStringRef(text)),
                     /*LowerCase=*/true);
}

static std::string stagingParent(StringRef folder) {
  return joinPath(folder, "staging");
}

llvm::Expected<Cache> Cache::open(StringRef folder) {
  if (folder.size() > 1)
    folder = folder.rtrim('/');
  if (llvm::Error error = requireTrusted(folder, /*create=*/true))
    return error;
  removeStale(stagingParent(folder));
  return Cache(folder.str());
}

std::string Cache::keyOf(StringRef text) {
  // Entries of another layout must not be found.
  constexpr llvm::StringLiteral layout = "entries with sha256sums\n";
  return hashOf((layout + text).str()).substr(0, 40);
}

std::string Cache::folderOf(StringRef kind, StringRef key) const {
  return joinPath(folder,
                  kind + "/" + key.take_front(2) + "/" + key.drop_front(2));
}

llvm::Error Cache::fail(std::error_code reason) const {
  return userError(folder,
                   "cannot write to the kernel cache: " + reason.message() +
                       "; VITC_CACHE_DIR names another folder");
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

std::string Cache::Entry::path(StringRef name) const {
  return joinPath(folder, name);
}

/// Whether the files are those that were kept. A UserError is about who may
/// write, any other about what is damaged.
static llvm::Expected<Cache::Entry> check(StringRef folder) {
  if (llvm::Error error = requireTrusted(folder, /*create=*/false))
    return error;
  Cache::Entry entry;
  entry.folder = folder.str();
  llvm::Expected<std::string> sums = readTrusted(entry.path(sumsName));
  if (!sums)
    return sums.takeError();
  llvm::SmallVector<StringRef> lines;
  StringRef(*sums).split(lines, '\n', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef line : lines) {
    auto [hash, name] = line.split("  ");
    if (name.empty() || name.contains('/'))
      return llvm::createStringError(sumsName + " has no name in a line");
    llvm::Expected<std::string> contents = readTrusted(entry.path(name));
    if (!contents)
      return contents.takeError();
    if (hashOf(*contents) != hash)
      return llvm::createStringError(name + " is not what was kept");
    entry.files[name.str()] = std::move(*contents);
  }
  return entry;
}

llvm::Expected<std::optional<Cache::Entry>>
Cache::find(StringRef kind, StringRef key, llvm::ArrayRef<StringRef> names) {
  std::string place = folderOf(kind, key);
  fs::file_status status;
  if (fs::status(place, status, /*follow=*/false) ==
      std::errc::no_such_file_or_directory)
    return std::nullopt;
  llvm::Expected<Entry> entry = check(place);
  for (StringRef name : names)
    if (entry && !entry->files.count(name.str()))
      entry = llvm::createStringError(sumsName + " lacks " + name);
  if (entry)
    return std::move(*entry);
  llvm::Error error = entry.takeError();
  if (error.isA<UserError>())
    return error;
  std::string relative = StringRef(place).drop_front(folder.size() + 1).str();
  damaged.push_back(relative + ": " + llvm::toString(std::move(error)));
  return std::nullopt;
}

std::string Cache::describeDamage() const {
  if (damaged.empty())
    return "";
  return folder + ": " + std::to_string(damaged.size()) +
         (damaged.size() == 1 ? " entry of the kernel cache was damaged, and "
                                "has been compiled anew ("
                              : " entries of the kernel cache were damaged, "
                                "and have been compiled anew (the first: ") +
         damaged.front() + ")";
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

std::string Cache::Draft::folder() const { return joinPath(root, "entry"); }

std::string Cache::Draft::path(StringRef name) const {
  return joinPath(folder(), name);
}

llvm::Expected<Cache::Draft> Cache::begin() {
  if (!staging) {
    std::string parent = stagingParent(folder);
    if (llvm::Error error = requireTrusted(parent, /*create=*/true))
      return error;
    llvm::ErrorOr<StagingFolder> fresh =
        StagingFolder::create(joinPath(parent, "drafts"));
    if (!fresh)
      return fail(fresh.getError());
    staging = std::move(*fresh);
  }
  Draft draft(joinPath(staging->path(), std::to_string(drafts++)));
  InterruptLock lock;
  // Others may read an entry at most.
  if (std::error_code failed = fs::create_directories(
          draft.folder(), /*IgnoreExisting=*/false, fs::perms(0755)))
    return fail(failed);
  return draft;
}

/// Puts the folder in the place of another one, which it then has the name of.
static std::error_code exchange(const std::string &fresh,
                                const std::string &old) {
  if (renameat2(AT_FDCWD, fresh.c_str(), AT_FDCWD, old.c_str(),
                RENAME_EXCHANGE) == 0)
    return std::error_code();
  // Not every file system can do that in one step.
  if (std::error_code failed = fs::rename(old, fresh + ".old"))
    return failed;
  return fs::rename(fresh, old);
}

/// Whatever the umask: a file that others may write is not trusted.
static void protect(const std::string &file) {
  if (llvm::ErrorOr<fs::perms> mode = fs::getPermissions(file))
    fs::setPermissions(file, *mode & fs::perms(0755));
}

llvm::Error Cache::keep(const Draft &draft, StringRef kind, StringRef key) {
  std::map<std::string, std::string> hashes;
  std::error_code failed;
  for (fs::directory_iterator it(draft.folder(), failed), end;
       it != end && !failed; it.increment(failed)) {
    auto contents = mapFile(it->path());
    if (!contents)
      return contents.takeError();
    hashes[llvm::sys::path::filename(it->path()).str()] =
        hashOf((*contents)->getBuffer());
    protect(it->path());
  }
  if (failed)
    return fail(failed);
  std::string sums;
  for (const auto &[name, hash] : hashes)
    sums += hash + "  " + name + "\n";
  if ((failed = replaceFile(draft.path(sumsName), StringRef(sums))))
    return fail(failed);
  protect(draft.path(sumsName));

  std::string place = folderOf(kind, key);
  if (llvm::Error error = requireTrusted(llvm::sys::path::parent_path(place),
                                         /*create=*/true))
    return error;
  InterruptLock lock;
  failed = fs::rename(draft.folder(), place);
  if (failed == std::errc::directory_not_empty ||
      failed == std::errc::file_exists) {
    llvm::Expected<Entry> other = check(place);
    bool isWhole = other && llvm::all_of(hashes, [&](const auto &file) {
                     return other->files.count(file.first);
                   });
    llvm::consumeError(other.takeError());
    failed = isWhole ? std::error_code() : exchange(draft.folder(), place);
  }
  if (failed)
    return fail(failed);
  fs::remove_directories(draft.root);
  return llvm::Error::success();
}
