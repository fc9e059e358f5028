// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Staging.h"

#include "vitc/Support/File.h"
#include "vitc/Support/Interrupt.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <unistd.h>
#include <utility>

using namespace vitc;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

llvm::Expected<Staging> Staging::create(llvm::StringRef output) {
  if (output.empty())
    return userError("-o: the output folder's name is empty");
  llvm::SmallString<256> absolute(output);
  if (std::error_code code = fs::make_absolute(absolute))
    return userError(output, code.message());
  path::remove_dots(absolute, /*remove_dot_dot=*/true);
  llvm::StringRef target = llvm::StringRef(absolute).rtrim('/');
  if (fs::exists(target))
    return userError(
        output, "already exists; remove it or choose another output folder");

  Staging staging;
  staging.asked = output.str();
  staging.output = target.str();
  llvm::StringRef parent = path::parent_path(target);
  for (llvm::StringRef folder = parent; !folder.empty() && !fs::exists(folder);
       folder = path::parent_path(folder))
    staging.parents.push_back(folder.str());
  auto fail = [&](std::error_code code) {
    return userError(output, "cannot be created: " + code.message());
  };
  {
    InterruptLock lock;
    for (const std::string &folder : staging.parents)
      lock.addIfEmpty(folder);
    if (std::error_code code = createFolders(parent))
      return fail(code);
  }
  removeStale(parent);
  llvm::ErrorOr<StagingFolder> root =
      StagingFolder::create(joinPath(parent, "." + path::filename(target)));
  if (!root)
    return fail(root.getError());
  staging.root = std::move(*root);
  InterruptLock lock;
  for (const std::string &folder : {staging.result(), staging.scratchFolder()})
    if (std::error_code code = createFolders(folder))
      return fail(code);
  return staging;
}

Staging::Staging(Staging &&other)
    : asked(other.asked), output(other.output), root(std::move(other.root)),
      parents(std::exchange(other.parents, {})) {}

Staging::~Staging() {
  root.reset();
  InterruptLock lock;
  for (const std::string &parent : parents) {
    rmdir(parent.c_str()); // fails, as it should, where something is inside
    lock.drop(parent);
  }
}

std::string Staging::result() const { return joinPath(root->path(), "out"); }
std::string Staging::scratchFolder() const {
  return joinPath(root->path(), "scratch");
}

static std::string inside(llvm::StringRef folder, const llvm::Twine &name) {
  std::string result = joinPath(folder, name);
  InterruptLock lock;
  createFolders(path::parent_path(result));
  return result;
}

std::string Staging::path(const llvm::Twine &name) const {
  return inside(result(), name);
}
std::string Staging::scratch(const llvm::Twine &name) const {
  return inside(scratchFolder(), name);
}

llvm::Error Staging::write(const llvm::Twine &name,
                           llvm::StringRef text) const {
  return writeFile(path(name), text);
}

llvm::Error Staging::commit() {
  InterruptLock lock;
  if (std::error_code code = fs::rename(result(), output))
    return userError(asked, "cannot be created: " + code.message());
  return llvm::Error::success();
}

static std::string messageOf(int reason) {
  return std::error_code(reason, std::generic_category()).message();
}

/// The line of the message that says that a disk, a quota or the limit on file
/// sizes is used up, and how it says so; both are empty if there is none. Other
/// programs' complaints may be part of the message.
static std::pair<llvm::StringRef, std::string>
findUsedUp(llvm::StringRef text) {
  for (int reason : {ENOSPC, EDQUOT, EFBIG}) {
    std::string words = messageOf(reason);
    size_t place = text.find(words);
    if (place == llvm::StringRef::npos)
      continue;
    // npos + 1 is the start of the text.
    return {text.slice(text.rfind('\n', place) + 1, text.find('\n', place)),
            words};
  }
  return {};
}

llvm::Error Staging::explain(llvm::Error error) const {
  std::string text;
  llvm::raw_string_ostream(text) << error;
  auto [line, words] = findUsedUp(text);
  bool usedUp = !words.empty();
  if (!usedUp && !error.isA<UserError>()) {
    // A program that fails for want of space need not say so.
    constexpr uint64_t tooLittle = 64 * 1024;
    llvm::ErrorOr<fs::space_info> space = fs::disk_space(root->path());
    usedUp = space && space->available < tooLittle;
  }
  const std::string &folder = root->path();
  bool mentions = llvm::StringRef(text).contains(folder);
  if (usedUp && (mentions || !error.isA<UserError>())) {
    llvm::consumeError(std::move(error));
    // Compilers write to the folder for temporary files, too. A limit on the
    // size of files is no folder's fault.
    llvm::SmallString<128> temporary;
    path::system_temp_directory(/*ErasedOnReboot=*/true, temporary);
    bool elsewhere = line.contains(temporary) && !line.contains(folder) &&
                     words != messageOf(EFBIG);
    return userError(elsewhere ? llvm::StringRef(temporary) : asked,
                     (words.empty() ? "no space left on the disk"
                                    : "cannot be written: " + words) +
                         "; nothing was written");
  }
  if (!mentions)
    return error;
  bool isUsers = error.isA<UserError>();
  llvm::consumeError(std::move(error));
  for (const std::string &hidden : {scratchFolder(), result(), folder})
    for (size_t at = 0; (at = text.find(hidden, at)) != std::string::npos;)
      text.replace(at, hidden.size(), asked);
  return isUsers ? userError(text) : llvm::createStringError(text);
}
