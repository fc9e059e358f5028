// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Emulator.h"

#include "vitc/Driver/Compile.h"
#include "vitc/Support/Cache.h"
#include "vitc/Support/File.h"
#include "vitc/Support/Process.h"

#include "llvm/ADT/StringExtras.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace vitc;
using namespace vitc::tool;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// The runner's program
//===----------------------------------------------------------------------===//

/// All that decides what the program will be.
static llvm::Expected<std::string> identityOf(const Installation &installation,
                                              const Toolchain &toolchain) {
  std::string text =
      toolchain.compiler + "\n" + llvm::join(toolchain.flags, "\n");
  for (const char *name : {"runner.cpp", "protocol.h"}) {
    auto source = mapFile(joinPath(installation.runnerFolder, name));
    if (!source)
      return source.takeError();
    text += (*source)->getBuffer();
  }
  return text;
}

static llvm::Error compileRunner(const Installation &installation,
                                 const Toolchain &toolchain,
                                 const std::string &program) {
  std::vector<std::string> arguments = toolchain.flags;
  // The C++ library becomes part of the program, so that the emulated system
  // needs libc alone, as the library itself does.
  llvm::append_range(
      arguments, std::vector<std::string>{
                     "-std=c++17", "-O2", "-static-libstdc++", "-static-libgcc",
                     "-I" + joinPath(installation.runtimeFolder, "include"),
                     joinPath(installation.runnerFolder, "runner.cpp"), "-o",
                     program, "-ldl"});
  return runProcess({toolchain.compiler, arguments});
}

/// The runner for the architecture, from the cache or compiled now.
static llvm::Expected<std::string> findRunner(const Toolchain &toolchain) {
  auto installation = Installation::find("vitc");
  if (!installation)
    return installation.takeError();
  auto text = identityOf(*installation, toolchain);
  if (!text)
    return text.takeError();
  auto cache = Cache::open(installation->cacheFolder);
  if (!cache)
    return cache.takeError();
  std::string key = Cache::keyOf(*text);
  constexpr llvm::StringLiteral kind = "runners", program = "runner";
  for (bool compiled : {false, true}) {
    auto entry = cache->find(kind, key, StringRef(program));
    if (!entry)
      return entry.takeError();
    if (*entry)
      return (*entry)->path(program);
    if (compiled)
      break;
    auto draft = cache->begin();
    if (!draft)
      return draft.takeError();
    if (llvm::Error error =
            compileRunner(*installation, toolchain, draft->path(program)))
      return error;
    if (llvm::Error error = cache->keep(*draft, kind, key))
      return error;
  }
  return llvm::createStringError("the runner was damaged in the cache at once");
}

/// Where the emulated program finds its loader and its libc: the sysroot that
/// was given, else the compiler's, which for the distribution's cross compiler
/// is a folder named after the triple.
static std::string emulatedRoot(const Architecture &architecture,
                                const Toolchain &toolchain,
                                const ToolchainOptions &options) {
  if (!options.sysroot.empty())
    return options.sysroot;
  auto own = runForOutput({toolchain.compiler, {"-print-sysroot"}});
  if (own && !own->empty() && *own != "/")
    return *own;
  if (!own)
    llvm::consumeError(own.takeError());
  return ("/usr/" + llvm::Twine(architecture.triple)).str();
}

//===----------------------------------------------------------------------===//
// The process
//===----------------------------------------------------------------------===//

llvm::Expected<std::unique_ptr<EmulatedRunner>>
EmulatedRunner::start(const Architecture &architecture,
                      const ToolchainOptions &options,
                      llvm::ArrayRef<std::string> arguments) {
  auto emulator = findProgram(architecture.emulator);
  if (!emulator) {
    llvm::consumeError(emulator.takeError());
    return userError("a library for " + llvm::Twine(architecture.name) +
                     " runs on this machine under " + architecture.emulator +
                     " only, which is not installed; install " +
                     architecture.emulatorPackage +
                     " (apt-get install), or copy the library to a machine of "
                     "its own kind");
  }
  auto toolchain = findToolchain(architecture, options);
  if (!toolchain)
    return toolchain.takeError();
  auto runner = findRunner(*toolchain);
  if (!runner)
    return runner.takeError();

  std::vector<std::string> words = {
      *emulator, "-L", emulatedRoot(architecture, *toolchain, options),
      *runner};
  llvm::append_range(words, arguments);
  std::vector<char *> argv;
  for (std::string &word : words)
    argv.push_back(word.data());
  argv.push_back(nullptr);
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0)
    return llvm::createStringError(
        std::error_code(errno, std::generic_category()),
        "cannot make a socket");
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, sockets[1], STDIN_FILENO);
  pid_t child = 0;
  int error = posix_spawn(&child, emulator->c_str(), &files, nullptr,
                          argv.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  close(sockets[1]);
  if (error != 0) {
    close(sockets[0]);
    return userError(*emulator,
                     "cannot be run: " + StringRef(std::strerror(error)));
  }
  return std::unique_ptr<EmulatedRunner>(new EmulatedRunner(
      std::string(architecture.emulator), child, sockets[0]));
}

EmulatedRunner::~EmulatedRunner() {
  // The runner ends when it reads the end of the socket.
  close(socket);
  if (failure.empty())
    waitpid(process, nullptr, 0);
}

void EmulatedRunner::fail() {
  if (!failure.empty())
    return;
  failure = emulator + " ended early";
  int status = 0;
  if (waitpid(process, &status, 0) != process)
    return;
  // The emulator ends as the program would have done.
  if (WIFSIGNALED(status))
    failure += ": " + std::string(strsignal(WTERMSIG(status)));
  else
    failure += " with exit code " + std::to_string(WEXITSTATUS(status));
}

void EmulatedRunner::read(void *data, size_t bytes) {
  for (size_t done = 0; done < bytes;) {
    ssize_t count =
        failure.empty()
            ? recv(socket, static_cast<char *>(data) + done, bytes - done, 0)
            : 0;
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0) {
      std::memset(static_cast<char *>(data) + done, 0, bytes - done);
      return fail();
    }
    done += size_t(count);
  }
}

void EmulatedRunner::write(const void *data, size_t bytes) {
  for (size_t done = 0; done < bytes && failure.empty();) {
    ssize_t count = send(socket, static_cast<const char *>(data) + done,
                         bytes - done, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return fail();
    done += size_t(count);
  }
}

std::string EmulatedRunner::getText() {
  std::string text(get<uint32_t>(), '\0');
  read(text.data(), text.size());
  return text;
}

void EmulatedRunner::putText(StringRef text) {
  put(uint32_t(text.size()));
  write(text.data(), text.size());
}

llvm::Error EmulatedRunner::takeError() {
  return failure.empty() ? llvm::Error::success() : userError(failure);
}
