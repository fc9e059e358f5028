// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The files that a backend writes: all of them, or none.
#ifndef VITC_SCHEDULES_COMMON_FILES_H
#define VITC_SCHEDULES_COMMON_FILES_H

#include <map>
#include <string>
#include <vector>

namespace vitc::schedules {

/// Files under temporary names, which become real together or vanish.
class FileSet {
public:
  FileSet() = default;
  FileSet(const FileSet &) = delete;
  FileSet &operator=(const FileSet &) = delete;
  ~FileSet();

  /// The temporary name to write `path` under.
  std::string add(const std::string &path);

  /// The same for a file that vanishes in any case.
  std::string addTemporary(const std::string &path);

  void commit();

private:
  std::map<std::string, std::string> files;
  std::vector<std::string> helpers;
};

/// Writes a file, or throws.
void writeText(const std::string &path, const std::string &text);

} // namespace vitc::schedules

#endif // VITC_SCHEDULES_COMMON_FILES_H
