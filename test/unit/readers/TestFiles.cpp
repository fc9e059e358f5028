// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TestFiles.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"

#include <fstream>

using namespace llvm;

namespace vitc::test {

void FilesTest::SetUp() {
  SmallString<128> path;
  ASSERT_FALSE(sys::fs::createUniqueDirectory("vitc-readers", path));
  folder = path.str().str();
}

void FilesTest::TearDown() { sys::fs::remove_directories(folder); }

std::string FilesTest::write(const std::string &name,
                             const std::string &content) const {
  std::ofstream(at(name), std::ios::binary) << content;
  return at(name);
}

std::string safetensorsBytes(const std::string &head, const std::string &data) {
  std::string result;
  for (int i = 0; i < 8; ++i)
    result += char(uint64_t(head.size()) >> (8 * i));
  return result + head + data;
}

std::string safetensorsBytes(const std::vector<RawTensor> &tensors) {
  std::string head = R"({"__metadata__":{"format":"pt"})", data;
  for (const RawTensor &tensor : tensors) {
    head += ",\"" + tensor.name + "\":{\"dtype\":\"" + tensor.type +
            "\",\"shape\":[";
    for (size_t i = 0; i < tensor.shape.size(); ++i)
      head += (i ? "," : "") + std::to_string(tensor.shape[i]);
    head += "],\"data_offsets\":[" + std::to_string(data.size()) + ",";
    data += tensor.data;
    head += std::to_string(data.size()) + "]}";
  }
  return safetensorsBytes(head + "}", data);
}

void expectParts(const std::string &message,
                 const std::vector<std::string> &parts) {
  for (const std::string &part : parts)
    EXPECT_NE(message.find(part), std::string::npos)
        << "\"" << part << "\" is not in: " << message;
}

} // namespace vitc::test
