// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ObjectCache.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace vitc;
namespace fs = llvm::sys::fs;

static constexpr llvm::StringLiteral kind = "objects", objectFile = "object.o";

/// Empty for a file that cannot be read: the compiler will say so.
static std::string contents(llvm::StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : "";
}

/// Every header below the folder with its contents, in an order of its own.
static std::string headersIn(llvm::StringRef folder) {
  std::vector<std::string> files;
  std::error_code code;
  for (fs::recursive_directory_iterator it(folder, code), end;
       it != end && !code; it.increment(code))
    if (llvm::StringRef extension = llvm::sys::path::extension(it->path());
        extension == ".h" || extension == ".def")
      files.push_back(it->path());
  llvm::sort(files);
  std::string text;
  for (const std::string &file : files)
    text += llvm::StringRef(file).drop_front(folder.size()).str() + "\n" +
            contents(file);
  return text;
}

/// An upgrade of the compiler changes its file.
static std::string identityOf(llvm::StringRef program) {
  llvm::SmallString<256> file;
  fs::file_status status;
  if (fs::real_path(program, file) || fs::status(file, status))
    return program.str();
  return (file.str() + " " + llvm::Twine(status.getSize()) + " " +
          llvm::Twine(
              status.getLastModificationTime().time_since_epoch().count()))
      .str();
}

ObjectCache::ObjectCache(Cache &cache, const Toolchain &toolchain,
                         llvm::ArrayRef<std::string> flags,
                         llvm::ArrayRef<std::string> headerFolders)
    : cache(cache) {
  std::string text = identityOf(toolchain.compiler) + "\n" +
                     llvm::join(toolchain.flags, "\n") + "\n" +
                     llvm::join(flags, "\n") + "\n";
  for (const std::string &headers : headerFolders)
    text += headersIn(headers);
  common = Cache::keyOf(text);
}

std::string ObjectCache::keyFor(llvm::StringRef sourcePath) const {
  return Cache::keyOf(common + contents(sourcePath));
}

llvm::Expected<std::string> ObjectCache::find(llvm::StringRef key) const {
  llvm::Expected<std::optional<Cache::Entry>> entry =
      cache.find(kind, key, llvm::StringRef(objectFile));
  if (!entry)
    return entry.takeError();
  return *entry ? (*entry)->path(objectFile) : "";
}

void ObjectCache::keep(llvm::StringRef object, llvm::StringRef key) const {
  llvm::Expected<Cache::Draft> draft = cache.begin();
  if (!draft)
    return llvm::consumeError(draft.takeError());
  if (!fs::copy_file(object, draft->path(objectFile)))
    llvm::consumeError(cache.keep(*draft, kind, key));
}
