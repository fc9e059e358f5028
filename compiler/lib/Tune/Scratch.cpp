// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Scratch.h"

#include "vitc/Support/Escape.h"
#include "vitc/Support/File.h"
#include "vitc/Support/Interrupt.h"
#include "vitc/Support/TrustedFolder.h"
#include "vitc/Tune/WorkerIdentity.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace vitc;
using namespace vitc::tune;
namespace fs = llvm::sys::fs;

/// Folders are called after the process that they belong to.
static void removeOrphans(llvm::StringRef parent) {
  std::error_code code;
  for (fs::directory_iterator it(parent, code), end; it != end && !code;
       it.increment(code))
    if (!mayBeRunning(llvm::sys::path::filename(it->path())))
      fs::remove_directories(it->path());
}

llvm::Expected<Scratch> Scratch::make(llvm::StringRef cacheFolder) {
  std::string parent = joinPath(cacheFolder, "tune");
  std::string folder = joinPath(parent, workerName());
  // Candidates are named to vitc-measure in JSON.
  if (utf8Text(folder) != folder)
    return userError(folder,
                     "is not UTF-8, expected for tuning; VITC_CACHE_DIR "
                     "names another folder");
  InterruptLock lock;
  lock.add(folder);
  removeOrphans(parent);
  // What is measured is run from there.
  if (llvm::Error error = requireTrusted(folder, /*create=*/true))
    return error;
  return Scratch(folder);
}

Scratch::~Scratch() {
  if (folder.empty())
    return;
  InterruptLock lock;
  fs::remove_directories(folder);
  // What was still being compiled for a process that was killed may have
  // written into its folder while that was removed.
  removeOrphans(llvm::sys::path::parent_path(folder));
  lock.drop(folder);
}
