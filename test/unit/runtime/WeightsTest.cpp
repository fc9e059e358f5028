// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/runtime/weights.h"

#include "TemporaryFile.h"

#include <cstring>
#include <gtest/gtest.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

using namespace vitc::rt;

namespace {

constexpr uint64_t identity = 0x1122334455667788;

/// The checksum as weights.h words it, one word at a time.
uint64_t slowChecksum(std::string data) {
  constexpr uint64_t factor = 0x9E3779B97F4A7C15;
  uint64_t length = data.size(), folded = 0;
  data.resize((data.size() + 63) / 64 * 64);
  uint64_t lanes[8];
  for (uint64_t lane = 0; lane < 8; ++lane)
    lanes[lane] = lane + 1;
  for (size_t word = 0; word < data.size() / 8; ++word) {
    uint64_t value;
    std::memcpy(&value, &data[word * 8], 8);
    lanes[word % 8] = (lanes[word % 8] ^ value) * factor;
  }
  for (uint64_t lane : lanes)
    folded = (folded ^ lane) * factor;
  return (folded ^ length) * factor;
}

std::string makeData(size_t bytes) {
  std::string data(bytes, '\0');
  uint32_t state = 1;
  for (char &byte : data)
    byte = char((state = state * 1664525 + 1013904223) >> 24);
  return data;
}

/// A good weights file.
std::string makeFile(const std::string &data,
                     uint64_t fileIdentity = identity) {
  WeightsHeader header{};
  std::memcpy(header.magic, "VITCWGT1", 8);
  header.bytes = data.size();
  header.identity = fileIdentity;
  header.checksum = slowChecksum(data);
  return std::string(reinterpret_cast<char *>(&header), sizeof(header)) + data;
}

constexpr size_t dataBytes = 10000;

/// What becomes of a file with this content; the library expects `dataBytes`.
vitc_status statusOf(const std::string &content) {
  TemporaryFile file(content);
  Weights *weights = nullptr;
  vitc_status status =
      acquireWeights(file.path(), nullptr, dataBytes, identity, &weights);
  EXPECT_EQ(status == VITC_OK, weights != nullptr);
  releaseWeights(weights);
  return status;
}

} // namespace

TEST(Checksum, IsAsDocumented) {
  for (size_t bytes : {0, 1, 7, 8, 9, 63, 64, 65, 127, 128, 1000, 4096}) {
    std::string data = makeData(bytes);
    EXPECT_EQ(checksum(data.data(), bytes), slowChecksum(data)) << bytes;
  }
  // The two examples of docs/WeightsFile.md.
  EXPECT_EQ(checksum("vitc", 4), 0x3956CDA32EA36D2Au);
  EXPECT_EQ(checksum("", 0), 0x56C3CAD0CE420710u);
}

TEST(Checksum, EveryByteAndTheLengthCount) {
  std::string data = makeData(200);
  uint64_t before = checksum(data.data(), data.size());
  for (char &byte : data) {
    byte = char(byte ^ 1);
    EXPECT_NE(checksum(data.data(), data.size()), before);
    byte = char(byte ^ 1);
  }
  std::string zeros(64, '\0');
  EXPECT_NE(checksum(zeros.data(), 63), checksum(zeros.data(), 64));
}

TEST(Weights, GoodFileIsMappedAligned) {
  std::string data = makeData(dataBytes);
  TemporaryFile file(makeFile(data));
  Weights *weights = nullptr;
  ASSERT_EQ(acquireWeights(file.path(), nullptr, dataBytes, identity, &weights),
            VITC_OK);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(weightsData(weights)) % 64, 0u);
  EXPECT_EQ(std::memcmp(weightsData(weights), data.data(), dataBytes), 0);
  releaseWeights(weights);
}

TEST(Weights, EmptyDataIsFine) {
  TemporaryFile file(makeFile(""));
  Weights *weights = nullptr;
  EXPECT_EQ(acquireWeights(file.path(), nullptr, 0, identity, &weights),
            VITC_OK);
  releaseWeights(weights);
}

