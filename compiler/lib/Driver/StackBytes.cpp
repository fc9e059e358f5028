// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "StackBytes.h"

#include "llvm/Support/MathExtras.h"

using namespace vitc;

/// For the C library, whose code is not at hand: copying memory, sines, and in
/// ID_create memory, files and threads. The deepest is the loader, which on the
/// first call of such a function keeps all vector registers (2.7 KB with
/// AVX-512) and looks for it; together that stays under 5 KB with glibc.
static constexpr uint64_t libraryBytes = 8 * 1024;

static llvm::Expected<uint64_t> greatest(StackUse &use,
                                         llvm::ArrayRef<size_t> objects) {
  uint64_t most = 0;
  for (size_t object : objects) {
    llvm::Expected<uint64_t> bound = use.ofObject(object);
    if (!bound)
      return bound.takeError();
    most = std::max(most, *bound);
  }
  return most;
}

llvm::Expected<StackBytes> StackBytes::measure(const LibraryObjects &objects,
                                               LibraryDescription &library) {
  StackBytes result;
  std::vector<size_t> runtime, forwards, others;
  for (auto [files, numbers] : {std::pair(&objects.runtime, &runtime),
                                std::pair(&objects.forwards, &forwards),
                                std::pair(&objects.others, &others)})
    for (const std::string &file : *files) {
      llvm::Expected<size_t> number = result.use.add(file);
      if (!number)
        return number.takeError();
      numbers->push_back(*number);
    }
  // The engine calls the forward functions through a table, so that they come
  // on top of the deepest that the runtime goes by itself. That is resizing a
  // image, which is over by then: its room is more than enough for the few
  // frames between a lent loop and its tasks. A device is a table more.
  llvm::Expected<uint64_t> own = greatest(result.use, runtime);
  if (!own)
    return own.takeError();
  llvm::Expected<uint64_t> forward = greatest(result.use, forwards);
  if (!forward)
    return forward.takeError();
  result.runtime = *own;
  // Each output is an argument, and a word of an array.
  result.forApi = 256 + 16 * library.outputs.size();
  uint64_t tables = library.device.empty() ? 1 : 2;
  library.stackBytes = int64_t(llvm::alignTo(
      result.forApi + tables * *own + *forward + libraryBytes, 1024));
  return result;
}

llvm::Error StackBytes::check(const std::string &apiObject) {
  llvm::Expected<size_t> object = use.add(apiObject);
  if (!object)
    return object.takeError();
  llvm::Expected<uint64_t> bound = use.ofObject(*object);
  if (!bound)
    return bound.takeError();
  if (*bound <= runtime + forApi)
    return llvm::Error::success();
  return llvm::createStringError("the library's functions need " +
                                 llvm::Twine(*bound - runtime) +
                                 " bytes of stack, not " + llvm::Twine(forApi));
}
