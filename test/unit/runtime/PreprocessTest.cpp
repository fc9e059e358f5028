// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Strides, channels, sizes and refusals of preprocessing.
#include "TestImage.h"

#include <climits>
#include <gtest/gtest.h>

using namespace vitc::rt;

namespace {

Preprocessing resizing(int32_t channels, int32_t height, int32_t width,
                       Filter filter) {
  Preprocessing how = plainPreprocessing(channels, height, width);
  how.resize = Resize::Exact;
  how.resizeHeight = height;
  how.resizeWidth = width;
  how.filter = filter;
  return how;
}

std::vector<float> mustPreprocess(const Preprocessing &how,
                                  const vitc_image_v2 &image) {
  std::vector<float> result;
  EXPECT_EQ(preprocessTo(how, image, result), VITC_OK);
  return result;
}

vitc_status statusOf(const Preprocessing &how, const vitc_image_v2 &image) {
  std::vector<float> result;
  return preprocessTo(how, image, result);
}

} // namespace

TEST(Preprocess, StrideMayBeLongerOrNegative) {
  TestImage testImage = makeImage(23, 17, 3, 0);
  Preprocessing how = resizing(3, 9, 11, Filter::Bicubic);
  std::vector<float> expected = mustPreprocess(how, testImage.image());

  constexpr ptrdiff_t rowBytes = 23 * 3, stride = rowBytes + 13;
  std::vector<uint8_t> padded(stride * 17, 77), flipped(stride * 17, 77);
  for (ptrdiff_t y = 0; y < 17; ++y) {
    const uint8_t *row = testImage.pixels.data() + y * rowBytes;
    std::memcpy(&padded[size_t(y * stride)], row, rowBytes);
    std::memcpy(&flipped[size_t((16 - y) * stride)], row, rowBytes);
  }
  EXPECT_EQ(
      mustPreprocess(how, {padded.data(), 23, 17, VITC_PIXELS_RGB, stride, {}}),
      expected);
  const uint8_t *lastRow = flipped.data() + 16 * stride;
  EXPECT_EQ(
      mustPreprocess(how, {lastRow, 23, 17, VITC_PIXELS_RGB, -stride, {}}),
      expected);
}

TEST(Preprocess, NothingPastTheLastPixelIsRead) {
  // The last row ends with its last pixel: the vector has no padding.
  for (Filter filter : {Filter::Nearest, Filter::Bilinear, Filter::Lanczos}) {
    TestImage testImage = makeImage(5, 90, 3, 0);
    testImage.pixels.shrink_to_fit();
    mustPreprocess(resizing(3, 4, 5, filter), testImage.image());
    mustPreprocess(resizing(3, 8, 8, filter), testImage.image());
    mustPreprocess(resizing(1, 8, 8, filter), testImage.image());
  }
}

TEST(Preprocess, GreyIsRepeated) {
  TestImage grey = makeImage(19, 14, 1, 0);
  std::vector<float> one =
      mustPreprocess(resizing(1, 6, 8, Filter::Bilinear), grey.image());
  std::vector<float> three =
      mustPreprocess(resizing(3, 6, 8, Filter::Bilinear), grey.image());
  for (size_t channel = 0; channel < 3; ++channel)
    EXPECT_TRUE(std::equal(one.begin(), one.end(),
                           three.begin() + ptrdiff_t(channel * one.size())));
}

TEST(Preprocess, ColoursBecomePillowsGrey) {
  TestImage colours{4, 1, 3, {255, 0, 0, 0, 255, 0, 0, 0, 255, 10, 200, 30}};
  std::vector<float> grey =
      mustPreprocess(plainPreprocessing(1, 1, 4), colours.image());
  EXPECT_EQ(grey, (std::vector<float>{76, 150, 29, 124}));
}

