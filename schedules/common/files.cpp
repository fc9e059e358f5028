// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/files.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <stdexcept>

namespace vitc::schedules {

/// Random, because processes of two containers may have the same number.
static std::string temporaryName(const std::string &path) {
  std::random_device random;
  char digits[17];
  std::snprintf(digits, sizeof(digits), "%08x%08x", random(), random());
  return path + ".tmp" + digits;
}

FileSet::~FileSet() {
  for (const auto &[path, temporary] : files)
    std::remove(temporary.c_str());
  for (const std::string &path : helpers)
    std::remove(path.c_str());
}

std::string FileSet::add(const std::string &path) {
  return files[path] = temporaryName(path);
}

std::string FileSet::addTemporary(const std::string &path) {
  return helpers.emplace_back(temporaryName(path));
}

void FileSet::commit() {
  for (const auto &[path, temporary] : files)
    std::filesystem::rename(temporary, path);
  files.clear();
}

void writeText(const std::string &path, const std::string &text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file)
    throw std::runtime_error("cannot write " + path);
}

} // namespace vitc::schedules
