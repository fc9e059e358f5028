// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TorchFiles.h"

#include "ZipFiles.h"

namespace vitc::test {

std::string pickledString(const std::string &text) {
  std::string result = "X";
  append(result, text.size(), 4);
  return result + text;
}

std::string pickledInteger(int64_t value) {
  std::string result = "\x8a\x08"; // LONG1
  append(result, value, 8);
  return result;
}

std::string pickledIntegers(const std::vector<int64_t> &values) {
  std::string result = "(";
  for (int64_t value : values)
    result += pickledInteger(value);
  return result + "t";
}

std::string pickledGlobal(const std::string &module, const std::string &name) {
  return "c" + module + "\n" + name + "\n";
}

std::string pickledCall(const std::string &callee,
                        const std::string &arguments) {
  return callee + "(" + arguments + "tR";
}

static std::string setItems(const PickledItems &items) {
  std::string result = "(";
  for (const auto &[key, value] : items)
    result += pickledString(key) + value;
  return result + "u";
}

std::string pickledDict(const PickledItems &items) {
  return "}" + setItems(items);
}

std::string pickledOrderedDict(const PickledItems &items) {
  // torch sets the attribute _metadata on a state dict.
  return pickledCall(pickledGlobal("collections", "OrderedDict"), "") +
         setItems(items) +
         pickledDict({{"_metadata", pickledDict({{"", "N"}})}}) + "b";
}

std::string pickledTensor(const RawView &view) {
  std::string storage = "(" + pickledString("storage") +
                        pickledGlobal("torch", view.storage) +
                        pickledString(view.key) + pickledString("cpu") +
                        pickledInteger(view.elements) + "tQ";
  return pickledCall(
      pickledGlobal("torch._utils", "_rebuild_tensor_v2"),
      storage + pickledInteger(view.offset) + pickledIntegers(view.shape) +
          pickledIntegers(view.strides) + "\x89" +
          pickledCall(pickledGlobal("collections", "OrderedDict"), ""));
}

std::string pickledFloats(const std::string &key,
                          const std::vector<int64_t> &shape) {
  std::vector<int64_t> strides(shape.size());
  int64_t elements = 1;
  for (size_t axis = shape.size(); axis-- > 0; elements *= shape[axis])
    strides[axis] = elements;
  return pickledTensor({"FloatStorage", key, elements, 0, shape, strides});
}

std::string pickleBytes(const std::string &value) {
  return "\x80\x02" + value + ".";
}

std::string torchBytes(const std::string &pickle, const RawStorages &storages) {
  std::vector<RawMember> members = {{"archive/data.pkl", pickle},
                                    {"archive/byteorder", "little"}};
  for (const auto &[key, bytes] : storages)
    members.push_back({"archive/data/" + key, bytes});
  members.push_back({"archive/version", "3\n"});
  return zipBytes(members, /*zip64=*/true);
}

std::string oldTorchBytes(const std::string &pickle,
                          const RawStorages &storages) {
  std::string keys = "](", data;
  for (const auto &[key, bytes] : storages) {
    keys += pickledString(key);
    data += bytes;
  }
  return "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19." +
         pickleBytes("M\xe9\x03") +
         pickleBytes(pickledDict({{"little_endian", "\x88"}})) + pickle +
         pickleBytes(keys + "e") + data;
}

} // namespace vitc::test
