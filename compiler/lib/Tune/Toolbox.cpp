// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Toolbox.h"

#include "vitc/Backend/Registry.h"
#include "vitc/Driver/Targets.h"

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
  tools.runtimeFolder = installation.runtimeFolder;
  tools.folder = folder;
  // What is measured runs here.
  llvm::Expected<const vitc::Target *> host = hostTarget();
  if (!host)
    return host.takeError();
  llvm::Expected<Toolchain> toolchain =
      findToolchain(*(*host)->architecture, options.toolchain);
  if (!toolchain)
    return toolchain.takeError();
  tools.cxx = toolchain->compiler;
  return tools;
}
