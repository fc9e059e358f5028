// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What the fuzz targets share: files in memory for readers that take a path,
/// and the rule that a wrong input ends in a user error.
#ifndef VITC_TEST_FUZZ_FUZZ_H
#define VITC_TEST_FUZZ_FUZZ_H

#include <cstdint>
#include <string>

namespace vitc::fuzz {

/// A file without a name on any disk; every input replaces its bytes.
class MemoryFile {
public:
  MemoryFile();
  /// The path to open it by.
  const std::string &write(const std::string &bytes);

private:
  int descriptor;
  std::string place;
};

/// A folder that goes away with the process, in memory where the system has
/// such a place.
class MemoryFolder {
public:
  MemoryFolder();
  ~MemoryFolder();
  MemoryFolder(const MemoryFolder &) = delete;
  MemoryFolder &operator=(const MemoryFolder &) = delete;

  std::string at(const std::string &name) const { return place + "/" + name; }
  /// Writes a file of the folder and returns its path.
  std::string write(const std::string &name, const std::string &bytes) const;

private:
  std::string place;
};

/// The input as text.
std::string textOf(const uint8_t *data, size_t size);

/// Ends the process with a message: the input has found a fault.
[[noreturn]] void fault(const std::string &message);

/// The input is refused, with this message. That is a fault for a seed
/// (VITC_FUZZ_SEEDS is set, see run.py): what is made from it would be refused
/// for the same reason, and nothing behind it be reached.
void refused(const std::string &message);

} // namespace vitc::fuzz

#endif // VITC_TEST_FUZZ_FUZZ_H
