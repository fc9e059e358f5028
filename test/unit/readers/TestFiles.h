// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Files that the tests make for themselves, in a folder that goes away with
/// the test.
#ifndef VITC_TEST_UNIT_READERS_TESTFILES_H
#define VITC_TEST_UNIT_READERS_TESTFILES_H

#include "vitc/Support/Error.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace vitc::test {

class FilesTest : public ::testing::Test {
protected:
  void SetUp() override;
  void TearDown() override;

  /// The path of a file in the test's folder.
  std::string at(const std::string &name) const { return folder + "/" + name; }
  /// Writes it and returns its path.
  std::string write(const std::string &name, const std::string &content) const;

  std::string folder;
};

/// One tensor for safetensorsBytes.
struct RawTensor {
  std::string name, type;
  std::vector<long> shape;
  std::string data;
};

/// A file out of a head and data as they are, right or wrong.
std::string safetensorsBytes(const std::string &head, const std::string &data);
/// A valid file.
std::string safetensorsBytes(const std::vector<RawTensor> &tensors);

/// The bytes of values as they are stored.
template <typename T>
std::string bytesOf(const std::vector<T> &values) {
  return std::string(reinterpret_cast<const char *>(values.data()),
                     values.size() * sizeof(T));
}

/// The message of a failure, or "" (and a failed test) where none was.
template <typename T>
std::string messageOf(llvm::Expected<T> result) {
  if (result) {
    ADD_FAILURE() << "expected an error";
    return "";
  }
  llvm::Error error = result.takeError();
  EXPECT_TRUE(error.isA<UserError>());
  return llvm::toString(std::move(error));
}

/// The value, or a failed test with the message.
template <typename T>
T valueOf(llvm::Expected<T> result) {
  if (!result) {
    std::string message = llvm::toString(result.takeError());
    ADD_FAILURE() << message;
    abort();
  }
  return std::move(*result);
}

/// Every part must stand in the message.
void expectParts(const std::string &message,
                 const std::vector<std::string> &parts);

} // namespace vitc::test

#endif // VITC_TEST_UNIT_READERS_TESTFILES_H