TEST(Preprocess, OtherChannelCountsAreTakenAsTheyAre) {
  TestImage five = makeImage(12, 30, 5, 0);
  for (int32_t height : {4, 40}) {
    std::vector<float> all =
        mustPreprocess(resizing(5, height, 7, Filter::Bilinear), five.image());
    for (size_t channel = 0; channel < 5; ++channel) {
      TestImage one{12, 30, 1, {}};
      for (size_t pixel = 0; pixel < 12 * 30; ++pixel)
        one.pixels.push_back(five.pixels[pixel * 5 + channel]);
      std::vector<float> expected =
          mustPreprocess(resizing(1, height, 7, Filter::Bilinear), one.image());
      EXPECT_TRUE(
          std::equal(expected.begin(), expected.end(),
                     all.begin() + ptrdiff_t(channel * expected.size())));
    }
  }
}

TEST(Preprocess, PaddingIsNormalisedBlack) {
  const float mean[] = {0.5f}, std[] = {0.25f};
  Preprocessing how = plainPreprocessing(1, 4, 3);
  how.centerCrop = true;
  how.rescale = 1.0 / 255;
  how.mean = mean;
  how.std = std;
  TestImage white{1, 1, 1, {255}};
  std::vector<float> result = mustPreprocess(how, white.image());
  // The extra row goes above: (4 - 1 + 1) / 2 = 2 rows of padding before.
  for (size_t index = 0; index < result.size(); ++index)
    EXPECT_EQ(result[index], index == 2 * 3 + 1 ? 2.0f : -2.0f) << index;
}

TEST(Preprocess, ReversesChannels) {
  Preprocessing how = plainPreprocessing(3, 1, 2);
  how.reversesChannels = true;
  TestImage testImage{2, 1, 3, {1, 2, 3, 4, 5, 6}};
  EXPECT_EQ(mustPreprocess(how, testImage.image()),
            (std::vector<float>{3, 6, 2, 5, 1, 4}));
}

TEST(Preprocess, CropsAsTorchvisionDoes) {
  // round(margin / 2) in Python: 0.5 is 0, 1.5 is 2, 2.5 is 2, 3.5 is 4.
  for (auto [margin, start] :
       {std::pair{1, 0}, {2, 1}, {3, 2}, {5, 2}, {7, 4}}) {
    TestImage testImage{4 + margin, 1, 1, {}};
    for (int x = 0; x < 4 + margin; ++x)
      testImage.pixels.push_back(uint8_t(x));
    Preprocessing how = plainPreprocessing(1, 1, 4);
    how.centerCrop = how.cropRoundsHalfToEven = true;
    EXPECT_EQ(mustPreprocess(how, testImage.image())[0], float(start))
        << margin;
  }
  // Padding has its odd line at the end.
  Preprocessing how = plainPreprocessing(1, 1, 4);
  how.centerCrop = how.cropRoundsHalfToEven = true;
  TestImage white{1, 1, 1, {255}};
  EXPECT_EQ(mustPreprocess(how, white.image()),
            (std::vector<float>{0, 255, 0, 0}));
}

TEST(Preprocess, CoversAsTimmDoes) {
  // 60 x 50 covers 35 x 58 at 1.0344 times: 58 x 69.6, so 70 columns.
  TestImage testImage = makeImage(60, 50, 3, 0);
  Preprocessing how = plainPreprocessing(3, 58, 70);
  how.resize = Resize::Cover;
  how.resizeHeight = 58;
  how.resizeWidth = 35;
  EXPECT_EQ(statusOf(how, testImage.image()), VITC_OK);
}

TEST(Preprocess, ExtremeImagesOfOneColourKeepIt) {
  // Weights add up to one, whatever the size: no pixel outside is read.
  for (auto [width, height] : {std::pair{1, 30000}, {30000, 1}, {1, 1}}) {
    TestImage testImage{width, height, 3, {}};
    testImage.pixels.assign(size_t(width) * size_t(height) * 3, 200);
    for (int filter = 0; filter <= 5; ++filter) {
      Preprocessing how = plainPreprocessing(3, 32, 32);
      how.resize = Resize::ShortestEdge;
      how.resizeHeight = 40;
      how.filter = Filter(filter);
      how.centerCrop = true;
      for (float value : mustPreprocess(how, testImage.image()))
        ASSERT_EQ(value, 200.0f) << width << "x" << height << ", " << filter;
    }
  }
}

