// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Toolbox.h"

#include "vitc/Backend/Registry.h"
#include "vitc/TargetInfo/Targets.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"

using namespace vitc;
using namespace vitc::tune;

static llvm::Expected<Backends> findBackends(const Installation &installation,
                                             llvm::StringRef backend) {
  Backends backends;
  llvm::StringRef folder = installation.backendFolder;
  for (const auto &[name, program] : backendPrograms(folder))
    if ((backend == name || backend == everyBackend) &&
        llvm::sys::fs::can_execute(program))
      backends[name] = program;
  if (backends.empty())
    return userError("--backend " + backend + ": there is no vitc-" + backend +
                     " in " + folder +
                     "; tools/setup --tests installs what it is built with");
  return backends;
}

/// What kernels that this machine's CPU runs have as their targets.
static std::vector<std::string> runnableTargets() {
  std::vector<std::string> names;
  for (const vitc::Target &known : targets())
    if (known.device.empty() && isHost(*known.architecture))
      for (const Level &level : known.levels) {
        std::string name = kernelTarget(level, ElementType::F32).str();
        if (runsHere(level) && !llvm::is_contained(names, name))
          names.push_back(name);
      }
  return names;
}

llvm::Expected<Tools> vitc::tune::makeTools(const Installation &installation,
                                            const CompileOptions &options,
                                            llvm::StringRef backend,
                                            const std::string &folder) {
  Tools tools;
  llvm::Expected<Backends> backends = findBackends(installation, backend);
  if (!backends)
    return backends.takeError();
  tools.backends = std::move(*backends);
  tools.measureProgram = installation.measureProgram;
  if (!llvm::sys::fs::can_execute(tools.measureProgram))
    return userError(tools.measureProgram,
                     "there is no such program; install vitc again");
  tools.runtimeFolder = installation.runtimeFolder;
  tools.folder = folder;
  // What is measured runs here.
  llvm::Expected<const vitc::Target *> host = hostTarget();
  if (!host)
    return host.takeError();
  tools.targets = runnableTargets();
  llvm::Expected<Toolchain> toolchain =
      findToolchain(*(*host)->architecture, options.toolchain);
  if (!toolchain)
    return toolchain.takeError();
  tools.cxx = toolchain->compiler;
  return tools;
}
