// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ObjectCache.h"

#include "vitc/Support/File.h"
#include "vitc/Support/Interrupt.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/SHA256.h"

using namespace vitc;
namespace fs = llvm::sys::fs;

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
    if (llvm::sys::path::extension(it->path()) == ".h")
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

static std::string hashOf(llvm::StringRef text) {
  return llvm::toHex(llvm::SHA256::hash(llvm::arrayRefFromStringRef(text)),
                     /*LowerCase=*/true);
}

ObjectCache::ObjectCache(llvm::StringRef cacheFolder,
                         const Toolchain &toolchain,
                         llvm::ArrayRef<std::string> flags,
                         llvm::ArrayRef<std::string> headerFolders)
    : folder(joinPath(cacheFolder, "objects")) {
  std::string text = identityOf(toolchain.compiler) + "\n" +
                     llvm::join(toolchain.flags, "\n") + "\n" +
                     llvm::join(flags, "\n") + "\n";
  for (const std::string &headers : headerFolders)
    text += headersIn(headers);
  key = hashOf(text);
}

bool ObjectCache::has(llvm::StringRef path) {
  // A crash of the machine may have left part of a file; what is missing is its
  // end, where an object has the table of its sections.
  if (!fs::exists(path))
    return false;
  auto object = llvm::object::ObjectFile::createObjectFile(path);
  if (object)
    return true;
  llvm::consumeError(object.takeError());
  return false;
}

std::string ObjectCache::pathFor(llvm::StringRef sourcePath) const {
  std::string hash = hashOf(key + contents(sourcePath));
  return joinPath(folder, hash.substr(0, 2) + "/" + hash.substr(2, 38) + ".o");
}

void ObjectCache::keep(llvm::StringRef object, llvm::StringRef path) {
  if (fs::create_directories(llvm::sys::path::parent_path(path)))
    return;
  std::string staging =
      (path + ".tmp" + llvm::Twine(llvm::sys::Process::getProcessId())).str();
  InterruptLock lock; // until nothing is half there any more
  if (fs::copy_file(object, staging) || fs::rename(staging, path))
    fs::remove(staging);
}
