// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "MeasureChild.h"

#include "vitc/Support/Interrupt.h"
#include "vitc/Support/Json.h"

#include "llvm/Support/FormatVariadic.h"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace vitc;
using namespace vitc::tune;

llvm::Error MeasureChild::start() {
  // Questions go through a socket, which can be written to without a signal
  // when the program has ended.
  int in[2], out[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in) != 0 ||
      pipe2(out, O_CLOEXEC) != 0)
    return llvm::createStringError("cannot make a pipe");
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, in[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, out[1], STDOUT_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  char *arguments[] = {const_cast<char *>(program.c_str()), nullptr};
  int error;
  {
    InterruptLock lock;
    error = posix_spawn(&process, program.c_str(), &files, &attributes,
                        arguments, environ);
    if (error == 0)
      lock.add(process);
  }
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  close(in[0]);
  close(out[1]);
  questions = in[1];
  answers = out[0];
  if (error == 0)
    return llvm::Error::success();
  process = 0;
  return userError(
      program, "cannot be run: " +
                   std::error_code(error, std::generic_category()).message());
}

void MeasureChild::end() {
  if (questions >= 0)
    close(questions);
  if (answers >= 0)
    close(answers);
  questions = answers = -1;
  if (process <= 0)
    return;
  InterruptLock lock;
  kill(-process, SIGKILL);
  while (waitpid(process, nullptr, 0) < 0 && errno == EINTR)
    ;
  lock.drop(process);
  process = 0;
}

MeasureChild::~MeasureChild() { end(); }

llvm::Expected<llvm::json::Object>
MeasureChild::ask(llvm::json::Object question) {
  if (!isAlive())
    if (llvm::Error error = start())
      return error;
  std::string line =
      llvm::formatv("{0}\n", llvm::json::Value(std::move(question)));
  size_t written = 0;
  while (written < line.size()) {
    ssize_t count = send(questions, line.data() + written,
                         line.size() - written, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      break;
    written += size_t(count);
  }
  // It limits its own children; this is for the case that it hangs itself.
  constexpr int patienceMilliseconds = 300 * 1000;
  size_t end;
  while ((end = rest.find('\n')) == std::string::npos) {
    pollfd wait{answers, POLLIN, 0};
    int ready = poll(&wait, 1, patienceMilliseconds);
    if (ready < 0 && errno == EINTR)
      continue;
    char buffer[4096];
    ssize_t count = ready > 0 ? read(answers, buffer, sizeof(buffer)) : 0;
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0) {
      this->end();
      return llvm::createStringError(program + " ended without an answer");
    }
    rest.append(buffer, size_t(count));
  }
  llvm::Expected<llvm::json::Object> object =
      parseJsonObject(program, llvm::StringRef(rest).take_front(end));
  rest.erase(0, end + 1);
  if (!object) // not the user's fault
    return llvm::createStringError(llvm::toString(object.takeError()));
  return object;
}
