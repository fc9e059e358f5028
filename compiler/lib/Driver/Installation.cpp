#include "vitc/Driver/Compile.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

using namespace vitc;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

static std::string join(llvm::StringRef folder, const llvm::Twine &name) {
  llvm::SmallString<256> result(folder);
  path::append(result, name);
  return std::string(result);
}

static std::string defaultCacheFolder() {
  if (std::optional<std::string> folder =
          llvm::sys::Process::GetEnv("VITC_CACHE_DIR");
      folder && !folder->empty())
    return *folder;
  llvm::SmallString<128> folder;
  if (path::cache_directory(folder))
    return join(folder, "vitc");
  return "/tmp/vitc-cache";
}

llvm::Expected<Installation> Installation::find(const char *argv0) {
  std::string program = fs::getMainExecutable(
      argv0, reinterpret_cast<void *>(&defaultCacheFolder));
  llvm::StringRef bin = path::parent_path(program);
  Installation installation;
  installation.cacheFolder = defaultCacheFolder();
  installation.backendProgram = join(bin, "vitc-halide");

  // An installed tree first, then the source tree that this program was built
  // from.
  std::string share = join(path::parent_path(bin), "share/vitc");
  llvm::StringRef root = fs::exists(join(share, "runtime"))
                             ? llvm::StringRef(share)
                             : llvm::StringRef(VITC_SOURCE_DIR);
  installation.runtimeFolder = join(root, "runtime");
  installation.modelsFolder = join(root, "models");
  if (!fs::exists(installation.runtimeFolder))
    return userError(program, "the runtime's sources are neither in " + share +
                                  "/runtime nor in " +
                                  installation.runtimeFolder +
                                  "; install vitc again");
  return installation;
}
