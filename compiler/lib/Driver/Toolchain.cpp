// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Driver/Toolchain.h"

#include "vitc/Support/Process.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Process.h"
#include "llvm/TargetParser/Triple.h"

using namespace vitc;

/// The first of `names` that there is; an empty path if there is none.
static std::string findFirst(llvm::ArrayRef<std::string> names) {
  for (const std::string &name : names) {
    llvm::Expected<std::string> found = findProgram(name);
    if (found)
      return *found;
    llvm::consumeError(found.takeError());
  }
  return "";
}

static llvm::Expected<std::string>
findCompiler(const Architecture &architecture) {
  if (!isHost(architecture)) {
    std::string name = (llvm::Twine(architecture.triple) + "-g++").str();
    std::string path = findFirst(name);
    if (!path.empty())
      return path;
    return userError("no C++ compiler for " + llvm::Twine(architecture.name) +
                     " found (looked for " + name + "); install " +
                     architecture.package +
                     " (apt-get install), or name one with --cxx");
  }
  std::vector<std::string> names = {"c++", "g++", "clang++"};
  if (std::optional<std::string> variable = llvm::sys::Process::GetEnv("CXX");
      variable && !variable->empty())
    names.insert(names.begin(), *variable);
  std::string path = findFirst(names);
  if (!path.empty())
    return path;
  return userError("no C++ compiler found (looked for " +
                   llvm::join(names, ", ") +
                   "); install g++ or name one with --cxx");
}

/// A compiler that the user named may be one for another machine, which would
/// only show when the first kernel is linked.
static llvm::Error checkCompiler(const Architecture &architecture,
                                 const ToolchainOptions &options,
                                 const std::string &path) {
  llvm::Expected<std::string> triple = runForOutput({path, {"-dumpmachine"}});
  if (!triple) {
    llvm::Error error = triple.takeError();
    if (error.isA<UserError>()) // no temporary file, no time: not its fault
      return error;
    llvm::consumeError(std::move(error));
    triple = std::string();
  }
  if (triple->empty())
    return userError("--cxx " + options.cxx +
                     " does not answer -dumpmachine, as g++ and clang++ do; "
                     "it is not a C++ compiler that vitc can use");
  if (llvm::Triple(*triple).getArch() ==
      llvm::Triple(llvm::StringRef(architecture.triple)).getArch())
    return llvm::Error::success();
  return userError("--cxx " + options.cxx + " compiles for " + *triple +
                   ", while the target needs a compiler for " +
                   llvm::Twine(architecture.triple));
}

/// Binutils that know the architecture: the compiler knows its own.
static llvm::Expected<std::string> findTool(const Architecture &architecture,
                                            const std::string &compiler,
                                            llvm::StringRef name) {
  if (isHost(architecture))
    return findProgram(name);
  llvm::Expected<std::string> own =
      runForOutput({compiler, {("-print-prog-name=" + name).str()}});
  if (!own)
    llvm::consumeError(own.takeError());
  else if (llvm::StringRef(*own).contains('/') &&
           llvm::sys::fs::can_execute(*own))
    return own;
  return findProgram((llvm::Twine(architecture.triple) + "-" + name).str());
}

llvm::Expected<Toolchain> vitc::findToolchain(const Architecture &architecture,
                                              const ToolchainOptions &options) {
  Toolchain toolchain;
  llvm::Expected<std::string> compiler = options.cxx.empty()
                                             ? findCompiler(architecture)
                                             : findProgram(options.cxx);
  if (!compiler)
    return compiler.takeError();
  toolchain.compiler = *compiler;
  if (!options.cxx.empty())
    if (llvm::Error error = checkCompiler(architecture, options, *compiler))
      return error;
  if (!options.sysroot.empty()) {
    if (!llvm::sys::fs::is_directory(options.sysroot))
      return userError("--sysroot " + options.sysroot + " is not a folder");
    toolchain.flags.push_back("--sysroot=" + options.sysroot);
  }
  for (auto [name, path] : {std::pair("objcopy", &toolchain.objcopy),
                            std::pair("ar", &toolchain.ar)}) {
    llvm::Expected<std::string> tool = findTool(architecture, *compiler, name);
    if (!tool)
      return tool.takeError();
    *path = *tool;
  }
  return toolchain;
}
