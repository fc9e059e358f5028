// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// NumPy's files: the first byte of the input says what the rest is. Sums and
/// the archive's structure would stop nearly every change, so a valid archive
/// is put around the arrays in half of the cases.
#include "Readers.h"
#include "ZipFiles.h"

#include "vitc/Support/Npy.h"

using namespace vitc;
using namespace vitc::fuzz;

/// Names as JAX gives them, so that arrays are renamed and turned.
static const char *const jaxNames[] = {
    "Transformer/encoderblock_0/MultiHeadDotProductAttention_1/query/"
    "kernel.npy",
    "Transformer/encoderblock_0/MultiHeadDotProductAttention_1/key/"
    "kernel.npy",
    "Transformer/encoderblock_0/MultiHeadDotProductAttention_1/value/"
    "kernel.npy",
    "embedding/kernel.npy",
    "Transformer/posembed_input/pos_embedding.npy",
    "head/bias.npy",
    "MAPHead_0/probe.npy",
    "cls.npy",
};

/// An archive of the arrays in `bytes`, which stand between its lines
/// "----".
static std::string archiveOf(const std::string &bytes, bool deflated) {
  static const std::string border = "\n----\n";
  std::vector<test::RawMember> members;
  size_t at = 0;
  for (const char *name : jaxNames) {
    size_t end = bytes.find(border, at);
    members.push_back({name, bytes.substr(at, end - at), deflated});
    if (end == std::string::npos)
      break;
    at = end + border.size();
  }
  return test::zipBytes(members);
}

static void readArchive(const std::string &path) {
  auto arrays = openNpz(path);
  if (!isValue(arrays))
    return;
  readEnds(**arrays);
  auto adapted = adaptJaxCheckpoint(std::move(*arrays));
  if (isValue(adapted))
    readEnds(**adapted);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static MemoryFile file;
  if (size == 0)
    return -1;
  std::string rest = textOf(data + 1, size - 1);
  switch (data[0]) {
  case 'n': {
    auto array = readNpy(file.write(rest));
    if (isValue(array) && array->data.size() > rest.size())
      fault("an array is larger than its file");
    return 0;
  }
  case 's':
    readArchive(file.write(archiveOf(rest, /*deflated=*/false)));
    return 0;
  case 'd':
    readArchive(file.write(archiveOf(rest, /*deflated=*/true)));
    return 0;
  case 'z':
    readArchive(file.write(rest));
    return 0;
  default:
    return -1;
  }
}
