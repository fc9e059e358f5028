// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What torch.save writes: the first byte of the input says whether the rest is
/// the whole file, or the pickle of a valid archive or of a file of PyTorch
/// before 1.6.
#include "Readers.h"
#include "TorchFiles.h"

using namespace vitc;
using namespace vitc::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static MemoryFile file;
  if (size == 0)
    return -1;
  std::string bytes = textOf(data + 1, size - 1);
  const std::string storage(64, '\1'), other(24, '\2');
  if (data[0] == 'a')
    bytes = test::torchBytes(bytes, {{"0", storage}, {"1", other}});
  else if (data[0] == 'o')
    bytes = test::oldTorchBytes(
        bytes, {{"0", std::string("\20\0\0\0\0\0\0\0", 8) + storage}});
  else if (data[0] != 'f')
    return -1;
  auto checkpoint = openTorch(file.write(bytes));
  if (isValue(checkpoint))
    readEnds(**checkpoint);
  return 0;
}
