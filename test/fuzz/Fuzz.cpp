// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Fuzz.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sys/mman.h>
#include <unistd.h>

namespace vitc::fuzz {

static void writeAll(int descriptor, const std::string &bytes) {
  for (size_t done = 0; done < bytes.size();) {
    ssize_t written =
        ::write(descriptor, bytes.data() + done, bytes.size() - done);
    if (written <= 0)
      fault("a file in memory cannot be written");
    done += size_t(written);
  }
}

MemoryFile::MemoryFile()
    : descriptor(memfd_create("vitc-fuzz", MFD_CLOEXEC)),
      place("/proc/self/fd/" + std::to_string(descriptor)) {
  if (descriptor < 0)
    fault("there is no file in memory");
}

const std::string &MemoryFile::write(const std::string &bytes) {
  if (ftruncate(descriptor, 0) != 0 || lseek(descriptor, 0, SEEK_SET) != 0)
    fault("a file in memory cannot be emptied");
  writeAll(descriptor, bytes);
  return place;
}

MemoryFolder::MemoryFolder() {
  namespace fs = std::filesystem;
  fs::path parent = "/dev/shm";
  if (access(parent.c_str(), W_OK) != 0)
    parent = fs::temp_directory_path();
  place = parent / "vitc-fuzz-XXXXXX";
  if (!mkdtemp(place.data()))
    fault("no folder can be made in " + parent.string());
}

MemoryFolder::~MemoryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(place, ignored);
}

std::string MemoryFolder::write(const std::string &name,
                                const std::string &bytes) const {
  std::string path = at(name);
  FILE *file = std::fopen(path.c_str(), "wb");
  if (!file || std::fwrite(bytes.data(), 1, bytes.size(), file) != bytes.size())
    fault("cannot write " + path);
  std::fclose(file);
  return path;
}

std::string textOf(const uint8_t *data, size_t size) {
  return std::string(reinterpret_cast<const char *>(data), size);
}

void refused(const std::string &message) {
  static const bool isSeed = std::getenv("VITC_FUZZ_SEEDS") != nullptr;
  if (isSeed)
    fault("a seed is refused: " + message);
}

void fault(const std::string &message) {
  std::fprintf(stderr, "FAULT: %s\n", message.c_str());
  std::abort();
}

} // namespace vitc::fuzz
