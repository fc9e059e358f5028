// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Support/Interrupt.h"

#include "vitc/Support/StagingFolder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <mutex>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace vitc;
namespace fs = llvm::sys::fs;

namespace {

struct Registry {
  std::mutex mutex;
  std::vector<std::string> paths, emptyFolders;
  std::vector<pid_t> children;
};

} // namespace

/// Never destroyed: the thread may outlive main().
static Registry &registry() {
  static Registry *instance = new Registry;
  return *instance;
}

/// The writing end of the pipe that wakes the thread.
static int wakePipe = -1;

/// Only what is safe in a handler: one write of the signal's number.
static void wake(int signal) {
  int saved = errno;
  unsigned char number = static_cast<unsigned char>(signal);
  // A full pipe has woken the thread already.
  [[maybe_unused]] ssize_t written = write(wakePipe, &number, 1);
  errno = saved;
}

/// Ends the groups: politely first, because a C++ compiler then removes its
/// temporary files, and by force a moment later.
static void endChildren(std::vector<pid_t> &children) {
  constexpr auto grace = std::chrono::seconds(1);
  for (pid_t child : children)
    kill(-child, SIGTERM);
  auto start = std::chrono::steady_clock::now();
  std::vector<pid_t> waiting = children;
  while (!waiting.empty() && std::chrono::steady_clock::now() - start < grace) {
    llvm::erase_if(waiting, [](pid_t child) {
      return waitpid(child, nullptr, WNOHANG) != 0;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  // A leader that is gone may have left members.
  for (pid_t child : children)
    kill(-child, SIGKILL);
  for (pid_t child : waiting)
    waitpid(child, nullptr, 0);
}

/// The name goes first, in one step: nothing can be created under it after
/// that, and what is removed then stands still.
static void removeForGood(const std::string &path) {
  std::string doomed =
      stagingName((llvm::sys::path::parent_path(path) + "/.removed").str());
  if (rename(path.c_str(), doomed.c_str()) != 0)
    return;
  if (fs::is_directory(doomed))
    fs::remove_directories(doomed);
  else
    fs::remove(doomed);
}

[[noreturn]] static void endBy(int signal) {
  ::signal(signal, SIG_DFL);
  kill(getpid(), signal);
  // Only if something ignores even this: the code that a shell would show.
  std::this_thread::sleep_for(std::chrono::seconds(1));
  _exit(128 + signal);
}

static void waitForSignal(int pipe) {
  unsigned char number = 0;
  ssize_t count;
  do
    count = read(pipe, &number, 1);
  while (count < 0 && errno == EINTR);
  if (count != 1)
    return;
  Registry &all = registry();
  all.mutex.lock(); // for ever
  endChildren(all.children);
  for (const std::string &path : all.paths)
    removeForGood(path);
  for (const std::string &folder : all.emptyFolders)
    rmdir(folder.c_str()); // fails, as it should, where something is inside
  endBy(number);
}

void vitc::cleanUpOnInterrupt() {
  int ends[2];
  if (wakePipe >= 0 || pipe2(ends, O_CLOEXEC) != 0)
    return;
  fcntl(ends[1], F_SETFL, O_NONBLOCK);
  wakePipe = ends[1];
  registry();
  std::thread(waitForSignal, ends[0]).detach();

  struct sigaction action = {};
  action.sa_handler = wake;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (int signal : {SIGHUP, SIGINT, SIGPIPE, SIGQUIT, SIGTERM}) {
    struct sigaction before;
    if (sigaction(signal, nullptr, &before) == 0 &&
        before.sa_handler != SIG_IGN)
      sigaction(signal, &action, nullptr);
  }
  ::signal(SIGXFSZ, SIG_IGN);
}

InterruptLock::InterruptLock() { registry().mutex.lock(); }
InterruptLock::~InterruptLock() { registry().mutex.unlock(); }

void InterruptLock::add(llvm::StringRef path) {
  registry().paths.push_back(path.str());
}
void InterruptLock::addIfEmpty(llvm::StringRef folder) {
  registry().emptyFolders.push_back(folder.str());
}
void InterruptLock::drop(llvm::StringRef path) {
  llvm::erase(registry().paths, path);
  llvm::erase(registry().emptyFolders, path);
}
void InterruptLock::add(pid_t child) { registry().children.push_back(child); }
void InterruptLock::drop(pid_t child) {
  llvm::erase(registry().children, child);
}
