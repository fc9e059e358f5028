// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Support/Process.h"

#include "vitc/Support/Interrupt.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <optional>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

using namespace vitc;
using Clock = std::chrono::steady_clock;

std::string ProcessResult::describe() const {
  if (timedOut)
    return llvm::formatv("it did not end within {0} s, in which it took {1:f1} "
                         "s of processor time",
                         limitSeconds, cpuSeconds);
  llvm::StringRef text = llvm::StringRef(error).trim();
  llvm::SmallVector<llvm::StringRef> lines;
  text.split(lines, '\n');
  if (lines.size() > 8)
    lines.resize(8);
  if (!text.empty())
    return llvm::join(lines, "\n");
  return exitCode == -2 ? "it crashed"
                        : "it exited with code " + std::to_string(exitCode);
}

namespace {

/// A file without a name: however vitc ends, nothing of it is left behind.
class UnnamedFile {
public:
  static llvm::Expected<UnnamedFile> create() {
    UnnamedFile file;
    llvm::SmallString<128> name;
    if (std::error_code code = llvm::sys::fs::createTemporaryFile(
            "vitc", "tmp", file.descriptor, name))
      return describeFailure(code);
    llvm::sys::fs::remove(name);
    return file;
  }
  UnnamedFile(UnnamedFile &&other)
      : descriptor(std::exchange(other.descriptor, -1)) {}
  UnnamedFile &operator=(UnnamedFile &&other) {
    std::swap(descriptor, other.descriptor);
    return *this;
  }
  ~UnnamedFile() {
    if (descriptor >= 0)
      close(descriptor);
  }

  int get() const { return descriptor; }
  /// What was written to it.
  std::string read() const {
    struct stat status = {};
    if (fstat(descriptor, &status) != 0)
      return "";
    std::string text(size_t(status.st_size), '\0');
    ssize_t bytes = pread(descriptor, text.data(), text.size(), 0);
    text.resize(size_t(std::max<ssize_t>(bytes, 0)));
    return text;
  }

private:
  UnnamedFile() = default;

  static llvm::Error describeFailure(std::error_code code) {
    llvm::SmallString<128> folder;
    llvm::sys::path::system_temp_directory(/*ErasedOnReboot=*/true, folder);
    return userError(folder,
                     "cannot create a temporary file: " + code.message() +
                         "; set TMPDIR to a folder that exists and can "
                         "be written");
  }

  int descriptor = -1;
};

struct Running {
  size_t index;
  pid_t process;
  UnnamedFile errors;
  Clock::time_point start;
};

} // namespace

