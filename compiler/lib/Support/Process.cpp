#include "vitc/Support/Process.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"

#include <chrono>
#include <csignal>
#include <optional>
#include <thread>

using namespace vitc;
using Clock = std::chrono::steady_clock;

std::string ProcessResult::describe() const {
  if (timedOut)
    return "it did not end in time";
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

struct Running {
  size_t index;
  llvm::sys::ProcessInfo process;
  llvm::SmallString<128> errorFile;
  Clock::time_point start;
};

} // namespace

/// Starts the program with its standard error going to a file; standard output
/// is dropped.
static llvm::Expected<Running> start(const ProcessRequest &request,
                                     size_t index) {
  Running running;
  running.index = index;
  if (std::error_code code = llvm::sys::fs::createTemporaryFile(
          "vitc", "stderr", running.errorFile))
    return llvm::createStringError(code, "cannot create a temporary file: " +
                                             code.message());
  llvm::SmallVector<llvm::StringRef> arguments = {request.program};
  llvm::append_range(arguments, request.arguments);
  std::optional<llvm::StringRef> redirects[] = {
      llvm::StringRef(""), llvm::StringRef(""),
      llvm::StringRef(running.errorFile)};
  std::string message;
  bool failed = false;
  running.start = Clock::now();
  running.process =
      llvm::sys::ExecuteNoWait(request.program, arguments, std::nullopt,
                               redirects, 0, &message, &failed);
  if (failed) {
    llvm::sys::fs::remove(running.errorFile);
    return userError(request.program, "cannot be run: " + message);
  }
  return running;
}

/// The result if the process has ended; ends it if its time is over.
static std::optional<ProcessResult> poll(Running &running,
                                         unsigned timeoutSeconds) {
  ProcessResult result;
  std::string message;
  auto state = llvm::sys::Wait(running.process, /*SecondsToWait=*/0, &message,
                               nullptr, /*Polling=*/true);
  if (state.Pid == 0) {
    if (timeoutSeconds == 0 ||
        Clock::now() - running.start < std::chrono::seconds(timeoutSeconds))
      return std::nullopt;
    kill(running.process.Pid, SIGKILL);
    state = llvm::sys::Wait(running.process, std::nullopt, &message);
    result.timedOut = true;
  }
  result.exitCode = state.ReturnCode;
  if (auto text = llvm::MemoryBuffer::getFile(running.errorFile))
    result.error = (*text)->getBuffer().str();
  llvm::sys::fs::remove(running.errorFile);
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
      if (error)
        kill(running[i].process.Pid, SIGKILL);
      std::optional<ProcessResult> result = poll(running[i], timeoutSeconds);
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

llvm::Error vitc::runProcess(const ProcessRequest &request) {
  return runProcesses(
      request, 1, 0, [&](size_t, const ProcessResult &result) -> llvm::Error {
        if (result.succeeded())
          return llvm::Error::success();
        return llvm::createStringError(request.program + " " +
                                       llvm::join(request.arguments, " ") +
                                       "\nfailed: " + result.describe());
      });
}

llvm::Expected<std::string> vitc::findProgram(llvm::StringRef name) {
  llvm::ErrorOr<std::string> path = llvm::sys::findProgramByName(name);
  if (path)
    return *path;
  return userError(name, "program not found; install it or put it into PATH");
}