TEST(Weights, MissingOrUnreadable) {
  Weights *weights = nullptr;
  auto acquire = [&](const char *path) {
    return acquireWeights(path, nullptr, dataBytes, identity, &weights);
  };
  EXPECT_EQ(acquire("/nonexistent/model.weights"), VITC_ERROR_WEIGHTS_OPEN);
  EXPECT_EQ(acquire(""), VITC_ERROR_WEIGHTS_OPEN);
  EXPECT_EQ(acquire("/"), VITC_ERROR_WEIGHTS_OPEN);
  EXPECT_EQ(acquire("/dev/null"), VITC_ERROR_WEIGHTS_OPEN);

  // A named pipe that nobody writes to must not stop the caller.
  TemporaryFile pipe("");
  unlink(pipe.path());
  ASSERT_EQ(mkfifo(pipe.path(), 0600), 0);
  EXPECT_EQ(acquire(pipe.path()), VITC_ERROR_WEIGHTS_OPEN);

  TemporaryFile secret(makeFile(makeData(dataBytes)));
  ASSERT_EQ(chmod(secret.path(), 0), 0);
  if (geteuid() != 0) { // root reads everything
    EXPECT_EQ(acquire(secret.path()), VITC_ERROR_WEIGHTS_OPEN);
  }
  EXPECT_EQ(acquireWeights(nullptr, nullptr, dataBytes, identity, &weights),
            VITC_ERROR_ARGUMENT);
}

TEST(Weights, CutShortOrTooLong) {
  std::string good = makeFile(makeData(dataBytes));
  EXPECT_EQ(statusOf(good), VITC_OK);
  for (size_t length : {size_t(0), size_t(1), size_t(8), size_t(63), size_t(64),
                        size_t(4096), good.size() - 1})
    EXPECT_EQ(statusOf(good.substr(0, length)), VITC_ERROR_WEIGHTS_FORMAT)
        << length;
  EXPECT_EQ(statusOf(good + '\0'), VITC_ERROR_WEIGHTS_FORMAT);
  EXPECT_EQ(statusOf(std::string(100, '\0')), VITC_ERROR_WEIGHTS_FORMAT);
  EXPECT_EQ(statusOf("{\"a\": \"config file of more than 64 bytes, surely not "
                     "a weights file\"}"),
            VITC_ERROR_WEIGHTS_FORMAT);
}

TEST(Weights, OfAnotherModel) {
  EXPECT_EQ(statusOf(makeFile(makeData(dataBytes), identity + 1)),
            VITC_ERROR_WEIGHTS_MISMATCH);
  EXPECT_EQ(statusOf(makeFile(makeData(dataBytes + 64))),
            VITC_ERROR_WEIGHTS_MISMATCH);
}

TEST(Weights, EveryChangedByteIsNoticed) {
  const std::string good = makeFile(makeData(dataBytes));
  auto flipped = [&](size_t position) {
    std::string bad = good;
    bad[position] = char(bad[position] ^ 0x10);
    return statusOf(bad);
  };
  for (size_t position : {0, 7})
    EXPECT_EQ(flipped(position), VITC_ERROR_WEIGHTS_FORMAT); // magic
  for (size_t position : {8, 15})
    EXPECT_EQ(flipped(position), VITC_ERROR_WEIGHTS_FORMAT); // bytes
  for (size_t position : {16, 23})
    EXPECT_EQ(flipped(position), VITC_ERROR_WEIGHTS_MISMATCH); // identity
  for (size_t position : {24, 31})
    EXPECT_EQ(flipped(position), VITC_ERROR_WEIGHTS_CORRUPT); // checksum
  for (size_t position : {32, 63})
    EXPECT_EQ(flipped(position), VITC_ERROR_WEIGHTS_FORMAT); // reserved
  for (size_t position : {64, 65, 4095, 4096, 9000, 10063})
    EXPECT_EQ(flipped(position), VITC_ERROR_WEIGHTS_CORRUPT); // data
}

