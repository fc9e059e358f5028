// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Programs of another architecture.
#ifndef VITC_TOOLS_LIBRARY_EMULATOR_H
#define VITC_TOOLS_LIBRARY_EMULATOR_H

#include "vitc/Driver/Toolchain.h"

#include <memory>
#include <sys/types.h>

namespace vitc::tool {

/// tools/runner under the architecture's emulator, at the end of a socket.
class EmulatedRunner {
public:
  /// Compiles the runner, unless the cache has it, and starts it with
  /// `arguments`. Errors name the package that is missing.
  static llvm::Expected<std::unique_ptr<EmulatedRunner>>
  start(const Architecture &architecture, const ToolchainOptions &toolchain,
        llvm::ArrayRef<std::string> arguments);
  EmulatedRunner(const EmulatedRunner &) = delete;
  EmulatedRunner &operator=(const EmulatedRunner &) = delete;
  ~EmulatedRunner();

  // The first error sticks: what is read after it is zero, what is written is
  // dropped.
  void read(void *data, size_t bytes);
  void write(const void *data, size_t bytes);
  template <typename T>
  T get() {
    T value = {};
    read(&value, sizeof(value));
    return value;
  }
  template <typename T>
  void put(T value) {
    write(&value, sizeof(value));
  }
  std::string getText();
  void putText(llvm::StringRef text);

  /// An error if the runner ended early.
  llvm::Error takeError();

private:
  EmulatedRunner(std::string emulator, pid_t process, int socket)
      : emulator(std::move(emulator)), process(process), socket(socket) {}
  /// Notes how the runner ended.
  void fail();

  std::string emulator;
  pid_t process;
  int socket;
  std::string failure;
};

} // namespace vitc::tool

#endif // VITC_TOOLS_LIBRARY_EMULATOR_H