/// posix_spawn with the child as the leader of a process group of its own,
/// which llvm::sys::ExecuteNoWait cannot give: a compiler driver has children,
/// too, and only a group can be ended as a whole.
static int spawn(const ProcessRequest &request, int errors, pid_t &child) {
  std::vector<char *> arguments = {const_cast<char *>(request.program.c_str())};
  for (const std::string &argument : request.arguments)
    arguments.push_back(const_cast<char *>(argument.c_str()));
  arguments.push_back(nullptr);
  std::vector<char *> environment;
  for (const std::string &variable : request.environment)
    environment.push_back(const_cast<char *>(variable.c_str()));
  auto isReplaced = [&](llvm::StringRef variable) {
    return llvm::any_of(request.environment, [&](llvm::StringRef other) {
      return other.split('=').first == variable.split('=').first;
    });
  };
  for (char **variable = environ; *variable; ++variable)
    if (!isReplaced(*variable))
      environment.push_back(*variable);
  environment.push_back(nullptr);

  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY,
                                   0);
  if (request.output < 0)
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null",
                                     O_WRONLY, 0);
  else
    posix_spawn_file_actions_adddup2(&files, request.output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, errors, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  int error = posix_spawn(&child, request.program.c_str(), &files, &attributes,
                          arguments.data(), environment.data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return error;
}

/// Starts the program, and keeps its standard error.
static llvm::Expected<Running> start(const ProcessRequest &request,
                                     size_t index) {
  InterruptLock lock;
  llvm::Expected<UnnamedFile> errors = UnnamedFile::create();
  if (!errors)
    return errors.takeError();
  Running running = {index, 0, std::move(*errors), Clock::now()};
  if (int error = spawn(request, running.errors.get(), running.process))
    return userError(
        request.program,
        "cannot be run: " +
            std::error_code(error, std::generic_category()).message());
  lock.add(running.process);
  return running;
}

/// What the processes of a group have taken of the processors, and those of
/// their children that have ended; 0 where /proc is not there.
static double cpuSecondsOf(pid_t group) {
  uint64_t ticks = 0;
  std::error_code code;
  for (llvm::sys::fs::directory_iterator it("/proc", code), end;
       it != end && !code; it.increment(code)) {
    if (!llvm::isDigit(llvm::sys::path::filename(it->path()).front()))
      continue;
    auto text = llvm::MemoryBuffer::getFileAsStream(it->path() + "/stat");
    if (!text)
      continue; // it has ended
    // The second field is a name that may hold anything, in parentheses. The
    // state follows, and is field 0 here.
    llvm::SmallVector<llvm::StringRef> fields;
    (*text)->getBuffer().rsplit(") ").second.split(fields, ' ');
    constexpr size_t groupField = 2, firstTime = 11, times = 4;
    pid_t own = 0;
    if (fields.size() < firstTime + times ||
        fields[groupField].getAsInteger(10, own) || own != group)
      continue;
    for (size_t i = 0; i < times; ++i) {
      uint64_t part = 0;
      if (!fields[firstTime + i].getAsInteger(10, part))
        ticks += part;
    }
  }
  return double(ticks) / double(sysconf(_SC_CLK_TCK));
}

/// The result if the process has ended; ends it if it must or if its time is
/// over.
static std::optional<ProcessResult>
poll(Running &running, unsigned timeoutSeconds, bool mustEnd) {
  InterruptLock lock;
  ProcessResult result;
  int status = 0;
  if (!mustEnd && waitpid(running.process, &status, WNOHANG) == 0) {
    if (timeoutSeconds == 0 ||
        Clock::now() - running.start < std::chrono::seconds(timeoutSeconds))
      return std::nullopt;
    result.timedOut = mustEnd = true;
    result.limitSeconds = timeoutSeconds;
    result.cpuSeconds = cpuSecondsOf(running.process);
  }
  if (mustEnd) {
    kill(-running.process, SIGKILL);
    while (waitpid(running.process, &status, 0) < 0 && errno == EINTR)
      ;
  }
  result.exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : -2;
  result.error = running.errors.read();
  lock.drop(running.process);
  return result;
}

llvm::Error vitc::runProcesses(
    llvm::ArrayRef<ProcessRequest> requests, unsigned jobs,
    unsigned timeoutSeconds,
    llvm::function_ref<llvm::Error(size_t, const ProcessResult &)> finished) {
  std::vector<Running> running;
  size_t next = 0;
  llvm::Error error = llvm::Error::success();
  while ((next < requests.size() && !error) || !running.empty()) {
    while (!error && next < requests.size() &&
           running.size() < std::max(jobs, 1u)) {
      llvm::Expected<Running> started = start(requests[next], next);
      ++next;
      if (started)
        running.push_back(std::move(*started));
      else
        error = started.takeError();
    }
    for (size_t i = 0; i < running.size();) {
      std::optional<ProcessResult> result =
          poll(running[i], timeoutSeconds, /*mustEnd=*/bool(error));
      if (!result) {
        ++i;
        continue;
      }
      size_t index = running[i].index;
      running.erase(running.begin() + i);
      if (!error)
        error = finished(index, *result);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return error;
}

static llvm::Error runLimited(const ProcessRequest &request,
                              unsigned timeoutSeconds) {
  return runProcesses(
      request, 1, timeoutSeconds,
      [&](size_t, const ProcessResult &result) -> llvm::Error {
        if (result.succeeded())
          return llvm::Error::success();
        std::string message = request.program + " " +
                              llvm::join(request.arguments, " ") +
                              "\nfailed: " + result.describe();
        if (result.stalled())
          return userError(message + "; the machine is overloaded, or the "
                                     "program waits for something");
        return llvm::createStringError(message);
      });
}

llvm::Error vitc::runProcess(const ProcessRequest &request) {
  return runLimited(request, /*timeoutSeconds=*/0);
}

llvm::Expected<std::string> vitc::runForOutput(ProcessRequest request,
                                               unsigned timeoutSeconds) {
  llvm::Expected<UnnamedFile> output = UnnamedFile::create();
  if (!output)
    return output.takeError();
  request.output = output->get();
  if (llvm::Error error = runLimited(request, timeoutSeconds))
    return error;
  return llvm::StringRef(output->read()).trim().str();
}

llvm::Expected<std::string> vitc::findProgram(llvm::StringRef name) {
  // A name with a slash comes back unseen.
  llvm::ErrorOr<std::string> path = llvm::sys::findProgramByName(name);
  if (path && llvm::sys::fs::can_execute(*path))
    return *path;
  return userError(name, "program not found; install it or put it into PATH");
}
