// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Driver/Compile.h"

#include "vitc/Support/File.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

using namespace vitc;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

static std::string defaultCacheFolder() {
  if (std::optional<std::string> folder =
          llvm::sys::Process::GetEnv("VITC_CACHE_DIR");
      folder && !folder->empty())
    return *folder;
  llvm::SmallString<128> folder;
  if (path::cache_directory(folder))
    return joinPath(folder, "vitc");
  return "";
}

llvm::Expected<Installation> Installation::find(const char *argv0) {
  std::string program = fs::getMainExecutable(
      argv0, reinterpret_cast<void *>(&defaultCacheFolder));
  llvm::StringRef bin = path::parent_path(program);
  Installation installation;
  installation.cacheFolder = defaultCacheFolder();
  if (installation.cacheFolder.empty())
    return userError(
        "no folder to keep compiled kernels in: set VITC_CACHE_DIR "
        "or HOME");
  installation.backendFolder = bin.str();
  installation.measureProgram = joinPath(bin, "vitc-measure");

  // An installed tree first, then the source tree that this program was built
  // from.
  std::string share = joinPath(path::parent_path(bin), "share/vitc");
  llvm::StringRef root = fs::exists(joinPath(share, "runtime"))
                             ? llvm::StringRef(share)
                             : llvm::StringRef(VITC_SOURCE_DIR);
  installation.runtimeFolder = joinPath(root, "runtime");
  installation.modelsFolder = joinPath(root, "models");
  installation.runnerFolder = joinPath(root, "tools/runner");
  installation.recordsFolder =
      joinPath(root, root == share ? "records" : "schedules/records");
  if (!fs::exists(installation.runtimeFolder))
    return userError(program, "the runtime's sources are neither in " + share +
                                  "/runtime nor in " +
                                  installation.runtimeFolder +
                                  "; install vitc again");
  return installation;
}
