// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Every record of data/resize.fixtures against `preprocess`.
#include "TestImage.h"

#include <cstdio>
#include <gtest/gtest.h>
#include <string>

using namespace vitc::rt;

namespace {

/// The fixtures, read from front to back.
class Fixtures {
public:
  Fixtures() {
    FILE *file = std::fopen(VITC_TEST_DATA "/resize.fixtures", "rb");
    if (!file)
      return;
    unsigned char buffer[4096];
    while (size_t count = std::fread(buffer, 1, sizeof(buffer), file))
      bytes.insert(bytes.end(), buffer, buffer + count);
    std::fclose(file);
  }

  template <typename T>
  std::vector<T> take(size_t count) {
    std::vector<T> values(count);
    if (position + count * sizeof(T) > bytes.size()) {
      ADD_FAILURE() << "the fixtures are cut short";
      return values;
    }
    std::memcpy(values.data(), bytes.data() + position, count * sizeof(T));
    position += count * sizeof(T);
    return values;
  }

  bool atEnd() const { return position == bytes.size(); }

private:
  std::vector<unsigned char> bytes;
  size_t position = 0;
};

constexpr size_t normalisedCount = 3 * 256;

} // namespace

TEST(Resize, EqualsPillow) {
  Fixtures fixtures;
  fixtures.take<float>(normalisedCount);
  int32_t records = fixtures.take<int32_t>(1)[0];
  ASSERT_GT(records, 200);
  for (int32_t record = 0; record < records; ++record) {
    std::vector<int32_t> head = fixtures.take<int32_t>(12);
    Preprocessing how = plainPreprocessing(head[5], head[6], head[7]);
    how.filter = Filter(head[0]);
    how.resize = Resize(head[1]);
    how.resizeHeight = head[2];
    how.resizeWidth = head[3];
    how.centerCrop = head[4] != 0;
    auto expected =
        fixtures.take<uint8_t>(size_t(head[5]) * size_t(head[6] * head[7]));
    if (HasFailure())
      return;
    SCOPED_TRACE("record " + std::to_string(record) + ": filter " +
                 std::to_string(head[0]) + ", image " +
                 std::to_string(head[8]) + "x" + std::to_string(head[9]) + "x" +
                 std::to_string(head[10]) + " to " + std::to_string(head[7]) +
                 "x" + std::to_string(head[6]));

    TestImage testImage = makeImage(head[8], head[9], head[10], head[11]);
    std::vector<float> result;
    ASSERT_EQ(preprocessTo(how, testImage.image(), result), VITC_OK);
    size_t wrong = 0;
    for (size_t index = 0; index < expected.size(); ++index)
      wrong += result[index] != float(expected[index]);
    EXPECT_EQ(wrong, 0u) << "of " << expected.size() << " pixels";
  }
  EXPECT_TRUE(fixtures.atEnd());
}

TEST(Resize, NormalisesAsNumpyDoes) {
  Fixtures fixtures;
  auto expected = fixtures.take<float>(normalisedCount);
  const float mean[] = {0.485f, 0.456f, 0.406f};
  const float std[] = {0.229f, 0.224f, 0.225f};
  Preprocessing how = plainPreprocessing(3, 1, 256);
  how.rescale = 1.0 / 255;
  how.mean = mean;
  how.std = std;
  TestImage ramp{256, 1, 1, {}};
  for (int value = 0; value < 256; ++value)
    ramp.pixels.push_back(uint8_t(value));
  std::vector<float> result;
  ASSERT_EQ(preprocessTo(how, ramp.image(), result), VITC_OK);
  // Bit for bit, not nearly.
  EXPECT_EQ(std::memcmp(result.data(), expected.data(),
                        normalisedCount * sizeof(float)),
            0);
}