TEST(Weights, OneMappingForAllUsers) {
  std::string data = makeData(dataBytes);
  TemporaryFile file(makeFile(data));
  std::string link = std::string(file.path()) + ".link";
  ASSERT_EQ(symlink(file.path(), link.c_str()), 0);

  Weights *first = nullptr, *second = nullptr, *third = nullptr;
  auto acquire = [&](const char *path, Weights **weights) {
    return acquireWeights(path, nullptr, dataBytes, identity, weights);
  };
  ASSERT_EQ(acquire(file.path(), &first), VITC_OK);
  ASSERT_EQ(acquire(file.path(), &second), VITC_OK);
  ASSERT_EQ(acquire(link.c_str(), &third), VITC_OK);
  unlink(link.c_str());
  EXPECT_EQ(weightsData(first), weightsData(second));
  EXPECT_EQ(weightsData(first), weightsData(third));

  // Sharing is no way around the check of another library.
  Weights *other = nullptr;
  EXPECT_EQ(
      acquireWeights(file.path(), nullptr, dataBytes, identity + 1, &other),
      VITC_ERROR_WEIGHTS_MISMATCH);

  releaseWeights(first);
  releaseWeights(third);
  EXPECT_EQ(std::memcmp(weightsData(second), data.data(), dataBytes), 0);
  releaseWeights(second);
}

TEST(Weights, ReplacedFileIsAnotherFile) {
  TemporaryFile file(makeFile(makeData(dataBytes)));
  Weights *before = nullptr, *after = nullptr;
  ASSERT_EQ(acquireWeights(file.path(), nullptr, dataBytes, identity, &before),
            VITC_OK);
  std::string data(dataBytes, 'x');
  TemporaryFile next(makeFile(data));
  ASSERT_EQ(rename(next.path(), file.path()), 0);
  ASSERT_EQ(acquireWeights(file.path(), nullptr, dataBytes, identity, &after),
            VITC_OK);
  EXPECT_NE(weightsData(before), weightsData(after));
  EXPECT_EQ(weightsData(after)[0], 'x');
  EXPECT_NE(weightsData(before)[0], 'x');
  releaseWeights(before);
  releaseWeights(after);
}

TEST(Weights, Embedded) {
  std::string good = makeFile(makeData(dataBytes));
  auto acquire = [&](const std::string &content, Weights **weights) {
    return acquireWeights(
        nullptr, reinterpret_cast<const unsigned char *>(content.data()),
        dataBytes, identity, weights);
  };
  Weights *first = nullptr, *second = nullptr;
  ASSERT_EQ(acquire(good, &first), VITC_OK);
  ASSERT_EQ(acquire(good, &second), VITC_OK);
  EXPECT_EQ(weightsData(first),
            reinterpret_cast<const unsigned char *>(good.data()) + 64);
  EXPECT_EQ(weightsData(second), weightsData(first));
  releaseWeights(first);
  releaseWeights(second);

  for (auto [position, expected] : {std::pair{0, VITC_ERROR_WEIGHTS_FORMAT},
                                    {8, VITC_ERROR_WEIGHTS_MISMATCH},
                                    {16, VITC_ERROR_WEIGHTS_MISMATCH},
                                    {5000, VITC_ERROR_WEIGHTS_CORRUPT}}) {
    std::string bad = good;
    bad[size_t(position)] = char(bad[size_t(position)] ^ 1);
    EXPECT_EQ(acquire(bad, &first), expected) << position;
    EXPECT_EQ(first, nullptr);
  }
}

TEST(Weights, PathGoesBeforeEmbedded) {
  std::string embedded = makeFile(std::string(dataBytes, 'e'));
  TemporaryFile file(makeFile(std::string(dataBytes, 'f')));
  Weights *weights = nullptr;
  ASSERT_EQ(
      acquireWeights(file.path(),
                     reinterpret_cast<const unsigned char *>(embedded.data()),
                     dataBytes, identity, &weights),
      VITC_OK);
  EXPECT_EQ(weightsData(weights)[0], 'f');
  releaseWeights(weights);
}
