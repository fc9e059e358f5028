// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// A file that is gone at the end of the test.
#ifndef VITC_TEST_UNIT_RUNTIME_TEMPORARYFILE_H
#define VITC_TEST_UNIT_RUNTIME_TEMPORARYFILE_H

#include <cstdlib>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>

namespace vitc::rt {

class TemporaryFile {
public:
  explicit TemporaryFile(const std::string &content)
      : name(testing::TempDir() + "/vitc-runtime-XXXXXX") {
    int file = mkstemp(name.data());
    if (file < 0 ||
        write(file, content.data(), content.size()) != ssize_t(content.size()))
      ADD_FAILURE() << "cannot write " << name;
    close(file);
  }
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;
  ~TemporaryFile() { unlink(name.c_str()); }

  const char *path() const { return name.c_str(); }

private:
  std::string name;
};

} // namespace vitc::rt

#endif // VITC_TEST_UNIT_RUNTIME_TEMPORARYFILE_H
