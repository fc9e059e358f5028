// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/runtime/weights.h"

#include "lock.h"

#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <initializer_list>
#include <new>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace vitc::rt {

namespace {

/// What makes two opens the same file: a file that was replaced or rewritten in
/// the meantime is another one, and is mapped and checked anew.
struct FileKey {
  dev_t device;
  ino_t inode;
  off_t size;
  timespec changed;

  bool operator==(const FileKey &other) const {
    return device == other.device && inode == other.inode &&
           size == other.size && changed.tv_sec == other.changed.tv_sec &&
           changed.tv_nsec == other.changed.tv_nsec;
  }
};

/// A file descriptor that closes itself.
class Descriptor {
public:
  /// O_NONBLOCK keeps a named pipe from stopping the caller; it means nothing
  /// for regular files.
  explicit Descriptor(const char *path)
      : number(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  ~Descriptor() {
    if (number >= 0)
      close(number);
  }
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;

  int get() const { return number; }
  bool valid() const { return number >= 0; }

private:
  int number;
};

} // namespace

struct Weights {
  const unsigned char *file; ///< head and data
  size_t fileBytes;
  FileKey key;   ///< of mapped files
  bool embedded; ///< part of the library: nothing to unmap
  uint64_t users;
  Weights *next;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
/// Everything in use by this process, guarded by the mutex.
static Weights *inUse = nullptr;

static constexpr char magic[8] = {'V', 'I', 'T', 'C', 'W', 'G', 'T', '1'};

static WeightsHeader readHeader(const unsigned char *file) {
  WeightsHeader header;
  std::memcpy(&header, file, sizeof(header));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  for (uint64_t *field : {&header.bytes, &header.identity, &header.checksum})
    *field = __builtin_bswap64(*field);
#endif
  return header;
}

/// Checks the head alone: is this a whole weights file, and this library's?
/// `fileBytes` is null when the size is not known (embedded weights).
static vitc_status checkHeader(const WeightsHeader &header,
                               const size_t *fileBytes, uint64_t bytes,
                               uint64_t identity) {
  if (std::memcmp(header.magic, magic, sizeof(magic)) != 0)
    return VITC_ERROR_WEIGHTS_FORMAT;
  for (uint64_t word : header.reserved)
    if (word != 0)
      return VITC_ERROR_WEIGHTS_FORMAT;
  if (fileBytes && *fileBytes - sizeof(WeightsHeader) != header.bytes)
    return VITC_ERROR_WEIGHTS_FORMAT;
  if (header.bytes != bytes || header.identity != identity)
    return VITC_ERROR_WEIGHTS_MISMATCH;
  return VITC_OK;
}

/// Registers checked weights with one user. Null when memory is short.
static Weights *registerWeights(const Weights &checked) {
  void *memory = std::malloc(sizeof(Weights));
  if (!memory)
    return nullptr;
  inUse = new (memory) Weights(checked);
  return inUse;
}

static vitc_status acquireEmbedded(const unsigned char *file, uint64_t bytes,
                                   uint64_t identity, Weights **weights) {
  WeightsHeader header = readHeader(file);
  if (vitc_status status = checkHeader(header, nullptr, bytes, identity))
    return status;

  Guard guard(mutex);
  for (Weights *known = inUse; known; known = known->next) {
    if (known->embedded && known->file == file) {
      ++known->users;
      *weights = known;
      return VITC_OK;
    }
  }
  if (checksum(file + sizeof(header), size_t(bytes)) != header.checksum)
    return VITC_ERROR_WEIGHTS_CORRUPT;
  *weights = registerWeights(
      {file, sizeof(header) + size_t(bytes), {}, true, 1, inUse});
  return *weights ? VITC_OK : VITC_ERROR_MEMORY;
}

/// Maps and checks a file that is open and not mapped yet.
static vitc_status mapFile(const Descriptor &file, const FileKey &key,
                           uint64_t bytes, uint64_t identity,
                           Weights **weights) {
  auto fileBytes = size_t(key.size);
  void *mapping =
      mmap(nullptr, fileBytes, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (mapping == MAP_FAILED)
    return VITC_ERROR_MEMORY;
  const auto *start = static_cast<const unsigned char *>(mapping);

  WeightsHeader header = readHeader(start);
  vitc_status status = checkHeader(header, &fileBytes, bytes, identity);
  if (status == VITC_OK) {
    // The checksum is about to read every page; let the kernel read ahead. That
    // it may refuse is no error.
    (void)madvise(mapping, fileBytes, MADV_WILLNEED);
    if (checksum(start + sizeof(header), size_t(bytes)) != header.checksum)
      status = VITC_ERROR_WEIGHTS_CORRUPT;
  }
  if (status == VITC_OK) {
    *weights = registerWeights({start, fileBytes, key, false, 1, inUse});
    if (*weights)
      return VITC_OK;
    status = VITC_ERROR_MEMORY;
  }
  munmap(mapping, fileBytes);
  return status;
}

static vitc_status acquireFile(const char *path, uint64_t bytes,
                               uint64_t identity, Weights **weights) {
  Descriptor file(path);
  struct stat about;
  if (!file.valid() || fstat(file.get(), &about) != 0 ||
      !S_ISREG(about.st_mode))
    return VITC_ERROR_WEIGHTS_OPEN;
  if (about.st_size < off_t(sizeof(WeightsHeader)))
    return VITC_ERROR_WEIGHTS_FORMAT;
  FileKey key{about.st_dev, about.st_ino, about.st_size, about.st_mtim};

  Guard guard(mutex);
  for (Weights *known = inUse; known; known = known->next) {
    if (known->embedded || !(known->key == key))
      continue;
    // The data was checked when it was mapped, but this may be another library.
    if (vitc_status status =
            checkHeader(readHeader(known->file), nullptr, bytes, identity))
      return status;
    ++known->users;
    *weights = known;
    return VITC_OK;
  }
  return mapFile(file, key, bytes, identity, weights);
}

vitc_status acquireWeights(const char *path, const unsigned char *embedded,
                           uint64_t bytes, uint64_t identity,
                           Weights **weights) {
  *weights = nullptr;
  if (path)
    return acquireFile(path, bytes, identity, weights);
  if (embedded)
    return acquireEmbedded(embedded, bytes, identity, weights);
  return VITC_ERROR_ARGUMENT;
}

const unsigned char *weightsData(const Weights *weights) {
  return weights->file + sizeof(WeightsHeader);
}

void releaseWeights(Weights *weights) {
  if (!weights)
    return;
  Guard guard(mutex);
  if (--weights->users > 0)
    return;
  Weights **link = &inUse;
  while (*link != weights)
    link = &(*link)->next;
  *link = weights->next;
  if (!weights->embedded)
    munmap(const_cast<unsigned char *>(weights->file), weights->fileBytes);
  std::free(weights);
}

} // namespace vitc::rt
