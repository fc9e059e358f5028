// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/program.h"

#include <cstdio>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace vitc::schedules {

bool runProgram(const std::string &program,
                const std::vector<std::string> &arguments,
                const std::string &log, std::string &output) {
  std::vector<char *> words = {const_cast<char *>(program.c_str())};
  for (const std::string &argument : arguments)
    words.push_back(const_cast<char *>(argument.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0644);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  pid_t child;
  int error = posix_spawnp(&child, program.c_str(), &actions, nullptr,
                           words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  bool done = error == 0 && waitpid(child, &status, 0) == child && status == 0;
  std::ifstream in(log);
  output.assign(std::istreambuf_iterator<char>(in), {});
  std::remove(log.c_str());
  return done;
}

} // namespace vitc::schedules