TEST(Preprocess, RefusesAnotherSize) {
  TestImage testImage = makeImage(8, 6, 3, 0);
  EXPECT_EQ(statusOf(plainPreprocessing(3, 6, 7), testImage.image()),
            VITC_ERROR_IMAGE_SIZE);
  Preprocessing how = plainPreprocessing(3, 12, 12);
  how.resize = Resize::ShortestEdge;
  how.resizeHeight = 12;
  EXPECT_EQ(statusOf(how, testImage.image()), VITC_ERROR_IMAGE_SIZE);
  // 12 * 8 / 6 = 16 columns.
  how.width = 16;
  EXPECT_EQ(statusOf(how, testImage.image()), VITC_OK);
}

TEST(Preprocess, RefusesResultsThatPillowCouldNotHold) {
  Preprocessing how = plainPreprocessing(1, 8, 8);
  how.resize = Resize::ShortestEdge;
  how.resizeHeight = 1 << 20;
  how.centerCrop = true;
  std::vector<uint8_t> row(1 << 12);
  EXPECT_EQ(
      statusOf(how, {row.data(), 1 << 12, 1, VITC_PIXELS_GREY, 1 << 12, {}}),
      VITC_ERROR_IMAGE_SIZE);
}

TEST(Preprocess, RefusesWrongArguments) {
  TestImage testImage = makeImage(8, 6, 3, 0);
  Preprocessing how = resizing(3, 4, 4, Filter::Bilinear);
  vitc_image_v2 good = testImage.image();
  EXPECT_EQ(statusOf(how, good), VITC_OK);

  vitc_image_v2 bad = good;
  bad.pixels = nullptr;
  EXPECT_EQ(statusOf(how, bad), VITC_ERROR_ARGUMENT);
  for (int32_t size : {0, -1, INT_MIN}) {
    bad = good;
    bad.width = size;
    EXPECT_EQ(statusOf(how, bad), VITC_ERROR_ARGUMENT);
    bad = good;
    bad.height = size;
    EXPECT_EQ(statusOf(how, bad), VITC_ERROR_ARGUMENT);
  }
  for (int32_t format : {-1, 6, 7, 99, INT_MIN, INT_MAX}) {
    bad = good;
    bad.format = format;
    EXPECT_EQ(statusOf(how, bad), VITC_ERROR_ARGUMENT) << format;
  }
  // The last ones have rows that are nowhere in the address space.
  for (ptrdiff_t stride :
       {ptrdiff_t(0), ptrdiff_t(8), ptrdiff_t(23), ptrdiff_t(-23), PTRDIFF_MAX,
        PTRDIFF_MIN, PTRDIFF_MIN + 1, PTRDIFF_MAX / 2}) {
    bad = good;
    bad.stride = stride;
    EXPECT_EQ(statusOf(how, bad), VITC_ERROR_ARGUMENT) << stride;
  }
  bad = good;
  bad.width = INT_MAX;
  bad.height = INT_MAX;
  bad.stride = PTRDIFF_MAX / 2;
  EXPECT_EQ(statusOf(how, bad), VITC_ERROR_ARGUMENT);
  bad.stride = -bad.stride;
  EXPECT_EQ(statusOf(how, bad), VITC_ERROR_ARGUMENT);
  bad = good;
  bad.pixels = reinterpret_cast<const uint8_t *>(UINTPTR_MAX - 7);
  EXPECT_EQ(statusOf(how, bad), VITC_ERROR_ARGUMENT);
  // A single row has no next one.
  bad = good;
  bad.height = 1;
  bad.stride = 0;
  EXPECT_EQ(statusOf(how, bad), VITC_OK);
}
