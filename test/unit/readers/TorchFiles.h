// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Checkpoints as torch.save writes them, made without PyTorch: small pieces of
/// pickle that are put together as text.
#ifndef VITC_TEST_UNIT_READERS_TORCHFILES_H
#define VITC_TEST_UNIT_READERS_TORCHFILES_H

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace vitc::test {

/// Instructions that push one value.
std::string pickledString(const std::string &text);
std::string pickledInteger(int64_t value);
std::string pickledIntegers(const std::vector<int64_t> &values); ///< a tuple
std::string pickledGlobal(const std::string &module, const std::string &name);
/// What `callee` gives for the tuple of `arguments`.
std::string pickledCall(const std::string &callee,
                        const std::string &arguments);
using PickledItems = std::vector<std::pair<std::string, std::string>>;
/// Keys are strings, values instructions.
std::string pickledDict(const PickledItems &items);
std::string pickledOrderedDict(const PickledItems &items);

/// A view of the storage `key`, which has `elements` of `storage`
/// ("FloatStorage").
struct RawView {
  std::string storage, key;
  int64_t elements = 0, offset = 0;
  std::vector<int64_t> shape, strides;
};
std::string pickledTensor(const RawView &view);
/// A whole storage of floats in row-major order.
std::string pickledFloats(const std::string &key,
                          const std::vector<int64_t> &shape);

/// A pickle out of the instructions that make its value.
std::string pickleBytes(const std::string &value);

/// Keys and bytes.
using RawStorages = std::vector<std::pair<std::string, std::string>>;
/// The archive, named "archive" inside.
std::string torchBytes(const std::string &pickle, const RawStorages &storages);
/// The file of PyTorch before 1.6: `storages` with eight bytes of count each.
std::string oldTorchBytes(const std::string &pickle,
                          const RawStorages &storages);

} // namespace vitc::test

#endif // VITC_TEST_UNIT_READERS_TORCHFILES_H
